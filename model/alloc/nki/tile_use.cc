#include "model/alloc/nki/tile_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::nki {

void NameInstances(TileWalk walk, const Kernel& kernel,
                   const std::multimap<std::int64_t, TileUse*>& uses) {
  auto next = uses.begin();
  while (next != uses.end() && walk.Next()) {
    for (; next != uses.end() && next->first == walk.number(); ++next) {
      TileUse& use = *next->second;
      use.instance = walk.number();
      use.instruction = walk.instruction();
      use.point = walk.point();
      use.iteration.clear();
      for (const LoopId loop : walk.OpenLoops())
        use.iteration.emplace_back(kernel.loops[loop].name, walk.values()[loop.value]);
      if (use.iteration.empty()) use.iteration = kernel.instructions[use.instruction].source_loops;
    }
  }
}

std::vector<std::int64_t> IndexOf(const Tensor& tensor, std::int64_t block) {
  std::vector<std::int64_t> index(tensor.blocks.size(), 0);
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = block % tensor.blocks[d];
    block /= tensor.blocks[d];
  }
  return index;
}

std::string TileName(const Tensor& tensor, std::int64_t block) {
  if (tensor.blocks.empty()) return tensor.name;
  return fmt::format("{}[{}]", tensor.name, fmt::join(IndexOf(tensor, block), ", "));
}

std::string DescribeUse(const Kernel& kernel, const TileUse& use) {
  const Instruction& instruction = kernel.instructions[use.instruction];
  std::string text = instruction.op;
  if (!instruction.src.empty()) text += fmt::format(" ({})", instruction.src);
  for (std::size_t i = 0; i < use.iteration.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? " at " : ", ", use.iteration[i].first,
                        use.iteration[i].second);
  }
  if (use.iteration.empty()) text += fmt::format(" at point {}", use.point.value);
  return text;
}

}  // namespace spillway::nki
