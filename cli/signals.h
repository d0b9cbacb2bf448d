// Signal handling. No signal that ends the program leaves temporary files, except SIGKILL.
#pragma once

namespace heed::cli {

// The exit code of a program ended by a signal is this plus the signal's number.
constexpr int exit_after_signal = 128;

// SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program; exceeding the file size limit becomes an ordinary write error.
// Call at the start of the program.
void end_at_signals();

// A reader that closes the pipe ends the program silently, even if the parent ignores SIGPIPE.
void end_at_closed_pipe();

// From now on SIGINT, SIGTERM and SIGHUP ask a run to save and stop; a second one, unless it is SIGHUP, ends the
// program immediately.
void watch_signals();
// The signal received, or 0.
int received_signal();

}  // namespace heed::cli
