// Violations that say the same of several blocks, for a person who wants to read it once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/hw/violation.h"

namespace spillway {

struct ViolationGroup {
  const Violation* first = nullptr;
  std::size_t count = 1;  ///< the first and those like it
  /// What else is like the first: "and 63 more blocks of the same tensor: 1-63"; empty: nothing.
  std::string more;
};

/// `violations` of one check in the order of their first ones. Two are alike if they are of one
/// kind and of the same tensors, name different blocks, and say the same but for numbers.
std::vector<ViolationGroup> GroupViolations(std::span<const Violation> violations);

}  // namespace spillway
