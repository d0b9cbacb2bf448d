// The marks that menus and buttons carry in front of the letter that a key presses: _File, &File, ~File, and behind a
// label that has no such letter, 파일(_F).
#pragma once

#include <string>

namespace heed::gettext {

// Takes the marks out of a label and its translation. A mark that could as well belong to a name (file_name, AT&T)
// stays.
void remove_accelerators(std::string& source, std::string& target);

}  // namespace heed::gettext
