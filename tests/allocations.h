// Counts memory allocations: replaces malloc and its relatives by versions that count.
#pragma once

namespace heed {

long allocation_count();

}  // namespace heed
