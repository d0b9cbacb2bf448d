// Writes a corpus again without its bad pairs, while it is being checked.
//
// In the folder: the corpus under its own names without .gz and .zst, dropped.tsv with line number and reason of every
// pair left out, and report.txt. Nothing appears there before commit().
#pragma once

#include <optional>

#include "base/files.h"
#include "corpus_check/check.h"

namespace heed::corpus_check {

class CorpusFixer {
 public:
  // Throws Error when the folder cannot be written or holds files of these names that no earlier fix has written.
  CorpusFixer(const CorpusFiles& files, const std::filesystem::path& folder);
  CorpusFixer(const CorpusFixer&) = delete;
  CorpusFixer& operator=(const CorpusFixer&) = delete;
  // Without a commit no file is left behind, and no folder that was new.
  ~CorpusFixer();

  void add(const CheckedPair& pair);
  // `report` is what the check said. Throws Error for line counts that differ, where the alignment is lost, and when no
  // pair is left that training would take.
  void commit(const CheckReport& report);

  Index kept() const { return kept_; }
  Index dropped() const;
  // "dropped 12 pairs: 3 empty, 9 duplicate; stripped control characters from 4 of those kept"
  std::string summary() const;

 private:
  // Collects lines, so that each does not cost a call to the system.
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
  std::optional<Output> target_;  // none for a TSV
  std::optional<Output> reasons_;
  std::array<Index, finding_count> dropped_{};
  bool made_folder_ = false;
  Index kept_ = 0;
  Index usable_ = 0;  // of those kept
  Index stripped_ = 0;
};

}  // namespace heed::corpus_check
