#include "model/encoder_decoder.h"

#include "model/sites.h"

namespace heed {
namespace {

// The target shifted right by one: each sentence starts from the first token.
std::span<const int> shifted_right(const Ragged& target, int first_token, Arena& arena) {
  const std::span<int> input = arena.array<int>(target.offsets.back());
  for (std::size_t s = 0; s + 1 < target.offsets.size(); ++s) {
    for (Index i = target.offsets[s]; i < target.offsets[s + 1]; ++i) {
      input[at(i)] = i == target.offsets[s] ? first_token : target.tokens[at(i - 1)];
    }
  }
  return input;
}

Matrix<const float> embed_tokens(const EmbeddingWeights& weights, const Ragged& tokens, int site,
                                 const Dropout& dropout, const Workspace& workspace, HalfTrace* trace) {
  const EmbeddingInput input{tokens.tokens, tokens.offsets, dropout.kernel_rate(),
                             dropout_keys(dropout, site, tokens.offsets, workspace.arena)};
  return embed(input, weights, workspace, trace == nullptr ? nullptr : &trace->embedding);
}

}  // namespace

Matrix<const float> encode(const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                           const Workspace& workspace, HalfTrace* trace, std::span<const Silenced> silenced) {
  const Matrix<const float> x =
      embed_tokens(parameters.source, source, source_embedding_site, dropout, workspace, trace);
  return run_stack(parameters.encoder, {x, source.offsets}, nullptr, {dropout, encoder_sites, workspace, silenced},
                   trace == nullptr ? nullptr : &trace->stack);
}

void encode_backward(const Parameters& parameters, const HalfTrace& trace, Matrix<float> dmemory,
                     const Parameters& gradient, const Dropout& dropout, const Workspace& workspace) {
  run_stack_backward(parameters.encoder, trace.stack, dmemory, {}, gradient.encoder,
                     {dropout, encoder_sites, workspace});
  embed_backward(trace.embedding, dmemory, parameters.source, gradient.source, workspace);
}

Matrix<const float> decode(const Parameters& parameters, const Ragged& target, const RaggedRows& memory,
                           const Dropout& dropout, const Workspace& workspace, HalfTrace* trace) {
  const Ragged input{shifted_right(target, parameters.first_token, workspace.arena), target.offsets};
  const Matrix<const float> x =
      embed_tokens(parameters.target, input, target_embedding_site, dropout, workspace, trace);
  return run_stack(parameters.decoder, {x, target.offsets}, &memory, {dropout, decoder_sites, workspace},
                   trace == nullptr ? nullptr : &trace->stack);
}

void decode_backward(const Parameters& parameters, const HalfTrace& trace, Matrix<float> dhidden, Matrix<float> dmemory,
                     const Parameters& gradient, const Dropout& dropout, const Workspace& workspace) {
  run_stack_backward(parameters.decoder, trace.stack, dhidden, dmemory, gradient.decoder,
                     {dropout, decoder_sites, workspace});
  embed_backward(trace.embedding, dhidden, parameters.target, gradient.target, workspace);
}

}  // namespace heed
