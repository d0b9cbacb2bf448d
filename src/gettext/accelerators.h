// Keyboard accelerators (mnemonics) in menu and button labels: a mark before the letter, as in _File, &File, ~File, or
// after a label that lacks the letter, as in 파일(_F).
#pragma once

#include <string>

namespace heed::gettext {

// Removes the marks from a label and its translation. A mark that may be part of a name (file_name, AT&T) is kept.
void remove_accelerators(std::string& source, std::string& target);

}  // namespace heed::gettext
