// What signals do to the program. However it ends by one, no temporary file is left.
#pragma once

namespace heed::cli {

// SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program; a file that grows past the shell's limit is an error like any
// other. For the start of the program.
void end_at_signals();

// Also where the caller has switched it off: a reader that closes the pipe ends the program without a word.
void end_at_closed_pipe();

// From now on SIGINT, SIGTERM and SIGHUP ask a long run to save and end; a second one ends the program at once, unless
// it is SIGHUP.
void watch_signals();
// The signal that came, or 0.
int received_signal();

}  // namespace heed::cli
