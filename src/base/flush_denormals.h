// RAII: arithmetic on this thread treats denormal numbers as zero (FTZ and DAZ).
//
// Denormals make a product a hundred times slower. Every thread that computes must hold one, or results would
// depend on which thread did the work.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace heed {

class FlushDenormals {
 public:
  FlushDenormals() : saved_(control()) { set_control(saved_ | flush_bits); }
  ~FlushDenormals() { set_control(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  using Control = std::uint32_t;
  static constexpr Control flush_bits = 0x8040;  // flush results to zero, read denormals as zero
  static Control control() { return _mm_getcsr(); }
  static void set_control(Control bits) { _mm_setcsr(bits); }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  static constexpr Control flush_bits = Control{1} << 24;
  static Control control() {
    Control bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void set_control(Control bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
#error "heed runs on x86-64 and 64-bit ARM"
#endif

  Control saved_;
};

}  // namespace heed
