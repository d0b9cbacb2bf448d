// SIGINT and SIGTERM ask a long run to save and end; a second one ends the program at once.
#pragma once

namespace heed::cli {

void watch_signals();
// The signal that came, or 0.
int received_signal();

}  // namespace heed::cli
