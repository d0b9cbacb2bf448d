// The one exception that heed throws.
//
// Its text is a single line that names the thing, the place and the remedy, fit to be shown to a user as it is.
#pragma once

#include <stdexcept>

namespace heed {

class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heed
