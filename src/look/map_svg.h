// One attention map as an SVG figure for a paper: rows are what looks, columns what is looked at.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace heed::look {

struct MapFigure {
  std::string title;
  std::vector<std::string> rows, columns;
  std::vector<float> weights;  // (rows, columns)
};

// White is 0 and dark blue 1; cells hold their weight to two digits where there is room for it.
std::string render_svg(const MapFigure& figure);

}  // namespace heed::look
