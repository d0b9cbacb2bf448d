#include "kernels/isa.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "heed/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace heed::kernels {
namespace {

struct Level {
  const char* name;
  std::int64_t target;
  bool vnni = false;
};

#if HWY_ARCH_X86
constexpr Level levels[] = {{"vnni", HWY_AVX3, true}, {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};
constexpr const char* oldest = "SSE4.2 and AES (x86 processors since about 2011)";
#else
constexpr Level levels[] = {{"neon", HWY_NEON}};
constexpr const char* oldest = "NEON with AES";
#endif

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool machine_has_vnni() {
#if HWY_ARCH_X86
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

bool vnni_chosen = machine_has_vnni();

bool is_chosen(const Level& level) {
  return (hwy::SupportedTargets() & level.target) != 0 && (vnni_chosen || !level.vnni);
}

}  // namespace

std::vector<std::string> available_isas() {
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<std::string> names;
  for (const Level& level : levels) {
    if ((supported & level.target) != 0 && (machine_has_vnni() || !level.vnni)) names.emplace_back(level.name);
  }
  return names;
}

void choose_isa() {
  const std::vector<std::string> available = available_isas();
  if (available.empty()) {
    throw Error(std::string("this processor is too old for heed: it lacks ") + oldest + "; use a newer machine");
  }
  const char* wanted = std::getenv("HEED_ISA");
  const std::string name = wanted == nullptr || *wanted == '\0' ? available.front() : wanted;
  if (std::find(available.begin(), available.end(), name) == available.end()) {
    throw Error("HEED_ISA='" + name + "': this processor has " + joined(available) + "; name one of them or unset it");
  }
  for (const Level& level : levels) {
    if (level.name != name) continue;
    hwy::SetSupportedTargetsForTest(level.target);
    vnni_chosen = level.vnni;
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

bool has_vnni() noexcept { return levels[0].vnni && is_chosen(levels[0]); }

std::string isa_name() {
  const Level* level = std::find_if(std::begin(levels), std::end(levels), is_chosen);
  return level == std::end(levels) ? "none" : level->name;
}

}  // namespace heed::kernels
