// heed look: a page on which a person can watch a model translate, or the same numbers as JSON or SVG.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/figures.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/load_flags.h"
#include "cli/scoring_flags.h"
#include "cli/text_output.h"
#include "look/look_page.h"
#include "look/map_svg.h"
#include "text/utf8.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

// Bytes that a page may have before it leaves out the numbers of single heads.
constexpr std::size_t page_budget = 5'500'000;
// Sentences of one page.
constexpr std::size_t most_sentences = 100;

enum class Attribution { raw, rollout };

// Heads as --heads names them: PART.LAYER.HEAD, PART.LAYER for all of a layer, or all; numbers from 1.
struct HeadChoice {
  bool all = false;
  AttentionPart part = AttentionPart::encoder;
  int layer = 0;                 // from 0
  std::optional<int> head = {};  // from 0; none: all of the layer
};

[[noreturn]] void refuse_heads(const std::string& text) {
  throw SettingError("heads", fmt::format("heads is '{}'; write PART.LAYER.HEAD or PART.LAYER with encoder, decoder or "
                                          "cross and numbers from 1, such as cross.2.4, or all",
                                          text));
}

int number_from_one(std::string_view digits, const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1) refuse_heads(text);
  return number - 1;
}

HeadChoice parse_heads(const std::string& text) {
  if (text == "all") return {.all = true};
  const std::size_t first = text.find('.');
  if (first == std::string::npos) refuse_heads(text);
  HeadChoice choice;
  const std::string part = text.substr(0, first);
  if (part == "decoder") {
    choice.part = AttentionPart::decoder;
  } else if (part == "cross") {
    choice.part = AttentionPart::cross;
  } else if (part != "encoder") {
    refuse_heads(text);
  }
  const std::string_view rest = std::string_view(text).substr(first + 1);
  const std::size_t second = rest.find('.');
  choice.layer = number_from_one(rest.substr(0, second), text);
  if (second != std::string_view::npos) choice.head = number_from_one(rest.substr(second + 1), text);
  return choice;
}

struct LookFlags {
  explicit LookFlags(CLI::App& command) : model(command), scoring(command) {
    command.get_option("--model")->required(false)->allow_extra_args(false);
    command.add_option("text", texts, "Sentences to look at [lines of standard input]");
    command.add_option("-o,--output", output, "File to write [look.html; with --json and --svg standard output]");
    command.add_option("--target", target, "Look at this translation instead of the model's own");
    command.add_option("--beam", beam, "Hypotheses kept; 1: greedy [the model's, or 4]");
    command
        .add_option(
            "--heads", heads,
            "Heads whose queries, keys and values are shown step by step: PART.LAYER.HEAD or PART.LAYER, such as "
            "cross.2.4, or all [all that fit into 6 MB]")
        ->type_name("HEAD");
    command.add_option("--attribution", attribution, "Which sources mattered: raw attention or rollout")
        ->capture_default_str();
    command.add_flag("--no-silence", no_silence, "Do not translate again without each head");
    CLI::Option* json_option = command.add_flag("--json", json, "Write the raw numbers as one JSON object");
    command.add_flag("--svg", svg, "Write one map as a figure: the layer or head of --heads, or the attribution")
        ->excludes(json_option);
    command.add_flag("--positions", positions, "Write the page on positional encodings, which needs no model");
  }

  LoadFlags model;
  ScoringFlags scoring;
  std::vector<std::string> texts;
  std::string output;
  std::string target;
  std::optional<int> beam;
  std::vector<std::string> heads;
  std::string attribution = "raw";
  bool no_silence = false;
  bool json = false;
  bool svg = false;
  bool positions = false;
};

Attribution parse_attribution(const std::string& name) {
  if (name == "raw") return Attribution::raw;
  if (name == "rollout") return Attribution::rollout;
  throw SettingError("attribution", fmt::format("attribution is '{}'; choose one of raw, rollout", name));
}

std::vector<std::string> read_texts(const LookFlags& flags) {
  std::vector<std::string> texts = flags.texts;
  if (texts.empty()) {
    const std::unique_ptr<LineSource> lines = open_lines("");
    for (std::vector<std::string> more; lines->next(static_cast<Index>(most_sentences) + 1, more);) {
      for (std::string& line : more) {
        if (!is_blank(line)) texts.push_back(std::move(line));
      }
      if (texts.size() > most_sentences) break;
    }
  }
  if (texts.empty()) throw Error("there is no sentence to look at; write one after the model");
  if (texts.size() > most_sentences) {
    throw Error(fmt::format("more than {} sentences; look at fewer at a time", most_sentences));
  }
  if (!flags.target.empty() && texts.size() > 1) {
    throw SettingError("target", "target belongs to a single sentence; pass one");
  }
  if (flags.svg && texts.size() > 1) throw SettingError("svg", "svg draws a single sentence; pass one");
  return texts;
}

std::vector<HeadPlace> places_of(const std::vector<HeadChoice>& choices, const Inspector::Model& model) {
  std::vector<HeadPlace> places;
  for (const HeadChoice& choice : choices) {
    const auto& layers = choice.part == AttentionPart::encoder ? model.encoder : model.decoder;
    const auto layer = static_cast<std::size_t>(choice.layer);
    const int heads = layer >= layers.size()                ? 0
                      : choice.part == AttentionPart::cross ? model.heads
                                                            : layers[layer].heads;
    if (choice.head) {
      places.push_back({choice.part, choice.layer, *choice.head});
    } else {
      // A layer that is not there is refused by name where its first head is looked for.
      for (int head = 0; head < std::max(heads, 1); ++head) places.push_back({choice.part, choice.layer, head});
    }
  }
  return places;
}

std::size_t base64_bytes(std::size_t numbers) { return numbers * sizeof(float) * 4 / 3; }

std::size_t count(const HeadNumbers& head) { return head.query.size() + head.key.size() + head.value.size(); }

std::size_t map_numbers(const Inspection& seen) {
  std::size_t all = seen.rollout.size();
  for (const auto* part : {&seen.maps.encoder, &seen.maps.decoder, &seen.maps.cross}) {
    for (const AttentionMaps& maps : *part) all += maps.weights.size();
  }
  return all;
}

// How soon a head is left out of a page that grows too large: the last layer but one, where words are aligned, stays
// longest, and cross-attention longer than the rest.
std::pair<int, int> importance(const HeadPlace& place, const Inspector::Model& model) {
  const auto layers = static_cast<int>((place.part == AttentionPart::encoder ? model.encoder : model.decoder).size());
  return {std::abs(place.layer - std::max(layers - 2, 0)), -static_cast<int>(place.part)};
}

// Leaves out heads, the same of every sentence, until the page fits its budget; returns how many stay.
std::size_t fit_numbers(std::vector<Inspection>& all, const Inspector::Model& model) {
  std::size_t bytes = 0;
  for (const Inspection& seen : all) bytes += base64_bytes(map_numbers(seen));
  std::vector<HeadPlace> order;
  for (const HeadNumbers& head : all[0].numbers) order.push_back(head.place);
  std::ranges::stable_sort(order, {}, [&](const HeadPlace& place) { return importance(place, model); });
  std::size_t kept = 0;
  for (; kept < order.size(); ++kept) {
    for (const Inspection& seen : all) {
      for (const HeadNumbers& head : seen.numbers) {
        if (head.place == order[kept]) bytes += base64_bytes(count(head));
      }
    }
    if (bytes > page_budget) break;
  }
  order.resize(kept);
  for (Inspection& seen : all) {
    std::erase_if(seen.numbers,
                  [&](const HeadNumbers& head) { return std::ranges::find(order, head.place) == order.end(); });
  }
  return kept;
}

std::vector<float> mean_of_heads(const AttentionMaps& maps) {
  const std::size_t size = maps.weights.size() / static_cast<std::size_t>(maps.heads);
  std::vector<float> mean(size);
  for (std::size_t i = 0; i < maps.weights.size(); ++i)
    mean[i % size] += maps.weights[i] / static_cast<float>(maps.heads);
  return mean;
}

// The decoder's inputs: the target shifted right by one.
std::vector<std::string> decoder_inputs(const PieceText& target) {
  std::vector<std::string> inputs{"<s>"};
  inputs.insert(inputs.end(), target.pieces.begin(), target.pieces.end() - 1);
  return inputs;
}

look::MapFigure rollout_figure(const Inspection& seen) {
  if (seen.rollout.empty()) {
    throw SettingError("attribution", "attribution is rollout, and a layer of this model has no attention; choose raw");
  }
  look::MapFigure figure{"Attention rollout", seen.target.pieces, decoder_inputs(seen.target), seen.rollout};
  figure.columns.insert(figure.columns.end(), seen.source.pieces.begin(), seen.source.pieces.end());
  return figure;
}

look::MapFigure map_figure(const Inspection& seen, const HeadChoice& choice) {
  const auto& layers = choice.part == AttentionPart::encoder   ? seen.maps.encoder
                       : choice.part == AttentionPart::decoder ? seen.maps.decoder
                                                               : seen.maps.cross;
  const auto layer = static_cast<std::size_t>(choice.layer);
  const std::string part(name_of(choice.part));
  if (layer >= layers.size() || layers[layer].heads == 0 || (choice.head && *choice.head >= layers[layer].heads)) {
    throw SettingError("heads",
                       fmt::format("heads is {}.{}{}, which this model does not have; 'heed model describe' "
                                   "lists its layers",
                                   part, choice.layer + 1, choice.head ? fmt::format(".{}", *choice.head + 1) : ""));
  }
  const AttentionMaps& maps = layers[layer];
  look::MapFigure figure;
  figure.title = fmt::format("{}, layer {}, {}", part, choice.layer + 1,
                             choice.head ? fmt::format("head {}", *choice.head + 1) : "mean of the heads");
  figure.rows = choice.part == AttentionPart::encoder ? seen.source.pieces : seen.target.pieces;
  figure.columns = choice.part == AttentionPart::decoder ? decoder_inputs(seen.target) : seen.source.pieces;
  figure.weights = mean_of_heads(maps);
  if (choice.head) {
    const std::size_t size = figure.weights.size();
    const auto first =
        maps.weights.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(*choice.head) * size);
    figure.weights.assign(first, first + static_cast<std::ptrdiff_t>(size));
  }
  return figure;
}

// What the flags ask for, checked before the model is loaded.
struct Wishes {
  explicit Wishes(const LookFlags& flags) : attribution(parse_attribution(flags.attribution)) {
    if (flags.model.folders.size() > 1) throw SettingError("model", "look looks into one model at a time; pass one");
    if (flags.model.folders.empty()) throw CLI::RequiredError("--model");
    for (const std::string& text : flags.heads) heads.push_back(parse_heads(text));
    if (flags.svg && (heads.size() > 1 || (!heads.empty() && heads[0].all))) {
      throw SettingError("heads", "svg draws a single map; pass one head or one layer");
    }
    texts = read_texts(flags);
  }

  bool all_heads() const { return std::ranges::any_of(heads, &HeadChoice::all); }

  Attribution attribution;
  std::vector<HeadChoice> heads;
  std::vector<std::string> texts;
};

std::vector<Inspection> inspect_all(const Inspector& inspector, const LookFlags& flags, const Wishes& wishes,
                                    const SearchOptions& search) {
  constexpr Index steps = 1000;
  InspectOptions options;
  options.search = search;
  options.target = flags.target;
  options.silence = !flags.no_silence && !flags.svg;
  options.all_numbers = !flags.svg && (wishes.heads.empty() || wishes.all_heads());
  if (!options.all_numbers && !flags.svg) options.numbers = places_of(wishes.heads, inspector.model());
  Progress progress("looking", steps * static_cast<Index>(wishes.texts.size()), 0, QuickWork::silent);
  std::vector<Inspection> all;
  for (std::size_t i = 0; i < wishes.texts.size(); ++i) {
    options.progress = [&](double share) {
      progress.show(steps * static_cast<Index>(i) + static_cast<Index>(share * steps));
    };
    try {
      all.push_back(inspector.inspect(wishes.texts[i], options));
    } catch (const Error& error) {
      if (wishes.texts.size() == 1) throw;
      throw Error(fmt::format("sentence {}: {}", i + 1, error.what()));
    }
  }
  return all;
}

void write(const std::string& path, const std::string& text) {
  TextOutput output(path);
  output.write(text);
  output.finish();
}

void write_svg(const LookFlags& flags, const Wishes& wishes, const Inspection& seen) {
  const int last_but_one = std::max(static_cast<int>(seen.maps.cross.size()) - 2, 0);
  const HeadChoice usual{.part = AttentionPart::cross, .layer = last_but_one};
  write(flags.output, look::render_svg(wishes.attribution == Attribution::rollout
                                           ? rollout_figure(seen)
                                           : map_figure(seen, wishes.heads.empty() ? usual : wishes.heads[0])));
}

std::string model_name(const fs::path& folder) {
  const fs::path path = fs::weakly_canonical(folder);
  return path.filename().string();
}

void write_page(const LookFlags& flags, const look::LookData& data) {
  const std::string path = flags.output.empty() ? "look.html" : flags.output;
  write(path, look::render_page(data));
  say(fmt::format("heed: '{}' is ready; open it in a browser", path));
}

void look_at(const LookFlags& flags) {
  if (flags.positions) return write_page(flags, look::LookData(look::Arrays::blocks));
  const Wishes wishes(flags);
  const Inspector inspector(flags.model.folders[0], flags.model.options);
  SearchOptions search = flags.scoring.over(inspector.default_options());
  if (flags.beam) search.beam = *flags.beam;
  search.n_best = search.beam;
  std::vector<Inspection> all = inspect_all(inspector, flags, wishes, search);
  if (flags.svg) return write_svg(flags, wishes, all[0]);
  const std::size_t heads = all[0].numbers.size();
  const std::size_t kept = flags.json || !wishes.heads.empty() ? heads : fit_numbers(all, inspector.model());
  look::LookData data(flags.json ? look::Arrays::nested : look::Arrays::blocks);
  data.set_model(model_name(flags.model.folders[0]), inspector.model(), search);
  for (const Inspection& seen : all) data.add(seen);
  if (flags.json) return write(flags.output, data.text());
  write_page(flags, data);
  if (kept < heads) {
    say(fmt::format("heed: step by step the page shows {} of {} heads, to stay below 6 MB; choose others with --heads",
                    kept, heads));
  }
}

}  // namespace

void add_look_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("look", "See inside a model while it translates: one page to open");
  const auto flags = std::make_shared<LookFlags>(*command);
  command->callback([flags] { look_at(*flags); });
}

}  // namespace heed::cli
