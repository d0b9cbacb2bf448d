// The subcommands. Each function adds a command with its flags; the command runs in a callback after parsing.
#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

void add_train_command(CLI::App& program);
void add_translate_command(CLI::App& program);
void add_parse_command(CLI::App& program);
void add_rescore_command(CLI::App& program);
void add_look_command(CLI::App& program);
void add_score_command(CLI::App& program);
void add_tokenizer_command(CLI::App& program);
void add_corpus_command(CLI::App& program);
void add_treebank_command(CLI::App& program);
void add_model_command(CLI::App& program);
void add_bench_command(CLI::App& program);

// Subcommands of heed model.
void add_model_describe_command(CLI::App& model);
void add_model_export_command(CLI::App& model);
void add_model_import_command(CLI::App& model);

// Subcommands of heed corpus.
void add_corpus_check_command(CLI::App& corpus);
void add_corpus_make_command(CLI::App& corpus);
void add_corpus_gettext_command(CLI::App& corpus);

}  // namespace heed::cli
