// What a search is asked for and what it finds, in tokens.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decoding/grammar.h"
#include "heed/inspector.h"

namespace heed {

struct Hypothesis {
  std::vector<int> tokens;               // without </s>
  std::vector<float> log_probabilities;  // of each token and of </s>
  std::vector<std::int32_t> alignment;   // for each token a source piece; empty unless requested
  std::vector<float> attention;          // (tokens and </s>, source tokens): weights, likewise
  double log_probability = 0.0;          // of the tokens and </s>
  double score = 0.0;
  bool finished = false;  // false: cut off at the length limit
};

enum class Task {
  search,
  score,  // the prefix is the whole translation: score it by teacher forcing, without search
};

// What a search looked at: a list for each step, best first.
struct SearchTrace {
  struct Node {
    int parent = -1;  // a node of the step before; −1: the start
    int token = 0;
    double log_probability = 0.0;  // of the token
    double sum = 0.0;              // of the hypothesis so far
    SearchNode::State state = SearchNode::State::live;
  };
  std::vector<std::vector<Node>> steps;
};

// A sentence to translate or to score.
struct Request {
  std::vector<int> source;       // ends in </s>
  std::vector<int> prefix = {};  // forced: every translation begins with these pieces
  Task task = Task::search;
  SearchOptions options = {};
  std::shared_ptr<const Grammar> grammar = nullptr;  // constrains a search; null: any token may follow
  std::optional<HeadPlace> silenced = {};            // translate as if this head's output were 0
  SearchTrace* trace = nullptr;                      // gets every step of the search; it must outlive the request
  // Called once, on a thread of the search, with the hypotheses, best first, or with the error.
  std::function<void(std::vector<Hypothesis> hypotheses, const std::exception_ptr& error)> done;
};

}  // namespace heed
