// The ids of the special tokens in every vocabulary, as in SentencePiece.
#pragma once

namespace heed {

constexpr int unknown_token = 0;  // <unk>
constexpr int start_token = 1;    // <s>
constexpr int end_token = 2;      // </s>
constexpr int no_token = -1;      // embeds as zero, for decoders without a start token

}  // namespace heed
