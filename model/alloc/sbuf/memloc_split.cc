#include "model/alloc/sbuf/memloc_split.h"

#include <fmt/format.h>

#include <set>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway {
namespace {

// Accesses that stand together: one instruction at the common level, or one inner loop.
struct Unit {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Unit> UnitsOf(const LinearKernel& linear, const std::vector<PointAccess>& accesses,
                          std::optional<LoopId> level) {
  std::vector<Unit> units;
  std::optional<LoopId> previous;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::optional<LoopId> inner = OutermostBelow(linear, accesses[i].point, level);
    const bool same =
        i > 0 && (inner ? inner == previous : accesses[i].point == accesses[i - 1].point);
    if (same) {
      units.back().end = i + 1;
    } else {
      units.push_back({i, i + 1});
    }
    previous = inner;
  }
  return units;
}

// First access of every segment but the first, ascending.
std::vector<std::size_t> CutsOf(const LinearKernel& linear,
                                const std::vector<PointAccess>& accesses) {
  std::size_t writes = 0;
  for (const PointAccess& access : accesses) {
    if (linear.accesses[access.point][access.access].whole_tensor) return {};
    writes += access.is_write ? 1 : 0;
  }
  // Dead definitions split too: each is a clobber at one point, not a life.
  const std::size_t reads = accesses.size() - writes;
  if (writes < 2 || reads == 1) return {};
  const std::optional<LoopId> level = CommonLoop(linear, accesses);
  if (level && !ExposureOf(linear, accesses, level).exposed.empty()) return {};

  const std::span<const PointAccess> all(accesses);
  std::vector<std::size_t> cuts;
  std::vector<SymbolicRegion> wanted;  // by reads after the current unit, not yet covered
  const std::vector<Unit> units = UnitsOf(linear, accesses, level);
  for (std::size_t u = units.size(); u-- > 1;) {
    const Exposure effect =
        ExposureOf(linear, all.subspan(units[u].begin, units[u].end - units[u].begin), level);
    for (SymbolicRegion& region : wanted) region = effect.covered.Remaining(std::move(region));
    std::erase_if(wanted, [&](const SymbolicRegion& region) {
      return !region.whole_tensor && (region.runs.empty() || effect.covered.Covers(region));
    });
    wanted.insert(wanted.end(), effect.exposed.begin(), effect.exposed.end());
    if (wanted.empty()) cuts.push_back(units[u].begin);
  }
  return {cuts.rbegin(), cuts.rend()};
}

// The operand of `instruction` that `access` is, by its place among the operands.
void Rename(Instruction& instruction, const Operand* original, const Instruction& source,
            TensorId to) {
  for (auto groups : {std::pair{&source.outputs, &instruction.outputs},
                      std::pair{&source.inputs, &instruction.inputs}}) {
    for (std::size_t g = 0; g < groups.first->size(); ++g) {
      for (std::size_t o = 0; o < (*groups.first)[g].operands.size(); ++o) {
        if (&(*groups.first)[g].operands[o] == original)
          (*groups.second)[g].operands[o].tensor = to;
      }
    }
  }
}

}  // namespace

Kernel SplitMemlocs(const LinearKernel& linear) {
  Kernel split = linear.kernel;
  std::set<std::string, std::less<>> names;
  for (const Tensor& tensor : split.tensors) names.insert(tensor.name);
  for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
    const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kSbuf || tensor.role != Role::kInternal || !tensor.at.empty())
      continue;
    const std::vector<PointAccess>& accesses = linear.accesses_of[TensorId(t)];
    const std::vector<std::size_t> cuts = CutsOf(linear, accesses);
    int serial = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      Tensor clone = tensor;
      do {
        clone.name = fmt::format("{}_Split{}", tensor.name, ++serial);
      } while (!names.insert(clone.name).second);
      const TensorId id = split.tensors.push_back(std::move(clone));
      const std::size_t end = c + 1 < cuts.size() ? cuts[c + 1] : accesses.size();
      for (std::size_t a = cuts[c]; a < end; ++a) {
        const InstructionId instruction = linear.kernel.body[accesses[a].point.value].instruction();
        const Access& access = linear.accesses[accesses[a].point][accesses[a].access];
        Rename(split.instructions[instruction], access.operand,
               linear.kernel.instructions[instruction], id);
      }
    }
  }
  return split;
}

}  // namespace spillway
