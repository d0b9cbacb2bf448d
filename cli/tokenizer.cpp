// heed tokenizer: learns a tokenizer from text, encodes text and decodes pieces.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/figures.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/text_output.h"
#include "cli/whole_number.h"
#include "data/corpus.h"
#include "heed/error.h"
#include "text/tokenizer_files.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

struct TrainTokenizerFlags {
  explicit TrainTokenizerFlags(CLI::App& command) {
    command.add_option("FILES", files, "Text files to learn from; plain, .gz or .zst")->required();
    command.add_option("-o,--output", output, "Tokenizer file to write")->required();
    command.add_option("--kind", kind, "Kind: bpe, unigram or space")->capture_default_str();
    command.add_option("--vocab-size", vocab_size, "Vocabulary size, including <unk>, <s> and </s>")
        ->capture_default_str();
    command
        .add_option("--normalization", normalization_name,
                    "nfkc or identity (decoding restores every valid UTF-8 line byte for byte)")
        ->capture_default_str();
    command.add_option("--sample-lines", sample, "Maximum number of lines to learn from")
        ->capture_default_str()
        ->check(CLI::Range(Index{1}, std::numeric_limits<Index>::max()));
    check_whole(command.add_option("--seed", seed, "Random seed of the sample"), seed)->capture_default_str();
  }

  std::vector<std::string> files;
  std::string output;
  std::string kind = "bpe";
  int vocab_size = 32000;
  std::string normalization_name = "nfkc";
  Index sample = 1000000;
  std::uint64_t seed = 1;
};

struct UseTokenizerFlags {
  explicit UseTokenizerFlags(CLI::App& command) {
    command.add_option("-m,--model", tokenizer, "Tokenizer file or model folder")->required();
    command.add_option("-i,--input", input, "Input file [standard input]");
    command.add_option("-o,--output", output, "Output file [standard output]");
    command.add_flag("--ids", ids, "Use ids instead of pieces");
    command.add_flag("--target", target, "Use the target tokenizer, if a model has two");
  }

  std::shared_ptr<const Tokenizer> load() const {
    if (!fs::is_directory(tokenizer)) return read_tokenizer(read_file(tokenizer), tokenizer);
    const TokenizerPair pair = load_tokenizers(tokenizer);
    return target ? pair.target : pair.source;
  }

  std::string tokenizer, input, output;
  bool ids = false;
  bool target = false;
};

void train(const TrainTokenizerFlags& flags) {
  const TokenizerOptions options{from_name<TokenizerKind>("tokenizer", flags.kind),
                                 from_name<Normalization>("normalization", flags.normalization_name), flags.vocab_size};
  const std::vector<fs::path> files(flags.files.begin(), flags.files.end());
  const auto lines = sample_lines(files, {flags.sample, flags.seed});
  const auto tokenizer = train_tokenizer(options, lines);
  OutputFile output(flags.output);
  output.write(tokenizer->serialised());
  output.finish();
  fmt::print("{}: {} from {}\n", flags.output, counted(tokenizer->size(), "piece"), counted(lines.size(), "line"));
}

// The words of a line of pieces or ids, separated by spaces only.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t from = line.find_first_not_of(' '); from != std::string::npos;) {
    const std::size_t to = std::min(line.find(' ', from), line.size());
    words.push_back(line.substr(from, to - from));
    from = line.find_first_not_of(' ', to);
  }
  return words;
}

int parse_id(const std::string& word, const Tokenizer& tokenizer, Index line) {
  int id = -1;
  try {
    std::size_t used = 0;
    id = std::stoi(word, &used);
    if (used != word.size()) id = -1;
  } catch (const std::logic_error&) {
    id = -1;
  }
  if (id >= 0 && id < tokenizer.size()) return id;
  throw Error(fmt::format("line {}: '{}' is not an id of this tokenizer; ids range from 0 to {}", line, word,
                          tokenizer.size() - 1));
}

std::string encode_line(const std::string& line, const Tokenizer& tokenizer, bool ids) {
  const std::vector<int> tokens = tokenizer.encode(line);
  if (ids) return fmt::format("{}\n", fmt::join(tokens, " "));
  return fmt::format("{}\n", fmt::join(tokenizer.pieces(tokens), " "));
}

std::string decode_line(const std::string& line, const Tokenizer& tokenizer, bool ids, Index number) {
  std::vector<int> tokens;
  for (const std::string& word : words_of(line)) {
    tokens.push_back(ids ? parse_id(word, tokenizer, number) : tokenizer.id_of(word));
  }
  std::string text = tokenizer.decode(tokens);
  // Byte pieces (byte fallback) can spell '\n'; keep the output one line.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + '\n';
}

enum class Direction { encode, decode };

void use(const UseTokenizerFlags& flags, Direction direction) {
  const auto tokenizer = flags.load();
  const auto source = open_lines(flags.input);
  TextOutput output(flags.output);
  Index number = 0;
  for (std::vector<std::string> lines; source->next(lines_at_a_time, lines);) {
    for (const std::string& line : lines) {
      ++number;
      output.write(direction == Direction::encode ? encode_line(line, *tokenizer, flags.ids)
                                                  : decode_line(line, *tokenizer, flags.ids, number));
    }
  }
  output.finish();
}

void add_use(CLI::App& parent, const char* name, const char* help, Direction direction) {
  CLI::App* command = parent.add_subcommand(name, help);
  const auto flags = std::make_shared<UseTokenizerFlags>(*command);
  command->callback([flags, direction] { use(*flags, direction); });
}

}  // namespace

void add_tokenizer_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("tokenizer", "Train and apply tokenizers");
  command->require_subcommand(1);
  CLI::App* learn = command->add_subcommand("train", "Train a tokenizer from text");
  const auto flags = std::make_shared<TrainTokenizerFlags>(*learn);
  learn->callback([flags] { train(*flags); });
  add_use(*command, "encode", "Encode lines of text into pieces", Direction::encode);
  add_use(*command, "decode", "Decode pieces into lines of text", Direction::decode);
}

}  // namespace heed::cli
