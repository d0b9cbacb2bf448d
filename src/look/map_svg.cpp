#include "look/map_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text/utf8.h"

namespace heed::look {
namespace {

constexpr double label_size = 12.0;
constexpr double title_height = 34.0;
// Wide enough for what most pieces are; a longer label is cut short.
constexpr std::size_t longest_label = 18;
constexpr double character_width = 7.4;
constexpr double wide_character_width = 12.4;  // Hangul, Kana and Chinese characters

// Lightness falls evenly from white.
constexpr std::array<std::array<int, 3>, 5> ramp{
    {{255, 255, 255}, {211, 227, 247}, {143, 186, 232}, {63, 127, 201}, {11, 61, 120}}};

std::string color_of(float weight) {
  const double place = std::clamp(static_cast<double>(weight), 0.0, 1.0) * (ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
  const double share = place - static_cast<double>(below);
  std::array<int, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c) {
    rgb[c] = static_cast<int>(std::lround(ramp[below][c] + share * (ramp[below + 1][c] - ramp[below][c])));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

// Text in XML: markup is spelt out, and control characters, which XML forbids, are shown as U+FFFD.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : replace_invalid_utf8(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\xef\xbf\xbd";
        } else {
          out += c;
        }
    }
  }
  return out;
}

struct Label {
  std::string text;
  double width = 0.0;
};

Label label_of(const std::string& piece) {
  Label label;
  std::size_t characters = 0;
  const std::string text = replace_invalid_utf8(piece);
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (++characters > longest_label) {
      label.text += "…";
      label.width += character_width;
      break;
    }
    label.text += text.substr(i, bytes);
    label.width += bytes >= 3 && text.compare(i, 3, "▁") != 0 ? wide_character_width : character_width;
    i += bytes;
  }
  return label;
}

double widest(const std::vector<Label>& labels) {
  double most = 0.0;
  for (const Label& label : labels) most = std::max(most, label.width);
  return most;
}

std::vector<Label> labels_of(const std::vector<std::string>& pieces) {
  std::vector<Label> labels;
  for (const std::string& piece : pieces) labels.push_back(label_of(piece));
  return labels;
}

}  // namespace

std::string render_svg(const MapFigure& figure) {
  const std::vector<Label> rows = labels_of(figure.rows);
  const std::vector<Label> columns = labels_of(figure.columns);
  const double cell = std::clamp(640.0 / static_cast<double>(std::max(rows.size(), columns.size())), 10.0, 30.0);
  const double left = widest(rows) + 16.0;
  const double top = title_height + 0.88 * widest(columns) + 16.0;
  // The last column's label leans out to the right.
  const double width = left + cell * static_cast<double>(columns.size()) + 0.5 * widest(columns) + 12.0;
  const double height = top + cell * static_cast<double>(rows.size()) + 12.0;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"'Noto Sans', 'Noto Sans KR', 'DejaVu Sans', sans-serif\" font-size=\"{2:.0f}\">\n"
      "<title>{3}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"12\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{3}</text>\n",
      width, height, label_size, xml_text(figure.title));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    svg += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-60)\">{}</text>\n",
                       left + cell * (static_cast<double>(j) + 0.6), top - 6.0, xml_text(columns[j].text));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = top + cell * static_cast<double>(i);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" dominant-baseline=\"central\">{}</text>\n",
                       left - 8.0, y + cell / 2, xml_text(rows[i].text));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const float weight = figure.weights[i * columns.size() + j];
      const double x = left + cell * static_cast<double>(j);
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                         cell, cell, color_of(weight));
      if (cell < 24.0 || weight < 0.005f) continue;
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" dominant-baseline=\"central\" font-size=\"9\" "
          "fill=\"{}\">{:.2f}</text>\n",
          x + cell / 2, y + cell / 2, weight > 0.55f ? "#ffffff" : "#1b1f24", weight);
    }
  }
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#5a626d\"/>\n</svg>\n",
      left, top, cell * static_cast<double>(columns.size()), cell * static_cast<double>(rows.size()));
  return svg;
}

}  // namespace heed::look
