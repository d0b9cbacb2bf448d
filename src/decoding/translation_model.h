// A Transformer as a search uses it: inputs are encoded, and each step runs the decoder's stack on cached rows.
//
// Rows of the KV cache never move. A hypothesis lists the rows of its past, so hypotheses share their common prefix,
// and reordering the beam copies row indices, not keys and values.
#pragma once

#include "decoding/step_model.h"
#include "model/transformer.h"

namespace heed {

class TranslationModel : public StepModel {
 public:
  // The model, and the shortlist if there is one, must outlive this.
  explicit TranslationModel(const Transformer& model, const Shortlist* shortlist = nullptr);

  const StepLimits& limits() const override { return limits_; }
  const Linear& output() const override { return model_.parameters().output; }
  const Shortlist* shortlist() const override { return shortlist_; }
  void check_input(std::span<const int> input) const override;
  std::unique_ptr<StepSession> begin(const RowCounts& rows, Index positions, Arena& arena) const override;

 private:
  const Transformer& model_;
  const Shortlist* shortlist_;
  StepLimits limits_;
};

}  // namespace heed
