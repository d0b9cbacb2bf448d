// Counts how often this program has asked for memory: every way to get some is replaced by one that counts.
#pragma once

namespace heed {

long allocation_count();

}  // namespace heed
