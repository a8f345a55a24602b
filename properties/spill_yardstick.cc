#include "properties/spill_yardstick.h"

#include <algorithm>
#include <vector>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

struct Use {
  std::size_t at = 0;      ///< instruction, counted in the order of the body
  std::int64_t times = 1;  ///< runs of its loops
};

struct Life {
  std::vector<Use> uses;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t area = 0;  ///< bytes of one partition, times quadrants
  bool is_out = false;
};

struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Of every instruction in the order of the body: what the outermost loop around it spans, and how
// often it runs, predicates aside.
struct Order {
  std::vector<InstructionId> instructions;
  std::vector<std::int64_t> times;
  std::vector<Stretch> span;
};

Order OrderOf(const Kernel& kernel) {
  Order order;
  std::vector<std::int64_t> times = {1};
  std::size_t outermost = 0;
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kLoopBegin) {
      if (times.size() == 1) outermost = order.instructions.size();
      times.push_back(times.back() * TripCount(kernel.loops[item.loop()]));
    } else if (item.kind == BodyKind::kLoopEnd) {
      times.pop_back();
      if (times.size() > 1) continue;
      for (std::size_t i = outermost; i < order.instructions.size(); ++i)
        order.span[i] = {outermost, order.instructions.size()};
    } else {
      const std::size_t at = order.instructions.size();
      order.instructions.push_back(item.instruction());
      order.times.push_back(times.back());
      order.span.push_back({at, at + 1});
    }
  }
  return order;
}

std::int64_t AreaOf(const Tensor& tensor, Bytes granule) {
  const std::int64_t height = Partitions(tensor).value;
  const std::int64_t quadrants = height <= 32 ? 1 : height <= 64 ? 2 : 4;
  return RoundUp(BlockBytes(tensor), granule).value * BlockCount(tensor) * quadrants;
}

std::size_t NextUse(const Life& life, std::size_t at) {
  for (const Use& use : life.uses) {
    if (use.at >= at) return use.at;
  }
  return life.end;
}

}  // namespace

std::int64_t SpillTransfersOf(const Kernel& kernel) {
  const Order order = OrderOf(kernel);
  std::int64_t transfers = 0;
  for (std::size_t i = 0; i < order.instructions.size(); ++i) {
    if (kernel.instructions[order.instructions[i]].spill != SpillRole::kNone)
      transfers += order.times[i];
  }
  return transfers;
}

std::int64_t YardstickTransfersOf(const Kernel& kernel, Bytes capacity, const Target& target) {
  const Order order = OrderOf(kernel);
  IdVector<TensorId, Life> lives(kernel.tensors.size());
  for (std::size_t i = 0; i < order.instructions.size(); ++i) {
    for (const Access& access : AccessesOf(kernel.instructions[order.instructions[i]])) {
      const Tensor& tensor = kernel.tensors[access.tensor];
      if (tensor.space != Space::kSbuf) continue;
      Life& life = lives[access.tensor];
      const Stretch& span = order.span[i];
      if (life.uses.empty()) life.begin = span.begin;
      life.end = std::max(life.end, span.end);
      life.area = AreaOf(tensor, target.sbuf_granule);
      life.uses.push_back({i, order.times[i]});
    }
  }
  std::int64_t transfers = 0;
  for (std::size_t at = 0; at < order.instructions.size(); ++at) {
    std::int64_t free = capacity.value * 4;
    for (const Life& life : lives) {
      if (!life.is_out && life.begin <= at && at < life.end) free -= life.area;
    }
    while (free < 0) {
      Life* farthest = nullptr;
      for (Life& life : lives) {
        if (life.is_out || at < life.begin || life.end <= at || life.uses.size() < 2) continue;
        if (farthest == nullptr || NextUse(life, at + 1) > NextUse(*farthest, at + 1))
          farthest = &life;
      }
      if (farthest == nullptr) break;
      farthest->is_out = true;
      free += farthest->area;
      for (const Use& use : farthest->uses) transfers += use.times;
    }
  }
  return transfers;
}

}  // namespace spillway
