#include "gettext/gettext.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "gettext/accelerators.h"
#include "heed/error.h"
#include "text/controls.h"
#include "text/markup.h"

namespace heed::gettext {
namespace {

namespace fs = std::filesystem;

// "ko", "ko_KR" and "ko_KR.UTF-8" are Korean; "kok" is not. "sr@latin" and "sr" are different languages.
bool is_locale_of(const std::string& locale, const std::string& language) {
  const auto modifier = [](const std::string& name) { return name.substr(std::min(name.find('@'), name.size())); };
  if (modifier(locale) != modifier(language)) return false;
  const std::string wanted = language.substr(0, language.find('@'));
  const std::string base = locale.substr(0, locale.find_first_of(".@"));
  return base == wanted || base.starts_with(fmt::format("{}_", wanted));
}

bool is_catalogue_of(const fs::path& path, const std::string& language) {
  if (path.extension() != ".mo") return false;
  const fs::path folder = path.parent_path();
  if (folder.filename() == "LC_MESSAGES") return is_locale_of(folder.parent_path().filename().string(), language);
  return is_locale_of(path.stem().string(), language);
}

// Collapses runs of white space to one space and trims the ends.
std::string tidied(std::string_view line) {
  std::string tidy;
  for (const char c : without_controls(line)) {
    if (c != ' ' && c != '\t') {
      tidy += c;
    } else if (!tidy.empty() && tidy.back() != ' ') {
      tidy += ' ';
    }
  }
  if (tidy.ends_with(' ')) tidy.pop_back();
  return tidy;
}

// The lines of a text, without blank ones at its ends.
std::vector<std::string> tidy_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(tidied(text.substr(start, end - start)));
    start = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(), [](const auto& line) { return !line.empty(); }));
  return lines;
}

// These messages are "translated" as the names and addresses of translators.
bool is_credits(const std::string& id) {
  return id == "translator-credits" || id == "translator_credits" || id == "Your names" || id == "Your emails";
}

}  // namespace

const char* title_of(Discard discard) {
  switch (discard) {
    case Discard::untranslated: return "not translated";
    case Discard::identical: return "identical to the English";
    case Discard::duplicate: return "duplicates";
    case Discard::placeholders: return "placeholders differ";
    case Discard::lines: return "different number of lines";
    case Discard::plurals: return "plural forms do not match";
    case Discard::credits: return "translator credits";
    case Discard::broken: return "invalid in the catalogue's charset";
  }
  return "";
}

std::vector<fs::path> find_catalogues(const fs::path& path, const std::string& language) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw Error(fmt::format("'{}': no such file or folder; check the name", path.string()));
  }
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> found;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone) && is_catalogue_of(entry->path(), language)) found.push_back(entry->path());
  }
  if (error) {
    throw Error(
        fmt::format("'{}': cannot read the folder ({}); check the permissions", path.string(), error.message()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void MessageCorpus::add(const Catalogue& catalogue) {
  messages_ += static_cast<Index>(catalogue.messages.size()) + catalogue.broken;
  discarded_[static_cast<std::size_t>(Discard::broken)] += catalogue.broken;
  for (const Message& message : catalogue.messages) add_message(message, catalogue.plural_forms);
}

void MessageCorpus::add_message(const Message& message, const std::optional<PluralForms>& plural_forms) {
  if (is_credits(message.id)) return discard(Discard::credits);
  if (message.plural_id.empty()) return add_text(message.id, message.forms.front());
  if (message.forms.size() > 1) {
    // Two forms without a rule are singular and plural, as in English.
    const PluralForms forms = plural_forms.value_or(PluralForms{0, message.forms.size() == 2 ? 1u : 0u});
    if (forms.one == forms.many || std::max(forms.one, forms.many) >= message.forms.size()) {
      return discard(Discard::plurals);
    }
    add_text(message.id, message.forms[forms.one]);
    add_text(message.plural_id, message.forms[forms.many]);
    return;
  }
  // A language with a single form includes the number, where English may spell out "one".
  const bool singular_fits = placeholders(message.id) == placeholders(message.forms.front());
  add_text(singular_fits ? message.id : message.plural_id, message.forms.front());
}

void MessageCorpus::add_text(std::string source, std::string target) {
  remove_accelerators(source, target);
  const std::vector<std::string> source_lines = tidy_lines(source);
  const std::vector<std::string> target_lines = tidy_lines(target);
  if (source_lines.empty() || target_lines.empty()) return discard(Discard::untranslated);
  if (source_lines.size() != target_lines.size()) return discard(Discard::lines);
  for (std::size_t i = 0; i < source_lines.size(); ++i) {
    // A blank line on one side only shows that the lines do not correspond.
    if (source_lines[i].empty() != target_lines[i].empty()) return discard(Discard::lines);
    if (placeholders(source_lines[i]) != placeholders(target_lines[i])) return discard(Discard::placeholders);
  }
  for (std::size_t i = 0; i < source_lines.size(); ++i) {
    if (!source_lines[i].empty()) add_line(source_lines[i], target_lines[i]);
  }
}

void MessageCorpus::add_line(std::string source, std::string target) {
  if (source == target) return discard(Discard::identical);
  const std::uint64_t fingerprint = random_key(hash_of(source), hash_of(target));
  if (seen_.add(fingerprint, static_cast<Index>(pairs_.size()) + 1)) return discard(Discard::duplicate);
  pairs_.emplace_back(std::move(source), std::move(target));
}

}  // namespace heed::gettext
