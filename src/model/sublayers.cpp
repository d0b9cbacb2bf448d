#include "model/sublayers.h"

namespace heed {

using kernels::Mask;
using kernels::Start;

Matrix<float> add_self_attention(Matrix<const float> x, const AttentionWeights& weights, const LayerNorm& norm,
                                 Mask mask, int site, const Stack& stack, AttentionSublayerTrace* trace) {
  return residual(x, stack.residual(norm), stack.keys(site), stack.workspace,
                  part(trace, &AttentionSublayerTrace::residual), [&](Matrix<const float> in, Matrix<float> out) {
                    self_attention(in, weights, stack.config.attention_shape(), stack.offsets, mask, out,
                                   stack.workspace, part(trace, &AttentionSublayerTrace::attention));
                  });
}

void add_self_attention_backward(Matrix<float> dx, const AttentionWeights& weights, const LayerNorm& norm, Mask mask,
                                 const Stack& stack, const AttentionSublayerTrace& trace,
                                 const AttentionWeights& gradient, const LayerNorm& norm_gradient) {
  residual_backward(dx, stack.residual(norm), trace.residual, norm_gradient, stack.workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, Start start) {
                      self_attention_backward(dout, weights, stack.config.attention_shape(), stack.offsets, mask,
                                              trace.attention, gradient, din, start, stack.workspace);
                    });
}

Matrix<float> add_encoder_attention(Matrix<const float> x, const Memory& memory, const AttentionWeights& weights,
                                    const LayerNorm& norm, int site, const Stack& stack,
                                    AttentionSublayerTrace* trace) {
  return residual(x, stack.residual(norm), stack.keys(site), stack.workspace,
                  part(trace, &AttentionSublayerTrace::residual), [&](Matrix<const float> in, Matrix<float> out) {
                    encoder_attention(in, memory, weights, stack.config.attention_shape(), stack.offsets, out,
                                      stack.workspace, part(trace, &AttentionSublayerTrace::attention));
                  });
}

void add_encoder_attention_backward(Matrix<float> dx, Matrix<float> dmemory, const Memory& memory,
                                    const AttentionWeights& weights, const LayerNorm& norm, const Stack& stack,
                                    const AttentionSublayerTrace& trace, const AttentionWeights& gradient,
                                    const LayerNorm& norm_gradient) {
  residual_backward(dx, stack.residual(norm), trace.residual, norm_gradient, stack.workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, Start start) {
                      encoder_attention_backward(dout, memory, weights, stack.config.attention_shape(), stack.offsets,
                                                 trace.attention, gradient, din, start, dmemory, stack.workspace);
                    });
}

Matrix<float> add_feed_forward(Matrix<const float> x, const FeedForwardWeights& weights, const LayerNorm& norm,
                               int site, const Stack& stack, FeedForwardSublayerTrace* trace) {
  return residual(x, stack.residual(norm), stack.keys(site), stack.workspace,
                  part(trace, &FeedForwardSublayerTrace::residual), [&](Matrix<const float> in, Matrix<float> out) {
                    feed_forward(in, weights, stack.config.activation, out, stack.workspace,
                                 part(trace, &FeedForwardSublayerTrace::feed_forward));
                  });
}

void add_feed_forward_backward(Matrix<float> dx, const FeedForwardWeights& weights, const LayerNorm& norm,
                               const Stack& stack, const FeedForwardSublayerTrace& trace,
                               const FeedForwardWeights& gradient, const LayerNorm& norm_gradient) {
  residual_backward(dx, stack.residual(norm), trace.residual, norm_gradient, stack.workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, Start start) {
                      feed_forward_backward(dout, weights, stack.config.activation, trace.feed_forward, gradient, din,
                                            start, stack.workspace);
                    });
}

Matrix<const float> final_norm(Matrix<const float> x, const LayerNorm& norm, const Workspace& workspace,
                               FinalNormTrace* trace) {
  const PhaseTimer timer(workspace, Phase::residual);
  const Matrix<float> y = workspace.arena.matrix(x.rows, x.cols);
  const std::span<kernels::NormStats> stats = workspace.arena.array<kernels::NormStats>(x.rows);
  layer_norm(x, norm, y, stats, workspace);
  if (trace != nullptr) *trace = {x, stats};
  return y;
}

}  // namespace heed
