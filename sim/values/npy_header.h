// The text between a .npy file's magic number and its elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/hw/error.h"

namespace spillway {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;

  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

/// Magic number, version 1.0, length and dictionary, padded to a multiple of 64 bytes.
std::string PrintNpyHeader(const NpyHeader& header);

/// The dictionary: exactly the keys descr, fortran_order and shape, in any order.
/// Errors: kSyntax "npy-header"; `file` is left to the caller.
Result<NpyHeader> ParseNpyHeader(std::string_view text);

}  // namespace spillway
