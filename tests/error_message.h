// The message of an expected error.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "heed/error.h"

namespace heed {

// The message of the Error that the action throws, which must be one line; empty if it throws none.
inline std::string error_message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace heed
