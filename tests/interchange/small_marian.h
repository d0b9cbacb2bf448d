// Small Marian models with random weights, in each of Marian's formats, and what they compute.
//
// The forward pass is written from Marian's own layout: matrices are (in, out), layers count from 1. It shares no code
// with heed, so that names, transpositions and formulas are compared as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/index.h"

namespace heed::interchange {

struct SmallTensor {
  Index rows = 0;
  Index cols = 0;
  std::vector<float> values;

  float at(Index row, Index col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
};

enum class SmallTie { all, target, embeddings, none };

struct SmallShape {
  SmallTie tie = SmallTie::all;
  bool ssru = false;
  bool norm_before = false;
  bool top_norm = false;
  bool embedding_norm = false;
  bool learned_positions = false;
  bool old_output = false;  // (d, vocabulary)
  bool output_bias = true;
  std::string activation = "swish";
  std::vector<Index> tied_layers = {};
  Index encoder_layers = 2;
  Index decoder_layers = 2;
  Index d_model = 8;
  Index heads = 2;
  Index d_ff = 12;
  Index decoder_d_ff = 12;
  Index source_vocab = 11;
  Index target_vocab = 11;
  std::string version = "v1.12.43 c9f287db 2025-06-23";
  std::string more_options = {};  // lines of YAML
};

struct SmallMarian {
  SmallShape shape;
  std::map<std::string, SmallTensor> tensors;
  std::string options;

  explicit SmallMarian(const SmallShape& shape);

  std::string npz() const;
  // f32, or with matrices as intgemm8, as Bergamot or as Marian itself writes it: with embeddings in f32.
  std::string bin(bool intgemm8, bool of_marian = false) const;
  // The same model with the numbers that intgemm8 keeps.
  SmallMarian rounded() const;

  // The log-probability of the target ids and </s> (0), given the source ids without </s>; in Marian's ids.
  double score(const std::vector<int>& source, const std::vector<int>& target) const;
};

// A .npy file.
std::string make_npy(const std::string& type, const std::vector<Index>& shape, const std::string& bytes);

// "</s>", "<unk>", "w2", "w3" … in Marian's .yml form.
std::string small_vocabulary(Index size);

}  // namespace heed::interchange
