// Runs a fuzz target without libFuzzer.
//
//   replay_NAME [COUNT]          the seeds and COUNT mutations of them, always the same ones
//   replay_NAME --write FOLDER   writes the seeds for libFuzzer
//   replay_NAME FILE…            these inputs, as libFuzzer leaves them
#include <array>
#include <charconv>
#include <iostream>
#include <iterator>

#include "base/random.h"
#include "fuzz.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace heed::fuzz {
namespace {

constexpr int default_count = 2000;

std::string current;  // the input being tried

void run(std::string input) {
  current = std::move(input);
  // A copy of the exact size, so that AddressSanitizer sees a read past its end.
  const std::vector<std::uint8_t> bytes(current.begin(), current.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void keep_current() {
  std::ofstream("finding", std::ios::binary) << current;
  std::cerr << "the input is in the file 'finding'\n";
}

// Draws random numbers and mutates inputs with them.
class Alterer {
 public:
  explicit Alterer(std::uint64_t key) : key_(key) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_key(key_, counter_++) % bound; }

  void alter(std::string& input, const std::string& other) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(input.size() - at, 64) + 1);
    switch (below(8)) {
      case 0: flip(input, at); break;
      case 1: input.erase(at, length); break;
      case 2: input.insert(at, input.substr(at, length)); break;
      case 3: input.insert(at, 1 + below(8), static_cast<char>(below(256))); break;
      case 4: overwrite(input, at); break;
      case 5: input.replace(at, length, other.substr(below(other.size() + 1), below(64))); break;
      case 6: input.resize(at); break;
      case 7: replace_number(input, at); break;
    }
  }

 private:
  void flip(std::string& input, std::size_t at) {
    if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << below(8));
  }

  // A binary number at a boundary.
  void overwrite(std::string& input, std::size_t at) {
    const std::uint64_t value = (std::uint64_t{1} << below(64)) - below(3);
    const std::size_t bytes = std::min(std::size_t{1} << below(4), input.size() - at);
    for (std::size_t i = 0; i < bytes; ++i) input[at + i] = static_cast<char>(value >> 8 * i);
  }

  // The next number in text, or a part of it.
  void replace_number(std::string& input, std::size_t at) {
    constexpr std::array values{"-1",
                                "0",
                                "1e99",
                                "4611686018427387904",
                                "9223372036854775807",
                                "18446744073709551615",
                                "65536",
                                "0.5",
                                "true",
                                "null",
                                "\"x\"",
                                "[[[[[["};
    constexpr const char* digits = "0123456789";
    const std::size_t from = input.find_first_of(digits, at);
    if (from == std::string::npos) return;
    const std::size_t to = std::min(input.find_first_not_of(digits, from), input.size());
    input.replace(from, to - from, values[below(values.size())]);
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

void try_alterations(int count) {
  const std::vector<std::string> all = seeds();
  for (const std::string& seed : all) run(seed);
  std::cout << all.size() << " seeds, " << accepted << " accepted\n";
  require(accepted > 0, "no seed is accepted: the mutations would not get far");
  for (int i = 0; i < count; ++i) {
    Alterer alterer(static_cast<std::uint64_t>(i) + 1);
    std::string input = all[alterer.below(all.size())];
    for (std::size_t times = 1 + alterer.below(4); times > 0; --times) {
      alterer.alter(input, all[alterer.below(all.size())]);
    }
    run(std::move(input));
  }
  std::cout << count << " mutations, " << accepted << " accepted with the seeds\n";
}

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : seeds()) {
    std::ofstream(folder / ("seed-" + std::to_string(++number)), std::ios::binary) << seed;
  }
}

void try_file(const char* name) {
  std::ifstream file(name, std::ios::binary);
  run({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace
}  // namespace heed::fuzz

int main(int argc, char** argv) {
  using namespace heed::fuzz;
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);
  const std::string_view first = argc > 1 ? argv[1] : "";
  int count = default_count;
  if (first == "--write" && argc == 3) {
    write_seeds(argv[2]);
  } else if (first.empty() || std::from_chars(first.begin(), first.end(), count).ptr == first.end()) {
    try_alterations(count);
  } else {
    for (int i = 1; i < argc; ++i) try_file(argv[i]);
  }
  return 0;
}
