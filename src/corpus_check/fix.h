// Writes a cleaned copy of a corpus, without bad pairs, during the check.
//
// Files in the folder: the corpus under its own names without .gz and .zst, dropped.tsv with line number and reason of
// every dropped pair, and report.txt. None of them appears before commit().
#pragma once

#include <optional>

#include "base/files.h"
#include "corpus_check/check.h"

namespace heed::corpus_check {

class CorpusFixer {
 public:
  // Throws Error if the folder cannot be written or contains such files that were not written by an earlier fix.
  CorpusFixer(const CorpusFiles& files, const std::filesystem::path& folder);
  CorpusFixer(const CorpusFixer&) = delete;
  CorpusFixer& operator=(const CorpusFixer&) = delete;
  // Without a commit, removes all files and a newly created folder.
  ~CorpusFixer();

  void add(const CheckedPair& pair);
  // `report` is the result of the check. Throws Error if the line counts differ, since the alignment is lost, and if no
  // usable pair is left.
  void commit(const CheckReport& report);

  Index kept() const { return kept_; }
  Index dropped() const;
  // "kept 90 pairs, dropped 12: 3 empty, 9 duplicate; removed control characters from 4 kept pairs"
  std::string summary() const;

 private:
  // Buffered, so that a line does not cost a system call.
  class Output {
   public:
    explicit Output(const std::filesystem::path& path) : file_(path) {}
    void add(std::string_view text);
    void commit();

   private:
    FileWriter file_;
    std::string waiting_;
  };

  CorpusFiles files_;
  std::filesystem::path folder_;
  std::optional<Output> source_;
  std::optional<Output> target_;  // none for TSV
  std::optional<Output> reasons_;
  std::array<Index, finding_count> dropped_{};
  bool made_folder_ = false;
  Index kept_ = 0;
  Index usable_ = 0;  // of those kept
  Index stripped_ = 0;
};

}  // namespace heed::corpus_check
