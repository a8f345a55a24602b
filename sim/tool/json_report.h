// Run reports as JSON.
#pragma once

#include <string>
#include <vector>

#include "model/hw/target.h"
#include "sim/tool/run_report.h"

namespace spillway {

/// {"version": …, "results": [one object per report]}, keys as the command line documents them.
std::string ToJson(const std::vector<RunReport>& reports);

/// The rows of `targets` as {"targets": [{"name": …, "rows": [{"key", "value", "unit", "source",
/// "confidence"}]}]}; with `rules` each has "rules" too, the rules of time.
std::string TargetsToJson(const std::vector<Target>& targets, bool rules = false);

/// Writes `text` to `path`, or to standard output where the path is "-". Errors: kFile.
Result<void> WriteText(const std::string& path, const std::string& text);

}  // namespace spillway
