// Element sizes of the user-space allocators, by the names of NKI.
#pragma once

#include <string_view>

#include "model/hw/error.h"
#include "model/hw/units.h"

namespace spillway::nki {

/// Bytes of one element of `dtype`. Packed kinds count as one element: four fp8 are 4 bytes, four
/// fp4 are 2.
/// Errors: kUnknownName "unknown-dtype" (lists the known ones).
/// Source: nki_surface.md "User-space allocators"; tfloat32 is stored in 4 bytes
/// (model/hw/dtype.h).
Result<Bytes> ElementBytesOf(std::string_view dtype);

}  // namespace spillway::nki
