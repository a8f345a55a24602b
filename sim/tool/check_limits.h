// Whether the memory that the command line asks for is there.
#pragma once

#include <optional>

#include "model/hw/error.h"
#include "model/hw/target.h"
#include "sim/tool/options.h"

namespace spillway {

/// Why `options` can't limit `target` so: --sbuf-bytes or --psum-banks above what it has.
/// Errors: kLimit "sbuf-bytes", "psum-banks".
std::optional<Error> CheckLimits(const ToolOptions& options, const Target& target);

}  // namespace spillway
