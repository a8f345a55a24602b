// Elements of every dtype to float32, in which operations compute, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/hw/dtype.h"

namespace spillway {

/// Writes the float32 value of each packed little-endian element of `packed` to `values`, into the
/// caller's storage since the rows of one tile are read one by one. Float types and integers below
/// 25 bits are exact; int32 and uint32 round to nearest even.
/// float8_e4m3 is the IEEE-like form: bias 7, infinities, 240 the largest finite value.
/// Source: the quantisation kernel in use scales by 1/240; NKI keeps float8_e4m3fn (448) apart.
void DecodeElements(DType dtype, std::span<const std::byte> packed, std::span<float> values);

/// Writes each value in `dtype` to `packed`. Every type rounds to nearest, ties to even.
/// Overflow: float16, bfloat16, tfloat32, float8_e4m3 and float8_e5m2 become infinities of the
/// value's sign, as IEEE 754 rounds (float16 from 65520, e4m3 from 248, e5m2 from 61440);
/// integers saturate at their limits. NaN: a quiet NaN of its sign; 0 in integers.
/// Source: kernel format version 1, values; that float8 overflows to infinity is assumed (AWS asks
/// users to keep values in range and states no rule).
void EncodeElements(DType dtype, std::span<const float> values, std::span<std::byte> packed);

/// Integers that no float32 passes through (memset, iota): saturate in integer types, else round
/// to float32 first.
void EncodeIntegers(DType dtype, std::span<const std::int64_t> values, std::span<std::byte> packed);

/// Integer elements as they are; `dtype` must be an integer type.
void DecodeIntegers(DType dtype, std::span<const std::byte> packed, std::span<std::int64_t> values);

/// Limits of an integer type.
struct IntegerLimits {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
IntegerLimits LimitsOf(DType dtype);

}  // namespace spillway
