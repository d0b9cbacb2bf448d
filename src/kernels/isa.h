// Which vector instructions this process uses.
#pragma once

#include <string>
#include <vector>

namespace heed::kernels {

// Chooses the best level that this machine has, or the one that HEED_ISA names. Call it once, before any kernel and
// before other threads start; the commands and the tests do so first thing. Throws Error when the machine is too old,
// or when HEED_ISA names a level that is unknown or missing here.
void choose_isa();

// The level in use: "vnni" (AVX-512 with dot products of bytes), "avx512", "avx2", "sse4" or "neon".
std::string isa_name();

// Whether the level in use is "vnni".
bool has_vnni() noexcept;

// Every level that this machine has, best first.
std::vector<std::string> available_isas();

}  // namespace heed::kernels
