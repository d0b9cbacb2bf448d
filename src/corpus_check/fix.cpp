#include "corpus_check/fix.h"

#include <fmt/format.h>

#include <numeric>

#include "base/figures.h"
#include "corpus_check/check_report.h"
#include "heed/error.h"

namespace heed::corpus_check {
namespace {

namespace fs = std::filesystem;

constexpr const char* reasons_name = "dropped.tsv";
constexpr const char* report_name = "report.txt";

// Refuses folders in which --fix would overwrite the corpus itself or unrelated files.
void check_place(const CorpusFiles& files, const fs::path& folder) {
  for (const fs::path& file : {files.source, files.target}) {
    std::error_code none;
    if (uncompressed_name(file) == reasons_name || uncompressed_name(file) == report_name) {
      throw Error(fmt::format("--fix '{}': writes its own '{}'; rename the corpus", folder.string(),
                              uncompressed_name(file).string()));
    }
    if (!file.empty() && fs::equivalent(file, folder / uncompressed_name(file), none)) {
      throw Error(
          fmt::format("--fix '{}': would overwrite '{}'; choose another folder", folder.string(), file.string()));
    }
  }
  if (!fs::exists(folder / reasons_name)) {
    for (const fs::path& name :
         {uncompressed_name(files.source), uncompressed_name(files.target), fs::path(report_name)}) {
      if (name.empty() || !fs::exists(folder / name)) continue;
      throw Error(fmt::format("--fix '{}': would overwrite '{}', which was not written by --fix; choose another folder",
                              folder.string(), (folder / name).string()));
    }
  }
  if (!files.target.empty() && uncompressed_name(files.source) == uncompressed_name(files.target)) {
    throw Error(fmt::format("--fix '{}': source and target are both named '{}'; rename one", folder.string(),
                            uncompressed_name(files.source).string()));
  }
}

std::optional<Finding> reason_to_drop(FindingSet findings) {
  std::optional<Finding> reason;
  for_each_finding([&](Finding finding) {
    if (!reason && findings.has(finding) && about(finding).remedy == Remedy::drop) reason = finding;
  });
  return reason;
}

}  // namespace

void CorpusFixer::Output::add(std::string_view text) {
  constexpr std::size_t enough = std::size_t{1} << 18;
  waiting_.append(text);
  if (waiting_.size() < enough) return;
  file_.write(waiting_);
  waiting_.clear();
}

void CorpusFixer::Output::commit() {
  file_.write(waiting_);
  file_.commit();
}

CorpusFixer::CorpusFixer(const CorpusFiles& files, const fs::path& folder) : files_(files), folder_(folder) {
  check_place(files, folder);
  made_folder_ = !fs::exists(folder);
  make_folder(folder);
  source_.emplace(folder / uncompressed_name(files.source));
  if (!files.target.empty()) target_.emplace(folder / uncompressed_name(files.target));
  reasons_.emplace(folder / reasons_name);
}

CorpusFixer::~CorpusFixer() {
  source_.reset();
  target_.reset();
  reasons_.reset();
  std::error_code not_empty;
  if (made_folder_) fs::remove(folder_, not_empty);
}

void CorpusFixer::add(const CheckedPair& pair) {
  if (const auto reason = reason_to_drop(pair.findings)) {
    ++dropped_[static_cast<std::size_t>(*reason)];
    reasons_->add(fmt::format("{}\t{}\n", pair.line, about(*reason).name));
    return;
  }
  ++kept_;
  if (is_usable(pair.findings)) ++usable_;
  if (pair.findings.has(Finding::controls)) ++stripped_;
  source_->add(pair.pair.source);
  source_->add(target_ ? "\n" : "\t");
  Output& target = target_ ? *target_ : *source_;
  target.add(pair.pair.target);
  target.add("\n");
}

void CorpusFixer::commit(const CheckReport& report) {
  if (report[Finding::line_counts].count > 0) {
    throw Error(fmt::format("corpus {}: {} and {}, so --fix cannot tell which belong together; align the files again",
                            files_.name(), counted(report.source.lines, "line"), report.target.lines));
  }
  if (usable_ == 0) {
    throw Error(fmt::format("corpus {}: --fix would leave no usable pair of {}; check the languages and the limits",
                            files_.name(), report.pairs));
  }
  // dropped.tsv marks a folder written by --fix, so it comes first: if the rest fails, a retry may overwrite it.
  reasons_->commit();
  source_->commit();
  if (target_) target_->commit();
  write_file(folder_ / report_name, fmt::format("{}: {} {}\n{}\n\n{}", files_.name(), with_commas(report.pairs),
                                                plural(report.pairs, "pair"), summary(), findings_table(report)));
}

Index CorpusFixer::dropped() const { return std::accumulate(dropped_.begin(), dropped_.end(), Index{0}); }

std::string CorpusFixer::summary() const {
  std::string reasons;
  for_each_finding([&](Finding finding) {
    const Index count = dropped_[static_cast<std::size_t>(finding)];
    if (count == 0) return;
    reasons += fmt::format("{}{} {}", reasons.empty() ? ": " : ", ", with_commas(count), about(finding).name);
  });
  std::string text = fmt::format("kept {} {}, dropped {}{}", with_commas(kept_), plural(kept_, "pair"),
                                 with_commas(dropped()), reasons);
  if (stripped_ > 0)
    text +=
        fmt::format("; removed control characters from {} kept {}", with_commas(stripped_), plural(stripped_, "pair"));
  return text;
}

}  // namespace heed::corpus_check
