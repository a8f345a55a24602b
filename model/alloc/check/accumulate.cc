#include <fmt/format.h>

#include "model/alloc/check/access_tree.h"
#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

bool Accumulates(const LinearKernel& linear, PointId point, TensorId tensor) {
  const Instruction& instruction = linear.instruction(point);
  if (!IsReadModifyWrite(instruction)) return false;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands) {
      if (group.name == "dst" && operand.tensor == tensor) return true;
    }
  }
  return false;
}

PointId LastPointOfOutermostLoop(const LinearKernel& linear, PointId point) {
  const std::vector<LoopId> nest = NestOf(linear, point);
  return nest.empty() ? point : linear.loop_points[nest.front()].terminator;
}

void CheckTensor(const Subject& subject, TensorId id, CheckResult& result) {
  const std::vector<PlacedAccess> accesses = PlacedAccessesOf(subject.linear, id);
  // What other writes may have put there: those before, and those of earlier iterations.
  BlockPlanes opened;
  std::size_t next = 0;
  for (const PlacedAccess& access : accesses) {
    if (!access.is_write || !Accumulates(subject.linear, access.point, id)) continue;
    ++result.checked;
    const PointId horizon = LastPointOfOutermostLoop(subject.linear, access.point);
    for (; next < accesses.size() && accesses[next].point <= horizon; ++next) {
      if (accesses[next].is_write && !Accumulates(subject.linear, accesses[next].point, id)) {
        opened.Unite(accesses[next].what.region.bound);
      }
    }
    BlockPlanes unopened = access.what.region.bound;
    unopened.Subtract(opened);
    if (unopened.empty()) continue;
    const Tensor& tensor = subject.kernel().tensors[id];
    const auto& [block, plane] = *unopened.planes().begin();
    const PlaneSet::Band& band = plane.bands().front();
    Violation violation;
    violation.kind = Kind::kAccumulate;
    violation.tensors = {tensor.name};
    violation.space = tensor.space;
    violation.range = band.runs.front();
    violation.time = Interval<PointId>{access.point, PointId(access.point.value + 1)};
    violation.text = fmt::format(
        "point {} accumulates onto {} at partitions [{}, {}), bytes [{}, {}), which nothing opened "
        "before",
        access.point.value, NameOf(tensor, static_cast<std::size_t>(block)),
        band.partitions.begin.value, band.partitions.end.value, band.runs.front().begin.value,
        band.runs.front().end.value);
    result.violations.push_back(std::move(violation));
  }
}

}  // namespace

CheckResult CheckAccumulation(const Subject& subject) {
  CheckResult result{"accumulate", 0, {}};
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    if (subject.kernel().tensors[TensorId(i)].space == Space::kPsum)
      CheckTensor(subject, TensorId(i), result);
  }
  return result;
}

}  // namespace spillway::check
