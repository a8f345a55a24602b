// Run reports for people: a line per kernel, then what went wrong, then a summary.
#pragma once

#include <string>
#include <vector>

#include "sim/tool/run_report.h"

namespace spillway {

/// "pass  attention_cte_2k  trn2  123,456 cycles  …" on one line; below it, indented, the
/// compiler's estimate, the message and the first violations of each check, those alike as one (all
/// of them are in the JSON).
std::string ToText(const RunReport& report);

/// "1,050 cycles (0.95 x simulated), 1,000 without anti-dependences (slack 1.050)": the compiler's
/// own estimate; "no estimate: " and why; or nothing where none was asked for.
std::string EstimateText(const RunReport& report);

/// "15 passed, 0 failed, 0 bad inputs, 0 not allocatable".
std::string Summary(const std::vector<RunReport>& reports);

/// The same for `alloc` and `check`, which know no cycles, with the allocator's notes, and with the
/// statistics of the stack allocator.
std::string AllocationText(const RunReport& report);

/// 1234567 as "1,234,567".
std::string Grouped(std::int64_t value);

}  // namespace spillway
