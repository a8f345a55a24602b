#include "model/alloc/nki/element_bytes.h"

#include <fmt/format.h>

#include <array>

#include "model/alloc/nki/kernel_assert.h"

namespace spillway::nki {
namespace {

struct Row {
  std::string_view name;
  int bytes;
};

constexpr auto kRows = std::to_array<Row>({
    {"float32", 4},
    {"tfloat32", 4},
    {"int32", 4},
    {"uint32", 4},
    {"float8_e4m3fn_x4", 4},
    {"float8_e5m2_x4", 4},
    {"bfloat16", 2},
    {"float16", 2},
    {"int16", 2},
    {"uint16", 2},
    {"float4_e2m1fn_x4", 2},
    {"int8", 1},
    {"uint8", 1},
    {"float8_e4m3", 1},
    {"float8_e4m3fn", 1},
    {"float8_e5m2", 1},
    {"float8e4", 1},
    {"float8e5", 1},
});

}  // namespace

Result<Bytes> ElementBytesOf(std::string_view dtype) {
  std::string known;
  for (const Row& row : kRows) {
    if (row.name == dtype) return Bytes(row.bytes);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return Fail(
      KernelAssert(Kind::kUnknownName, "unknown-dtype",
                   fmt::format("dtype size unknown! '{}'; expected one of {}", dtype, known)));
}

}  // namespace spillway::nki
