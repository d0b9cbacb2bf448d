// Translates standard input line by line. Usage: translate MODEL <in.txt >out.txt
#include <heed/translator.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const heed::Translator translator(argv[1]);
    for (std::string line; std::getline(std::cin, line);) std::cout << translator.translate(line).text << std::endl;
  } catch (const heed::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
