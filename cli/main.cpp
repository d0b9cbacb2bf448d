// heed: one program with a subcommand per task.
//
// Exit codes: 0 success; 1 bad input or failure, with a one-line message; 2 invalid command line.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/say.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "heed/error.h"
#include "kernels/isa.h"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

std::string version() {
  std::string others;
  for (const std::string& isa : heed::kernels::available_isas()) others += (others.empty() ? "" : ", ") + isa;
  heed::kernels::choose_isa();
  return fmt::format("heed {}\ninstruction set: {} (available: {}; set HEED_ISA to choose)", HEED_VERSION,
                     heed::kernels::isa_name(), others);
}

int run(int argc, char** argv) {
  heed::kernels::choose_isa();
  CLI::App program("heed: the Transformer of \"Attention Is All You Need\", on CPUs", "heed");
  program.set_version_flag("--version", version, "Show version and instruction set");
  program.require_subcommand(1);
  heed::cli::add_train_command(program);
  heed::cli::add_translate_command(program);
  heed::cli::add_parse_command(program);
  heed::cli::add_rescore_command(program);
  heed::cli::add_look_command(program);
  heed::cli::add_score_command(program);
  heed::cli::add_tokenizer_command(program);
  heed::cli::add_corpus_command(program);
  heed::cli::add_treebank_command(program);
  heed::cli::add_model_command(program);
  heed::cli::add_bench_command(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForVersion& call) {
    return program.exit(call);
  } catch (const CLI::RuntimeError& end) {
    return end.get_exit_code();
  } catch (const CLI::ParseError& error) {
    heed::say(heed::cli::usage_message(program, {argv + 1, argv + argc}, error));
    return exit_usage;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  heed::cli::end_at_signals();
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return code;
  } catch (const heed::SettingError& error) {
    heed::say(fmt::format("heed: {}", error.what()));
    return exit_usage;
  } catch (const heed::Error& error) {
    heed::say(fmt::format("heed: {}", error.what()));
  } catch (const std::filesystem::filesystem_error& error) {
    heed::say(fmt::format("heed: '{}': {}; check the name and the permissions", error.path1().string(),
                          error.code().message()));
  } catch (const std::system_error& error) {
    heed::say(fmt::format("heed: standard output: cannot write ({}); free some space or check where it goes",
                          error.code().message()));
  } catch (const std::bad_alloc&) {
    heed::say("heed: out of memory; use a smaller model or batch");
  } catch (const std::exception& error) {
    heed::say(fmt::format("heed: {}", error.what()));
  }
  return exit_failure;
}
