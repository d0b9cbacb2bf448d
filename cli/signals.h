// SIGINT, SIGTERM and SIGHUP ask a long run to save and end; a second one ends the program at once, unless it is
// SIGHUP.
#pragma once

namespace heed::cli {

void watch_signals();
// The signal that came, or 0.
int received_signal();

}  // namespace heed::cli
