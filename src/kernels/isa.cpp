#include "kernels/isa.h"

#include <algorithm>
#include <cstdlib>

#include "heed/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace heed::kernels {
namespace {

struct Level {
  const char* name;
  std::int64_t target;
};

#if HWY_ARCH_X86
constexpr Level levels[] = {{"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};
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

}  // namespace

std::vector<std::string> available_isas() {
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<std::string> names;
  for (const Level& level : levels) {
    if ((supported & level.target) != 0) names.emplace_back(level.name);
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
    if (level.name == name) hwy::SetSupportedTargetsForTest(level.target);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

bool has_vnni() noexcept {
#if HWY_ARCH_X86
  static const bool machine_has = __builtin_cpu_supports("avx512vnni") != 0;
  return machine_has && (hwy::SupportedTargets() & HWY_AVX3) != 0;
#else
  return false;
#endif
}

std::string isa_name() {
  const std::int64_t supported = hwy::SupportedTargets();
  for (const Level& level : levels) {
    if ((supported & level.target) != 0) return level.name;
  }
  return "none";
}

}  // namespace heed::kernels
