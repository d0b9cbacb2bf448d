// Checks a file of trees in one pass, or two files, such as training and development trees.
//
// Memory: about 20 bytes a tree to find repeated sentences, and one entry for each label and tag.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "data/first_seen.h"
#include "trees/tree.h"

namespace heed::treebank {

struct FaultText {
  const char* name;   // in JSON
  const char* title;  // in the table
};
const FaultText& about(Fault fault);

struct FaultExample {
  Index line = 0;
  std::size_t byte = 0;
  std::string text;
};

struct FaultCount {
  Index count = 0;
  std::vector<FaultExample> examples;
};

struct FileReport {
  std::string name;
  Index lines = 0;
  Index blank = 0;
  Index trees = 0;
  Index words = 0;
  Index longest = 0;  // in words
  Index longest_line = 0;
  Index depth = 0;  // the sum over all trees
  Index deepest = 0;
  Index deepest_line = 0;
  std::map<std::string, Index> labels;
  std::map<std::string, Index> tags;
  Index repeated = 0;       // sentences that an earlier line of the file has
  Index in_first = 0;       // sentences that the first file has, for the second
  Index in_first_long = 0;  // those of them with more than short_sentence words
  std::array<FaultCount, fault_count> faults;

  Index bad() const;  // lines that are not trees
};

constexpr Index short_sentence = 5;

struct CheckOptions {
  int examples = 3;  // of each problem
  std::function<void(double share)> progress = [](double) {};
};

// A report for each file; there may be one or two. Throws Error only for a file that cannot be read.
std::vector<FileReport> check_treebanks(std::span<const std::filesystem::path> files, const CheckOptions& options);

// The report as text.
std::string report_text(std::span<const FileReport> reports);
// One line that says whether all lines are trees; names the first that is not.
std::string verdict(std::span<const FileReport> reports);
bool is_sound(std::span<const FileReport> reports);

}  // namespace heed::treebank
