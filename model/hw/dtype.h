// Element types by their NKI names.
#pragma once

#include <optional>
#include <string_view>

#include "model/hw/units.h"

namespace spillway {

enum class DType {
  kFloat32,
  kBfloat16,
  kFloat16,
  kTfloat32,
  kFloat8E4m3,
  kFloat8E5m2,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
};

/// Source: NKI's data type names.
std::string_view DTypeName(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
/// Bytes per element; tfloat32 is stored in 4 bytes.
Bytes ElementSize(DType dtype);
bool IsFloat(DType dtype);

}  // namespace spillway
