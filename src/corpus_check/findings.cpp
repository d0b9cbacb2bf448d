#include "corpus_check/findings.h"

namespace heed::corpus_check {
namespace {

constexpr std::array<FindingText, finding_count> texts{{
    {"line_counts", "line counts differ", Severity::error, Remedy::none,
     "training refuses the files: nobody can tell which lines belong together"},
    {"tabs", "not one tab", Severity::error, Remedy::drop,
     "training refuses the file: one tab stands between source and target"},
    {"invalid_utf8", "not UTF-8", Severity::error, Remedy::drop, "training refuses the files at the first such line"},
    {"empty", "an empty side", Severity::warning, Remedy::drop, "training leaves these pairs out"},
    {"identical", "source equals target", Severity::warning, Remedy::drop,
     "teaches the model to copy instead of translating"},
    {"duplicate", "pairs seen before", Severity::warning, Remedy::drop,
     "costs time and weighs these pairs more than the others"},
    {"ratio", "odd length ratio", Severity::warning, Remedy::drop,
     "most are not translations of each other; they teach the model to drop or invent text"},
    {"wrong_language", "another language", Severity::warning, Remedy::drop,
     "teaches the model to answer in the wrong language"},
    {"controls", "control characters", Severity::warning, Remedy::strip,
     "takes up vocabulary, and the model will print them"},
    {"too_long", "too long", Severity::warning, Remedy::keep, "training leaves these pairs out"},
    {"markup", "markup differs", Severity::warning, Remedy::keep,
     "teaches the model to lose or invent tags and placeholders"},
    {"unknown_pieces", "characters the tokenizer lacks", Severity::warning, Remedy::keep,
     "the model sees <unk> or single bytes there; train the tokenizer on this text"},
    {"unbalanced", "unbalanced markup on both sides", Severity::note, Remedy::keep,
     "harmless where it is meant; where lines were cut apart, sentences are as well"},
    {"same_source", "one source, other targets", Severity::note, Remedy::keep,
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
