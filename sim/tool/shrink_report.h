// What `spillway shrink` has to say, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "properties/shrink_problem.h"

namespace spillway {

struct ShrinkReport {
  std::string file;
  std::size_t instructions = 0;    ///< of the kernel that was given
  std::optional<Finding> finding;  ///< nothing: the kernel passes, or is refused
  std::optional<ShrunkProblem> shrunk;
  std::optional<Error> refusal;  ///< why it can't be allocated: no judge has seen it
};

/// `output` is where the shrunk kernel went.
std::string ToText(const ShrinkReport& report, const std::string& output);
std::string ToJson(const ShrinkReport& report);

}  // namespace spillway
