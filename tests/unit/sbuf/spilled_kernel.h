// Spills chosen tensors of a small kernel.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/alloc/sbuf/find_first_definitions.h"
#include "model/alloc/sbuf/find_loads.h"
#include "model/alloc/sbuf/insert_spill_code.h"
#include "model/alloc/sbuf/renumber.h"
#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {

struct SpillRequest {
  std::int64_t capacity = 1 << 20;  ///< bytes; room for working copies to stay
  std::int64_t cap = 65536;
  Homes homes = {};
  SpillCounters counters = {};
};

/// Spills the tensors of these names.
inline Result<SpilledFunction> Spill(const Kernel& kernel, const std::vector<std::string>& names,
                                     const SpillRequest& request = {}) {
  constexpr Bytes kGranule(8);
  const LinearKernel linear = Linearize(kernel);
  const Nodes nodes = CreateIntervals(kernel, FindLiveRanges(linear, kGranule),
                                      FindPartners(linear, Bytes(request.capacity)), kGranule);
  std::vector<TensorId> spilled;
  for (const std::string& name : names) spilled.push_back(Named(kernel, name));
  std::sort(spilled.begin(), spilled.end());
  return InsertSpillCode(linear, nodes.all, spilled,
                         FindLoads(linear, FindFirstDefinitions(linear)), request.homes,
                         request.counters, Granules(request.capacity / 8), kGranule, request.cap);
}

inline std::string SpilledBody(const Kernel& kernel, const std::vector<std::string>& names,
                               const SpillRequest& request = {}) {
  return BodyText(Spill(kernel, names, request)->kernel);
}

}  // namespace spillway
