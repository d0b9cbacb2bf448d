// Which attention head of a model is meant.
#pragma once

namespace heed {

// Self-attention in the encoder, in the decoder, and attention of the decoder over the encoder's output.
enum class AttentionPart { encoder, decoder, cross };

struct HeadPlace {
  AttentionPart part = AttentionPart::encoder;
  int layer = 0;  // from 0
  int head = 0;

  bool operator==(const HeadPlace&) const = default;
};

}  // namespace heed
