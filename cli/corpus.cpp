// heed corpus: checks, cleans and makes parallel text for training.
#include "cli/commands.h"

namespace heed::cli {

void add_corpus_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("corpus", "Check, clean and make parallel text");
  command->require_subcommand(1);
  add_corpus_check_command(*command);
  add_corpus_make_command(*command);
  add_corpus_gettext_command(*command);
}

}  // namespace heed::cli
