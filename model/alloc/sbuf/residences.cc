#include "model/alloc/sbuf/residences.h"

#include <algorithm>
#include <tuple>

#include "model/alloc/ir/footprint.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

bool Has(const std::vector<TensorId>& sorted, TensorId id) {
  return std::binary_search(sorted.begin(), sorted.end(), id);
}

// Different constants name different blocks; anything else may be the same one.
bool MayAlias(const std::vector<AffineExpr>& a, const std::vector<AffineExpr>& b) {
  for (std::size_t d = 0; d < a.size() && d < b.size(); ++d) {
    if (a[d].IsConstant() && b[d].IsConstant() && a[d] != b[d]) return false;
  }
  return true;
}

std::int64_t SizeOf(const LinearKernel& linear, TensorId tensor, Bytes granule) {
  return RoundUp(BlockBytes(linear.kernel.tensors[tensor]), granule) / granule;
}

// Uses i and j > i of one tensor, next to each other among the uses of one block.
struct Link {
  std::uint32_t gap = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

// Whether another use by the same instruction may write the block of use `i`. Uses of one
// instruction have no order among themselves: all of its reads come before all of its writes.
bool IsClobberedByItsInstruction(const std::vector<SpilledUse>& uses, std::size_t i) {
  for (std::size_t k = i;
       k-- > 0 && uses[k].tensor == uses[i].tensor && uses[k].point == uses[i].point;) {
    if (!uses[k].writes.empty() && MayAlias(uses[k].block, uses[i].block)) return true;
  }
  return false;
}

std::vector<Link> CandidateLinks(const LinearKernel& linear, const std::vector<SpilledUse>& uses,
                                 const std::vector<TensorId>& apart) {
  std::vector<Link> links;
  for (std::size_t j = 1; j < uses.size(); ++j) {
    if (uses[j].reads.empty() || Has(apart, uses[j].tensor)) continue;
    for (std::size_t i = j; i-- > 0 && uses[i].tensor == uses[j].tensor;) {
      if (uses[i].block == uses[j].block) {
        if (uses[i].point < uses[j].point &&
            SPILLWAY_FAULT(C11, linear.loop_of[uses[i].point] == linear.loop_of[uses[j].point],
                           true) &&
            SPILLWAY_FAULT(C10, !IsClobberedByItsInstruction(uses, i), true)) {
          links.push_back({uses[j].point.value - uses[i].point.value, i, j});
        }
        break;
      }
      const bool clobbers = !uses[i].writes.empty() && MayAlias(uses[i].block, uses[j].block);
      if (SPILLWAY_FAULT(C10, clobbers, false)) break;
    }
  }
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tie(a.gap, a.from, a.to) < std::tie(b.gap, b.from, b.to);
  });
  return links;
}

}  // namespace

std::vector<SpilledUse> CollectUses(const LinearKernel& linear,
                                    const std::vector<TensorId>& spilled) {
  std::vector<SpilledUse> uses;
  for (const TensorId tensor : spilled) {
    const std::size_t first = uses.size();
    for (const PointAccess& point_access : linear.accesses_of[tensor]) {
      if (IsSpillDma(linear.instruction(point_access.point))) continue;
      const Access& access = linear.accesses[point_access.point][point_access.access];
      SPILLWAY_CHECK(access.operand != nullptr && !access.whole_tensor,
                     "an indirect tensor isn't spilled");
      auto use = std::find_if(
          uses.begin() + static_cast<std::ptrdiff_t>(first), uses.end(), [&](const SpilledUse& u) {
            return u.point == point_access.point && u.block == access.operand->block;
          });
      // Only uses of the same instruction can match, and those are at the end.
      if (use == uses.end()) {
        uses.push_back({point_access.point, tensor, access.operand->block, {}, {}});
        use = std::prev(uses.end());
      }
      const bool is_hidden =
          SPILLWAY_FAULT(A7, false,
                         !access.is_write && access.name == "dst" &&
                             IsReadModifyWrite(linear.instruction(point_access.point)));
      if (is_hidden) continue;
      (access.is_write ? use->writes : use->reads).push_back(&access);
    }
  }
  return uses;
}

std::vector<std::int64_t> FreeGranules(const IdVector<NodeId, Node>& nodes,
                                       const std::vector<TensorId>& spilled,
                                       std::size_t point_count, Granules capacity) {
  std::vector<std::int64_t> free(point_count + 1, 0);
  for (const Node& node : nodes) {
    if (Has(spilled, node.tensor)) continue;
    free[node.life.begin.value] -= node.size.value;
    free[node.life.end.value] += node.size.value;
  }
  std::int64_t now = capacity.value;
  for (std::int64_t& at : free) {
    now += at;
    at = now;
  }
  free.pop_back();
  return free;
}

std::vector<Residence> FindResidences(const LinearKernel& linear, std::vector<SpilledUse> uses,
                                      const std::vector<TensorId>& apart,
                                      std::vector<std::int64_t> free, Bytes granule) {
  for (const SpilledUse& use : uses) free[use.point.value] -= SizeOf(linear, use.tensor, granule);
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> next(uses.size(), kNone);
  std::vector<bool> continues(uses.size(), false);
  for (const Link& link : CandidateLinks(linear, uses, apart)) {
    const std::int64_t size = SizeOf(linear, uses[link.to].tensor, granule);
    const auto begin = free.begin() + uses[link.from].point.value + 1;
    const auto end = free.begin() + uses[link.to].point.value;
    if (std::any_of(begin, end, [&](std::int64_t at) { return at < size; })) continue;
    std::for_each(begin, end, [&](std::int64_t& at) { at -= size; });
    next[link.from] = link.to;
    continues[link.to] = true;
  }
  std::vector<Residence> residences;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (continues[i]) continue;
    Residence residence{uses[i].tensor, {}};
    for (std::size_t u = i; u != kNone; u = next[u]) residence.uses.push_back(uses[u]);
    residences.push_back(std::move(residence));
  }
  return residences;
}

}  // namespace spillway
