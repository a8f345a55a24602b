#include "model/hw/dtype.h"

#include <array>

#include "model/hw/error.h"

namespace spillway {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  int bytes;
  bool is_float;
};

constexpr std::array kRows = {
    Row{DType::kFloat32, "float32", 4, true},
    Row{DType::kBfloat16, "bfloat16", 2, true},
    Row{DType::kFloat16, "float16", 2, true},
    Row{DType::kTfloat32, "tfloat32", 4, true},
    Row{DType::kFloat8E4m3, "float8_e4m3", 1, true},
    Row{DType::kFloat8E5m2, "float8_e5m2", 1, true},
    Row{DType::kInt8, "int8", 1, false},
    Row{DType::kUint8, "uint8", 1, false},
    Row{DType::kInt16, "int16", 2, false},
    Row{DType::kUint16, "uint16", 2, false},
    Row{DType::kInt32, "int32", 4, false},
    Row{DType::kUint32, "uint32", 4, false},
};

const Row& RowOf(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  SPILLWAY_CHECK(index < kRows.size() && kRows[index].dtype == dtype, "rows stand in enum order");
  return kRows[index];
}

}  // namespace

std::string_view DTypeName(DType dtype) { return RowOf(dtype).name; }

std::optional<DType> ParseDType(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

Bytes ElementSize(DType dtype) { return Bytes(RowOf(dtype).bytes); }

bool IsFloat(DType dtype) { return RowOf(dtype).is_float; }

}  // namespace spillway
