#include "model/stack.h"

#include "model/sites.h"

namespace heed {
namespace {

// A part of a trace, or null if there is none.
template <class Trace, class Part>
Part* part(Trace* trace, Part Trace::*member) {
  return trace == nullptr ? nullptr : &(trace->*member);
}

Matrix<const float> run_layer(const Layer& layer, RaggedRows x, const RaggedRows* memory, const Pass& pass,
                              LayerTrace* trace) {
  const Workspace& workspace = pass.workspace;
  int site = pass.first_site;
  const std::span<const int> silenced = silenced_in(
      memory == nullptr ? AttentionPart::encoder : AttentionPart::decoder, pass.layer,
      static_cast<Index>(pass.silenced.size()),
      [&](Index s) -> const Silenced& { return pass.silenced[static_cast<std::size_t>(s)]; }, workspace.arena);
  const auto add = [&](const LayerNorm& norm, ResidualTrace LayerTrace::*residual_trace, const auto& sublayer) {
    x.rows = residual(x.rows, {norm, layer.norm, pass.dropout.kernel_rate()},
                      dropout_keys(pass.dropout, site++, x.offsets, workspace.arena), workspace,
                      part(trace, residual_trace), sublayer);
  };
  add(layer.mixer_norm, &LayerTrace::mixer_residual, [&](Matrix<const float> in, Matrix<float> out) {
    mix({in, x.offsets, silenced}, layer.mixer, out, workspace, part(trace, &LayerTrace::mixer));
  });
  if (memory != nullptr) {
    add(layer.memory_norm, &LayerTrace::memory_residual, [&](Matrix<const float> in, Matrix<float> out) {
      memory_attention({in, x.offsets}, *memory, layer.memory, out, workspace, part(trace, &LayerTrace::memory));
    });
  }
  add(layer.feed_forward_norm, &LayerTrace::feed_forward_residual, [&](Matrix<const float> in, Matrix<float> out) {
    feed_forward(in, layer.feed_forward, out, workspace, part(trace, &LayerTrace::feed_forward));
  });
  return x.rows;
}

void run_layer_backward(const Layer& layer, const LayerTrace& trace, Matrix<float> dx, Matrix<float> dmemory,
                        const Layer& gradient, const Pass& pass) {
  const Workspace& workspace = pass.workspace;
  const auto back = [&](LayerNorm Layer::*norm, const ResidualTrace& residual_trace, const auto& sublayer) {
    residual_backward(dx, {layer.*norm, layer.norm, pass.dropout.kernel_rate()}, residual_trace, gradient.*norm,
                      workspace, sublayer);
  };
  back(&Layer::feed_forward_norm, trace.feed_forward_residual, [&](Matrix<const float> dout, Into din) {
    feed_forward_backward(dout, layer.feed_forward, trace.feed_forward, gradient.feed_forward, din, workspace);
  });
  if (layer.reads_memory()) {
    back(&Layer::memory_norm, trace.memory_residual, [&](Matrix<const float> dout, Into din) {
      memory_attention_backward(dout, layer.memory, trace.memory, gradient.memory, din, dmemory, workspace);
    });
  }
  back(&Layer::mixer_norm, trace.mixer_residual, [&](Matrix<const float> dout, Into din) {
    mix_backward(dout, layer.mixer, trace.mixer, gradient.mixer, din, workspace);
  });
}

}  // namespace

Matrix<const float> run_stack(const Stack& stack, RaggedRows x, const RaggedRows* memory, const Pass& pass,
                              StackTrace* trace) {
  const auto count = static_cast<Index>(stack.layers.size());
  if (trace != nullptr) trace->layers = pass.workspace.arena.array<LayerTrace>(count);
  Pass layer_pass = pass;
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    x.rows = run_layer(stack.layers[i], x, memory, layer_pass, trace == nullptr ? nullptr : &trace->layers[i]);
    layer_pass.first_site += sites_per_layer;
    ++layer_pass.layer;
  }
  return final_norm(x.rows, stack, pass.workspace, trace);
}

void run_stack_backward(const Stack& stack, const StackTrace& trace, Matrix<float> dx, Matrix<float> dmemory,
                        const Stack& gradient, const Pass& pass) {
  if (!stack.norm.gain.empty()) {
    layer_norm_backward(dx, trace.norm_input, trace.norm_stats, stack.norm, gradient.norm, dx, pass.workspace);
  }
  for (std::size_t i = stack.layers.size(); i-- > 0;) {
    run_layer_backward(stack.layers[i], trace.layers[i], dx, dmemory, gradient.layers[i], pass);
  }
}

Matrix<const float> final_norm(Matrix<const float> x, const Stack& stack, const Workspace& workspace,
                               StackTrace* trace) {
  if (stack.norm.gain.empty()) return x;
  const PhaseTimer timer(workspace, Phase::residual);
  const Matrix<float> y = workspace.arena.matrix(x.rows, x.cols);
  const std::span<kernels::NormStats> stats = workspace.arena.array<kernels::NormStats>(x.rows);
  layer_norm(x, stack.norm, y, stats, workspace);
  if (trace != nullptr) {
    trace->norm_input = x;
    trace->norm_stats = stats;
  }
  return y;
}

}  // namespace heed
