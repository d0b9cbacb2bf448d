#include "cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "base/temporary_file.h"

namespace heed::cli {
namespace {

volatile std::sig_atomic_t received = 0;

void end_by(int signal) {
  remove_temporary_files();
  // By the signal's default action, so that the parent sees what ended the program.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void ask_to_end(int signal) {
  // When a terminal closes, SIGHUP may come twice: from the shell and from the system.
  if (received != 0 && signal == SIGHUP) return;
  if (received != 0) {
    remove_temporary_files();
    _exit(exit_after_signal + signal);
  }
  received = signal;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// Leaves ignored signals ignored: SIGHUP under nohup, SIGINT in some background jobs.
void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(signal, handler);
}

}  // namespace

void end_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle_unless_ignored(signal, end_by);
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_at_closed_pipe() { handle(SIGPIPE, end_by); }

void watch_signals() {
  handle(SIGINT, ask_to_end);
  handle(SIGTERM, ask_to_end);
  handle_unless_ignored(SIGHUP, ask_to_end);
}

int received_signal() { return received; }

}  // namespace heed::cli
