// The explorer as one self-contained file: web/look.html with its data.
#pragma once

#include <string>

#include "look/look_data.h"

namespace heed::look {

std::string render_page(const LookData& data);

}  // namespace heed::look
