#include "properties/colouring_round.h"

#include <algorithm>

#include "model/alloc/sbuf/find_first_definitions.h"
#include "model/alloc/sbuf/find_last_uses.h"
#include "model/alloc/sbuf/find_loads.h"
#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/memloc_split.h"
#include "model/alloc/sbuf/renumber.h"
#include "model/alloc/sbuf/working_set.h"

namespace spillway {

ColouringRound StartRound(const Kernel& kernel, Bytes capacity, Bytes granule, const Hwm& hwm) {
  ColouringRound round;
  round.linear = Linearize(Renumber(SplitMemlocs(Linearize(Renumber(kernel).kernel))).kernel);
  round.partners = FindPartners(round.linear, granule * (capacity / granule));
  round.loads = FindLoads(round.linear, FindFirstDefinitions(round.linear));
  round.ranges = FindLiveRanges(round.linear, granule);
  round.nodes = CreateIntervals(round.linear.kernel, round.ranges, round.partners, granule);
  round.costs = FindCosts(round.linear, FindLastUses(round.linear), round.loads, hwm);
  round.capacity = Granules(capacity / granule);
  return round;
}

MemoryNeeds NeedsOf(const Kernel& kernel, Bytes granule) {
  const Bytes enough(std::int64_t{1} << 30);
  const LinearKernel linear =
      Linearize(Renumber(SplitMemlocs(Linearize(Renumber(kernel).kernel))).kernel);
  const Nodes nodes = CreateIntervals(linear.kernel, FindLiveRanges(linear, granule),
                                      FindPartners(linear, enough), granule);
  MemoryNeeds needs;
  needs.peak = FindPressure(nodes.all, linear.point_count(), granule, enough).peak_bytes;
  for (const Node& node : nodes.all) needs.sum += granule * node.size.value;
  for (const Instruction& instruction : kernel.instructions) {
    needs.largest_working_set =
        std::max(needs.largest_working_set, WorkingSetOf(kernel, instruction, granule));
  }
  return needs;
}

}  // namespace spillway
