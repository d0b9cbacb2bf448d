#include "interchange/stored_tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "heed/error.h"

namespace heed::interchange {
namespace {

template <class T>
T read(std::string_view bytes, Index position) {
  T value;
  std::memcpy(&value, bytes.data() + position * static_cast<Index>(sizeof value), sizeof value);
  return value;
}

// Every half-precision number is one of single precision.
float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -small : small;
  }
  constexpr std::uint32_t bias = 127 - 15, most = 0x1f, largest = 0xff;
  const std::uint32_t wide = exponent == most ? largest : exponent + bias;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace

Index bytes_of(StoredForm form) {
  switch (form) {
    case StoredForm::int8: return 1;
    case StoredForm::f16:
    case StoredForm::bf16:
    case StoredForm::int16: return 2;
    case StoredForm::f32:
    case StoredForm::int32: return 4;
    case StoredForm::int64: return 8;
  }
  return 0;
}

const char* name_of(StoredForm form) {
  switch (form) {
    case StoredForm::f32: return "f32";
    case StoredForm::f16: return "f16";
    case StoredForm::bf16: return "bf16";
    case StoredForm::int8: return "int8";
    case StoredForm::int16: return "int16";
    case StoredForm::int32: return "int32";
    case StoredForm::int64: return "int64";
  }
  return "";
}

Index StoredTensor::size() const { return static_cast<Index>(bytes.size()) / bytes_of(form); }

Index StoredTensor::rows() const { return cols() == 0 ? 0 : size() / cols(); }

std::int8_t StoredTensor::integer(Index position) const {
  return static_cast<std::int8_t>(bytes[static_cast<std::size_t>(position)]);
}

std::int64_t StoredTensor::whole(Index position) const {
  switch (form) {
    case StoredForm::int8: return integer(position);
    case StoredForm::int16: return read<std::int16_t>(bytes, position);
    case StoredForm::int32: return read<std::int32_t>(bytes, position);
    default: return read<std::int64_t>(bytes, position);
  }
}

float StoredTensor::number(Index position) const {
  switch (form) {
    case StoredForm::f32: return read<float>(bytes, position);
    case StoredForm::f16: return from_half(read<std::uint16_t>(bytes, position));
    case StoredForm::bf16: return std::bit_cast<float>(std::uint32_t{read<std::uint16_t>(bytes, position)} << 16);
    default: break;
  }
  const auto value = static_cast<float>(whole(position));
  if (scales.empty()) return value;
  return value / scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(position / cols())];
}

bool same_numbers(const StoredTensor& a, const StoredTensor& b) {
  return a.form == b.form && a.shape == b.shape && a.scales == b.scales &&
         (a.bytes.data() == b.bytes.data() || a.bytes == b.bytes);
}

void check_size(const StoredTensor& tensor, const std::string& place) {
  constexpr std::size_t most_dimensions = 8;
  if (tensor.shape.size() > most_dimensions) throw Error(fmt::format("{} has too many dimensions", place));
  // By division, so that no product overflows.
  const auto most = static_cast<Index>(tensor.bytes.size()) / bytes_of(tensor.form);
  Index count = 1;
  for (const Index size : tensor.shape) {
    if (size < 0 || (size > 0 && count > most / size)) {
      throw Error(fmt::format("{} is larger than the file; fetch it again", place));
    }
    count *= size;
  }
  if (count * bytes_of(tensor.form) != static_cast<Index>(tensor.bytes.size())) {
    throw Error(
        fmt::format("{} has {} bytes, which do not fit its shape; fetch the file again", place, tensor.bytes.size()));
  }
}

}  // namespace heed::interchange
