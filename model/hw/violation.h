// What a checker found wrong: all of it, each with names and numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hw/engine.h"
#include "model/hw/error.h"
#include "model/hw/interval.h"

namespace spillway {

/// One broken rule.
struct Violation {
  Kind kind = Kind::kOverlap;
  std::vector<std::string> tensors;  ///< names, the offender first
  std::optional<Space> space;
  std::optional<Interval<ByteOffset>> range;  ///< bytes per partition concerned
  std::optional<Interval<PointId>> time;      ///< points of the linear form concerned
  std::string text;                           ///< for a person: names, numbers, expected and found

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// What one check looked at and what it found.
struct CheckResult {
  std::string name;          ///< for example "overlap"
  std::int64_t checked = 0;  ///< how many things it looked at; 0: it didn't apply
  std::vector<Violation> violations;
};

}  // namespace spillway
