// The allocators by the names that the command line gives them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/allocator.h"
#include "model/alloc/baseline/child_process.h"

namespace spillway {

inline constexpr std::string_view kDefaultAllocator = "coloring";

struct AllocatorRow {
  std::string_view name;
  std::string_view what;  ///< one line, for the help
};
/// All that have names; "external:COMMAND" is made from any command.
const std::vector<AllocatorRow>& Allocators();

/// The allocator of that name; `limits` hold for external ones.
/// Errors: kUnknownName "unknown-allocator" (lists the known ones).
Result<std::unique_ptr<Allocator>> FindAllocator(std::string_view name, const ChildLimits& limits);

}  // namespace spillway
