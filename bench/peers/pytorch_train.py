"""Trains the Transformer in PyTorch for a few updates and prints its speed as one JSON object."""

import argparse
import json
import math
import resource
import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._inductor import config as inductor

import workload


def linear(inputs: int, outputs: int, bias: bool) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    return layer


def dropout(x: Tensor, rate: float) -> Tensor:
    """F.dropout from uniform numbers: drawn faster than Bernoulli ones, and the rest fuses when compiled."""
    keep = torch.floor(torch.rand_like(x) + (1 - rate))
    return x * (keep * (1 / (1 - rate)))


def relu(x: Tensor) -> Tensor:
    # Compiled, relu and the mask it keeps for backward took 63 ms, this form 1.8 ms (2000 × 2048, AVX2).
    return (x + x.abs()) * 0.5 if torch.compiler.is_compiling() else F.relu(x)


class Attention(nn.Module):
    """Projections are fused: one product computes queries, keys and values, or the keys and values of the memory."""

    def __init__(self, shape: workload.Shape, causal: bool, over_memory: bool):
        super().__init__()
        d = shape.d_model
        self.heads = shape.heads
        self.causal = causal
        self.query = linear(d, d, bias=False) if over_memory else None
        self.projections = linear(d, (2 if over_memory else 3) * d, bias=False)
        self.output = linear(d, d, bias=False)

    def by_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (sentences, heads, length, d_k)

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        if memory is None:
            query, key, value = self.projections(x).chunk(3, dim=-1)
        else:
            query = self.query(x)
            key, value = self.projections(memory).chunk(2, dim=-1)
        query, key, value = map(self.by_heads, (query, key, value))
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        return self.output(mixed.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, shape: workload.Shape):
        super().__init__()
        self.inner = linear(shape.d_model, shape.d_ff, bias=True)
        self.outer = linear(shape.d_ff, shape.d_model, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(relu(self.inner(x)))


class Layer(nn.Module):
    """Sub-layers, each followed by dropout, the residual sum and a layer norm."""

    def __init__(self, shape: workload.Shape, decoder: bool):
        super().__init__()
        self.dropout = shape.dropout
        self.self_attention = Attention(shape, causal=decoder, over_memory=False)
        self.memory_attention = Attention(shape, causal=False, over_memory=True) if decoder else None
        self.feed_forward = FeedForward(shape)
        self.norms = nn.ModuleList(nn.LayerNorm(shape.d_model) for _ in range(3 if decoder else 2))

    def add(self, norm: nn.LayerNorm, x: Tensor, y: Tensor) -> Tensor:
        return norm(x + dropout(y, self.dropout))

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        x = self.add(self.norms[0], x, self.self_attention(x))
        if self.memory_attention is not None:
            x = self.add(self.norms[1], x, self.memory_attention(x, memory))
        return self.add(self.norms[-1], x, self.feed_forward(x))


def sinusoids(length: int, d_model: int) -> Tensor:
    angles = torch.arange(length)[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


class Transformer(nn.Module):
    def __init__(self, shape: workload.Shape, vocabulary: int, length: int):
        super().__init__()
        self.dropout = shape.dropout
        self.scale = math.sqrt(shape.d_model)
        self.embedding = nn.Parameter(torch.randn(vocabulary, shape.d_model) / self.scale)
        self.register_buffer("positions", sinusoids(length, shape.d_model))
        self.encoder = nn.ModuleList(Layer(shape, decoder=False) for _ in range(shape.layers))
        self.decoder = nn.ModuleList(Layer(shape, decoder=True) for _ in range(shape.layers))

    def embed(self, tokens: Tensor) -> Tensor:
        return dropout(F.embedding(tokens, self.embedding) * self.scale + self.positions, self.dropout)

    def forward(self, source: Tensor, shifted_target: Tensor, target: Tensor) -> Tensor:
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory)
        x = self.embed(shifted_target)
        for layer in self.decoder:
            x = layer(x, memory)
        logits = F.linear(x.flatten(0, 1), self.embedding)  # (target tokens, vocabulary)
        return F.cross_entropy(logits, target.flatten(), label_smoothing=workload.LABEL_SMOOTHING)


def random_batch(arguments: argparse.Namespace) -> tuple[Tensor, Tensor, Tensor]:
    size = (workload.sentences(arguments), arguments.length)
    source, target = (torch.randint(arguments.vocab_size, size) for _ in range(2))
    return source, target.roll(1, dims=1), target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    workload.add_arguments(parser)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    inductor.fallback_random = True  # the compiler's own generator is much slower
    batch = random_batch(arguments)
    model = Transformer(workload.PRESETS[arguments.preset], arguments.vocab_size, arguments.length)
    adam = torch.optim.Adam(model.parameters(), lr=workload.LEARNING_RATE, fused=True, **workload.ADAM)
    loss_of = torch.compile(model) if arguments.compile else model

    def step() -> float:
        adam.zero_grad(set_to_none=True)
        loss = loss_of(*batch)
        loss.backward()
        adam.step()
        return loss.item()

    for _ in range(workload.WARM_UP_STEPS):
        step()
    steps, seconds, begin = 0, 0.0, time.perf_counter()
    while steps < arguments.steps or seconds < arguments.seconds:
        loss = step()
        steps += 1
        seconds = time.perf_counter() - begin
    print(json.dumps({
        "tokens_per_second": steps * arguments.tokens / seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        "steps": steps,
        "loss": loss,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "version": torch.__version__,
    }))


if __name__ == "__main__":
    main()
