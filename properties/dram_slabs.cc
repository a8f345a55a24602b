#include "properties/dram_slabs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace spillway {

Operand DramSlabs::Part(DType type, std::int64_t elements, std::int64_t offset,
                        const OpenLoopShape* loop) {
  const auto [found, is_new] = slabs_.try_emplace(type);
  Slab& slab = found->second;
  if (is_new) {
    slab.tensor = builder_.Dram(fmt::format("{}_{}", prefix_, DTypeName(type)), type, {1}, role_);
  }
  AffineExpr start(offset);
  std::int64_t end = offset + elements;
  if (loop != nullptr) {
    const std::int64_t direction = loop->step > 0 ? 1 : -1;
    start = (IndexOf(*loop) - loop->begin) * (direction * elements) + offset;
    end += elements * std::abs(loop->step) * std::max<std::int64_t>(loop->trips - 1, 0);
  }
  slab.elements = std::max(slab.elements, end);
  return Operand{slab.tensor, {}, 0, 0, start, {{1, elements}}, std::nullopt, "", std::nullopt};
}

std::int64_t DramSlabs::EndOf(DType type) const {
  const auto slab = slabs_.find(type);
  return slab == slabs_.end() ? 0 : slab->second.elements;
}

void DramSlabs::SetShapes(Kernel& kernel) const {
  for (const auto& [type, slab] : slabs_) kernel.tensors[slab.tensor].shape = {slab.elements};
}

}  // namespace spillway
