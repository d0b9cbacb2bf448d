// The interface between search and model: a model admits inputs, takes a step for many hypotheses at a time, and states
// its limits and the memory that it keeps. A search knows nothing else about models.
//
// A StepModel is const and shared by all searches; a StepSession belongs to one search. Both are called a few times per
// step, never per row.
#pragma once

#include <memory>

#include "layers/linear.h"
#include "layers/step_row.h"
#include "model/batch.h"
#include "model/shortlist.h"
#include "model/silenced.h"

namespace heed {

// Bytes that a session keeps per position of a hypothesis (KV cache), per hypothesis (recurrent state), per input
// token.
struct RowBytes {
  Index past = 0;
  Index state = 0;
  Index memory = 0;
};

// How many rows of each a session has room for.
struct RowCounts {
  Index past = 0;
  Index state = 0;
  Index memory = 0;
};

struct StepLimits {
  Index input_vocabulary = 0;
  Index vocabulary = 0;
  int first_token = start_token;  // what a hypothesis begins with
  Index positions = 0;            // most that an input, or an output with </s>, may have
  Index attention_layers = 0;     // layers that can report their attention to the input
  Index heads = 1;                // over which they sum its weights
  Index position_bytes = 0;       // of a row of the position table
  RowBytes row{};
};

enum class Wanted { hidden, hidden_and_attention };  // hidden: requests of rows for attention are ignored

// Inputs that a session reads together.
struct Admission {
  Ragged inputs;
  std::span<const std::int32_t> to;    // what the steps need of input row i is stored in row to[i] of the memory
  Index longest = 0;                   // positions that outputs of these inputs have at most
  std::span<const Silenced> silenced;  // for each input a head without output; empty: none
};

class StepSession {
 public:
  virtual ~StepSession() = default;

  // Encodes the inputs and keeps what the steps need of them.
  virtual void admit(const Admission& admission, const Workspace& workspace) = 0;
  // Advances every row by one position. Returns the hidden states (rows, d_model) that output() turns into logits;
  // they live in the arena. A row's bits do not depend on the other rows.
  virtual Matrix<const float> step(std::span<const StepRow> rows, Wanted wanted, const Workspace& workspace) = 0;
};

class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual const StepLimits& limits() const = 0;
  virtual const Linear& output() const = 0;
  // The tokens that translations of an input may consist of; null: those of the whole vocabulary.
  virtual const Shortlist* shortlist() const { return nullptr; }
  // Throws Error for an input that the model cannot read.
  virtual void check_input(std::span<const int> input) const = 0;
  // A session that takes its memory from the arena, with room for this many positions.
  virtual std::unique_ptr<StepSession> begin(const RowCounts& rows, Index positions, Arena& arena) const = 0;
};

using StepModels = std::span<const StepModel* const>;

}  // namespace heed
