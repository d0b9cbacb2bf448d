// Transformers as a search takes them.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "decoding/translation_model.h"

namespace heed {

class StepsOf {
 public:
  StepsOf(std::initializer_list<const Transformer*> models) {
    for (const Transformer* model : models) {
      owned_.push_back(std::make_unique<TranslationModel>(*model));
      all_.push_back(owned_.back().get());
    }
  }

  operator StepModels() const { return all_; }  // NOLINT: as an array converts to a span
  const std::vector<const StepModel*>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<const StepModel>> owned_;
  std::vector<const StepModel*> all_;
};

}  // namespace heed
