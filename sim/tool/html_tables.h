// The tables of a kernel's section.
#pragma once

#include <string>
#include <string_view>

#include "sim/tool/run_report.h"

namespace spillway::html {

/// A figure with its name above and a remark below; none of them is markup.
std::string Tile(std::string_view name, std::string_view value, std::string_view beside);

/// The figures that matter most, as tiles; then all numbers of the run. Wall-clock times are left
/// out, so that equal runs give equal bytes.
std::string Numbers(const RunReport& report);

/// Spilled tensors by predicted cycles, with what the run measured; a sentence where none was.
std::string SpilledTensors(const RunReport& report);

/// Checks with their counts, then the violations (the first of them, with the total).
std::string Checks(const RunReport& report);

/// Notes and opaque operations; empty where there are none.
std::string Notes(const RunReport& report);

}  // namespace spillway::html
