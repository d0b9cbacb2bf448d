#include "bench/onednn.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>

#include "kernels/isa.h"

namespace heed::bench {
namespace {

const char* onednn_name(const std::string& isa) {
  if (isa == "sse4") return "SSE41";
  if (isa == "avx2") return "AVX2";
  return "ALL";
}

}  // namespace

OneDnn::OneDnn() {
  // Must be set before the first call; nothing else in this process uses oneDNN.
  setenv("DNNL_MAX_CPU_ISA", onednn_name(kernels::isa_name()), 1);
  void* library = dlopen(("libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  sgemm_ = dlsym(library, "dnnl_sgemm");
  version_ = dlsym(library, "dnnl_version");
  if (void* openmp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL); openmp != nullptr) {
    set_threads_ = dlsym(openmp, "omp_set_num_threads");
  }
}

std::string OneDnn::version() const {
  if (version_ == nullptr) return "not installed";
  const dnnl_version_t* v = reinterpret_cast<decltype(&dnnl_version)>(version_)();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

void OneDnn::set_threads(int threads) const {
  if (set_threads_ != nullptr) reinterpret_cast<void (*)(int)>(set_threads_)(threads);
}

void OneDnn::multiply(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                      const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, bool add, float* c,
                      std::int64_t c_stride) const {
  reinterpret_cast<decltype(&dnnl_sgemm)>(sgemm_)(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0f, a,
                                                  a_stride, b, b_stride, add ? 1.0f : 0.0f, c, c_stride);
}

}  // namespace heed::bench
