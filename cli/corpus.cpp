// heed corpus: text to learn from.
#include "cli/commands.h"

namespace heed::cli {

void add_corpus_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("corpus", "Make and look after text to learn from");
  command->require_subcommand(1);
  add_corpus_make_command(*command);
}

}  // namespace heed::cli
