#include "corpus_check/findings.h"

namespace heed::corpus_check {
namespace {

constexpr std::array<FindingText, finding_count> texts{{
    {"line_counts", "line counts differ", Severity::error, Remedy::none,
     "training rejects the files: which lines belong together is unknown"},
    {"tabs", "not exactly one tab", Severity::error, Remedy::drop,
     "training rejects the file: one tab must separate source and target"},
    {"invalid_utf8", "not UTF-8", Severity::error, Remedy::drop, "training rejects the files at the first such line"},
    {"empty", "empty side", Severity::warning, Remedy::drop, "training skips these pairs"},
    {"identical", "source equals target", Severity::warning, Remedy::drop,
     "teaches the model to copy instead of translating"},
    {"duplicate", "duplicate pairs", Severity::warning, Remedy::drop,
     "costs time and gives these pairs more weight than others"},
    {"ratio", "odd length ratio", Severity::warning, Remedy::drop,
     "most are not translations; they teach the model to drop or invent text"},
    {"wrong_language", "wrong language", Severity::warning, Remedy::drop,
     "teaches the model to answer in the wrong language"},
    {"controls", "control characters", Severity::warning, Remedy::strip,
     "takes up vocabulary, and the model learns to print them"},
    {"too_long", "too long", Severity::warning, Remedy::keep, "training skips these pairs"},
    {"markup", "markup differs", Severity::warning, Remedy::keep,
     "teaches the model to lose or invent tags and placeholders"},
    {"unknown_pieces", "out-of-vocabulary characters", Severity::warning, Remedy::keep,
     "the model sees <unk> or single bytes there; train the tokenizer on this text"},
    {"unbalanced", "unbalanced markup on both sides", Severity::note, Remedy::keep,
     "harmless if intended; otherwise a sign of sentences that were split"},
    {"same_source", "same source, different targets", Severity::note, Remedy::keep,
     "harmless unless the targets contradict each other"},
}};

}  // namespace

const FindingText& about(Finding finding) { return texts[static_cast<std::size_t>(finding)]; }

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "";
}

}  // namespace heed::corpus_check
