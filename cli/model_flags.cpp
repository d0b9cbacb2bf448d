#include "cli/model_flags.h"

#include <fmt/format.h>

namespace heed::cli {
namespace {

constexpr const char* group = "Model";

bool is_vocabulary(std::string_view name) { return name == "source-vocab-size" || name == "target-vocab-size"; }

}  // namespace

ModelFlags::ModelFlags(CLI::App& command, std::string preset)
    : preset_(std::move(preset)),
      preset_flag_(command.add_option("--preset", preset_, "Model size: tiny, small, base or big")
                       ->group(group)
                       ->capture_default_str()),
      fields_(command, group) {
  check_whole(command.add_option("--vocab-size", vocab_size_, "Size of the shared vocabulary")->group(group),
              vocab_size_)
      ->capture_default_str();
  mixer_flag_ = command.add_option("--mixer", mixer_, "Mixer kinds in both encoder and decoder")->group(group);
}

Config ModelFlags::config() const { return config(source_vocab_size(), target_vocab_size()); }

Config ModelFlags::config(Index source_vocab, Index target_vocab) const {
  Config c = preset(preset_);
  c.source_vocab = source_vocab;
  c.target_vocab = target_vocab;
  if (separate_by_default_) c.tie = Tie::target;
  return with_flags(c);
}

Config ModelFlags::changed(const Config& from) const {
  return preset_flag_->count() > 0 ? config(from.source_vocab, from.target_vocab) : with_flags(from);
}

Config ModelFlags::with_flags(Config c) const {
  if (mixer_flag_->count() > 0) c.encoder_mixer = c.decoder_mixer = FieldText<MixerKinds>::parse("mixer", mixer_);
  fields_.apply(c, [](std::string_view name) { return !is_vocabulary(name); });
  check(c);
  return c;
}

bool ModelFlags::separate_vocabularies() const {
  return separate_by_default_ || fields_.given("source-vocab-size") || fields_.given("target-vocab-size");
}

Index ModelFlags::vocabulary(Index Config::*side) const {
  Config c;
  c.source_vocab = c.target_vocab = vocab_size_;
  fields_.apply(c, is_vocabulary);
  return c.*side;
}

}  // namespace heed::cli
