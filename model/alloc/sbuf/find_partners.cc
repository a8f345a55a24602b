#include "model/alloc/sbuf/find_partners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/alloc/sbuf/height_class.h"
#include "model/hw/fault.h"
#include "model/hw/target.h"

namespace spillway {
namespace {

bool IsCandidate(const Tensor& tensor) { return tensor.space == Space::kSbuf; }

bool IsLegalBase(PartitionCount partitions, std::int64_t base) {
  const std::vector<Partition> legal = LegalStartPartitions(partitions);
  return std::find(legal.begin(), legal.end(), Partition(base)) != legal.end();
}

// Union-find whose members carry their base partition relative to the root's.
class BaseGroups {
 public:
  explicit BaseGroups(std::size_t n) : parent_(n), offset_(n, 0) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t Find(std::size_t x, std::int64_t& offset) const {
    offset = 0;
    while (parent_[x] != x) {
      offset += offset_[x];
      x = parent_[x];
    }
    return x;
  }
  /// Records base(b) = base(a) + delta; false if the groups already say otherwise.
  bool Join(std::size_t a, std::size_t b, std::int64_t delta) {
    std::int64_t offset_a = 0;
    std::int64_t offset_b = 0;
    const std::size_t root_a = Find(a, offset_a);
    const std::size_t root_b = Find(b, offset_b);
    if (root_a == root_b) return offset_b - offset_a == delta;
    // The lower id stays the root, so that the result doesn't depend on the order of joins.
    if (root_a < root_b) {
      parent_[root_b] = root_a;
      offset_[root_b] = offset_a + delta - offset_b;
    } else {
      parent_[root_a] = root_b;
      offset_[root_a] = offset_b - delta - offset_a;
    }
    return true;
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> offset_;
};

struct Member {
  TensorId tensor;
  std::int64_t offset = 0;
};

std::optional<std::int64_t> RootBase(const Kernel& kernel, const std::vector<Member>& members) {
  std::optional<std::int64_t> base;
  for (const Member& member : members) {
    const Tensor& tensor = kernel.tensors[member.tensor];
    std::optional<std::int64_t> here;
    if (!tensor.at.empty()) here = tensor.at.front().partition.value - member.offset;
    if (tensor.at.empty() && ClassOf(Partitions(tensor)) == HeightClass::kFull)
      here = -member.offset;
    if (!here) continue;
    if (base && *base != *here) return std::nullopt;
    base = here;
  }
  if (!base) base = 0;
  for (const Member& member : members) {
    const Tensor& tensor = kernel.tensors[member.tensor];
    if (tensor.at.empty() && !IsLegalBase(Partitions(tensor), *base + member.offset))
      return SPILLWAY_FAULT(A13, std::nullopt, base);
  }
  return base;
}

void AddPair(Partners& partners, TensorId a, TensorId b) {
  if (a == b) return;
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    std::vector<TensorId>& list = partners.of[from];
    const auto at = std::lower_bound(list.begin(), list.end(), to);
    if (at == list.end() || *at != to) list.insert(at, to);
  }
}

}  // namespace

Partners FindPartners(const LinearKernel& linear, Bytes capacity) {
  const Kernel& kernel = linear.kernel;
  Partners partners;
  partners.of.resize(kernel.tensors.size());
  partners.base.resize(kernel.tensors.size());
  BaseGroups groups(kernel.tensors.size());
  for (const Instruction& instruction : kernel.instructions) {
    const Operand* first = nullptr;
    const bool matmul = instruction.op == "nc_matmul";
    const bool copy = instruction.op == "tensor_copy";
    if (!matmul && !copy) continue;
    for (const auto* list : {&instruction.inputs, &instruction.outputs}) {
      for (const OperandGroup& group : *list) {
        for (const Operand& operand : group.operands) {
          if (!IsCandidate(kernel.tensors[operand.tensor])) continue;
          if (first == nullptr) {
            first = &operand;
            continue;
          }
          if (copy) AddPair(partners, first->tensor, operand.tensor);
          // base(a) + start(a) == base(b) + start(b)
          if (matmul && first->partition_start.IsConstant() &&
              operand.partition_start.IsConstant()) {
            groups.Join(first->tensor.value, operand.tensor.value,
                        first->partition_start.constant - operand.partition_start.constant);
          }
        }
      }
    }
  }
  std::map<std::size_t, std::vector<Member>> members;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    std::int64_t offset = 0;
    const std::size_t root = groups.Find(t, offset);
    members[root].push_back({TensorId(t), offset});
  }
  for (const auto& [root, group] : members) {
    if (group.size() < 2) continue;
    const std::optional<std::int64_t> base = RootBase(kernel, group);
    if (!base) continue;
    Bytes pinned(0);
    for (const Member& member : group) {
      const Tensor& tensor = kernel.tensors[member.tensor];
      if (ClassOf(Partitions(tensor)) == HeightClass::kFull || !tensor.at.empty()) continue;
      pinned += BlockBytes(tensor);
      partners.base[member.tensor] = Partition(*base + member.offset);
    }
    if (pinned > capacity) {
      partners.note = fmt::format(
          "accumulation group is too large for SB: {} tensors need {} bytes per partition of {}; "
          "grouping is off for this function",
          group.size(), pinned.value, capacity.value);
      partners.of = {};
      partners.of.resize(kernel.tensors.size());
      partners.base = {};
      partners.base.resize(kernel.tensors.size());
      return partners;
    }
  }
  return partners;
}

}  // namespace spillway
