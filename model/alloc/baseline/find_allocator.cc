#include "model/alloc/baseline/find_allocator.h"

#include <fmt/format.h>

#include "model/alloc/baseline/external_process.h"
#include "model/alloc/baseline/linear_scan.h"
#include "model/alloc/nki/allocate_by_scopes.h"
#include "model/alloc/nki/stack_allocator.h"

namespace spillway {
namespace {

constexpr std::string_view kExternal = "external:";

}  // namespace

const std::vector<AllocatorRow>& Allocators() {
  static const std::vector<AllocatorRow> rows = {
      {"coloring", "the loop-aware geometric colourer"},
      {"linear-scan", "first fit by start point, without spilling: a yardstick"},
      {"stack", "NKI's stack allocator: a stack of scopes, one a loop, without spilling"},
      {"scoped", "NKI's automatic allocation: tensors wait in their scope, without spilling"},
  };
  return rows;
}

Result<std::unique_ptr<Allocator>> FindAllocator(std::string_view name, const ChildLimits& limits) {
  if (name == "coloring") return MakeColoringAllocator();
  if (name == "linear-scan") return MakeLinearScanAllocator();
  if (name == "stack") return nki::MakeStackAllocator();
  if (name == "scoped") return nki::MakeScopedAllocator();
  if (name.starts_with(kExternal) && name.size() > kExternal.size()) {
    return MakeExternalAllocator(std::string(name.substr(kExternal.size())), limits);
  }
  std::string known;
  for (const AllocatorRow& row : Allocators()) known += fmt::format("{}, ", row.name);
  return Fail(
      {Kind::kUnknownName, "unknown-allocator",
       fmt::format("unknown allocator '{}'; expected one of {}external:COMMAND", name, known), "",
       0});
}

}  // namespace spillway
