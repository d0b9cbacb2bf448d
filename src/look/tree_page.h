// Pictures of parse trees as one self-contained page: web/trees.html with its data.
#pragma once

#include <span>
#include <string>

#include "heed/parser.h"

namespace heed::look {

std::string render_trees(std::span<const Parse> parses);

}  // namespace heed::look
