# Embeds a file into the program as C++ source:
#
#   cmake -D INPUT=web/report.html -D OUTPUT=report_page.cpp -D FUNCTION=report_page -P scripts/embed.cmake
#
# defines std::string_view heed::report_page(). In an HTML page, local style sheets and scripts are inlined: lines
# <link rel="stylesheet" href="…"> and <script src="…"></script> that name files in the same folder.
get_filename_component(folder "${INPUT}" DIRECTORY)
file(READ "${INPUT}" content HEX)
if(INPUT MATCHES "\\.html$")
  file(READ "${INPUT}" page)
  foreach(part style script)
    if(part STREQUAL style)
      set(pattern "<link rel=\"stylesheet\" href=\"([^\":]+)\">")
    else()
      set(pattern "<script src=\"([^\":]+)\"></script>")
    endif()
    while(page MATCHES "${pattern}")
      set(tag "${CMAKE_MATCH_0}")
      file(READ "${folder}/${CMAKE_MATCH_1}" text)
      # Indentation and lines of comment are for readers of the source; they would be an eighth of the page.
      string(REGEX REPLACE "\n +" "\n" text "${text}")
      string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
      string(REPLACE "${tag}" "<${part}>\n${text}</${part}>" page "${page}")
    endwhile()
  endforeach()
  string(HEX "${page}" content)
endif()
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${content}")
file(WRITE "${OUTPUT}"
  "// Generated from ${INPUT} by scripts/embed.cmake.\n"
  "#include <string_view>\n\n"
  "namespace heed {\n\n"
  "namespace {\n"
  "constexpr char ${FUNCTION}_bytes[] = {${bytes}};\n"
  "}  // namespace\n\n"
  "std::string_view ${FUNCTION}();\n"
  "std::string_view ${FUNCTION}() { return {${FUNCTION}_bytes, sizeof(${FUNCTION}_bytes)}; }\n\n"
  "}  // namespace heed\n")
