#include "cli/signals.h"

#include <unistd.h>

#include <csignal>

namespace heed::cli {
namespace {

volatile std::sig_atomic_t received = 0;

constexpr int exit_after_signal = 128;

void on_signal(int signal) {
  // A shell passes on that its terminal has closed, and then the system says so again.
  if (received != 0 && signal == SIGHUP) return;
  if (received != 0) _exit(exit_after_signal + signal);
  received = signal;
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup has a terminal that closes ignored.
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

int received_signal() { return received; }

}  // namespace heed::cli
