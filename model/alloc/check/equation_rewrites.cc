#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/check/equation_walk.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::check::backward {
namespace {

bool IsInput(const Tensor& tensor) {
  return tensor.role == Role::kInput || tensor.role == Role::kConstant;
}

}  // namespace

void Walk::Define(const Step& step, const Touch& touch, const Touched& what, EquationSet& set) {
  Settle(step, touch, what, set);
  Overwrite(step, touch, what, set);
}

// What asks for the defined bytes is settled if they are asked for where they were written.
void Walk::Settle(const Step& step, const Touch& touch, const Touched& what, EquationSet& set) {
  std::vector<Equation> renewed;
  for (Equation& equation : set.equations()) {
    if (equation.tensor != touch.original || equation.block != what.block) continue;
    Equation defined = equation;
    defined.sited.bytes.IntersectWith(what.sited.bytes);
    if (defined.sited.bytes.empty()) continue;
    const bool in_place = SamePlaces(defined.sited.bytes, equation.sited.site, what.sited.site);
    const bool is_lost = equation.sited.site.form == Site::Form::kLost;
    // Any part may have been written, or none: what was there before is still asked for.
    if (!touch.is_exact && (in_place || is_lost)) continue;
    equation.sited.bytes.Subtract(what.sited.bytes);
    if (in_place) {
      ++result_.checked;
    } else if (is_lost) {
      Complain(Fault::kOverwritten, defined, step.point);
    } else if (step.load) {
      // Memory that nobody writes has the same bytes for anybody who copies them.
      for (Equation& other : OfSource(defined, *step.load)) renewed.push_back(std::move(other));
    } else {
      Complain(Fault::kStale, defined, step.point);
    }
  }
  for (Equation& equation : renewed) Add(std::move(equation), set);
}

// Nobody else finds anything where the definition was written.
void Walk::Overwrite(const Step& step, const Touch& touch, const Touched& what, EquationSet& set) {
  std::vector<Equation> renewed;
  for (Equation& equation : set.equations()) {
    const bool is_own = equation.tensor == touch.original && equation.block == what.block &&
                        equation.sited.site == what.sited.site;
    if (is_own && !touch.is_exact) continue;
    PlaneSet shared = SharedBytes(equation.sited, what.sited);
    if (shared.empty()) continue;
    equation.sited.bytes.Subtract(shared);
    Equation over{
        equation.tensor, equation.block, {std::move(shared), equation.sited.site}, equation.use};
    if (step.copy && IsInput(original_.tensors[equation.tensor])) {
      for (const Move& move : MovesOfCopy(*step.copy)) {
        SitedBytes moved{SharedBytes(over.sited, {move.bytes, move.to}), over.sited.site};
        if (moved.bytes.empty()) continue;
        for (SitedBytes& before : BeforeMove(moved, move)) {
          renewed.push_back({over.tensor, over.block, std::move(before), over.use});
        }
      }
      continue;
    }
    over.sited.site = {Site::Form::kLost, step.point.value, touch.allocated.value, 0};
    renewed.push_back(std::move(over));
  }
  for (Equation& equation : renewed) Add(std::move(equation), set);
}

std::vector<Move> Walk::MovesOfCopy(const CopyShape& copy) const {
  const Kernel& kernel = allocated_.kernel;
  const auto site = [&](const Operand& operand) {
    return SiteOf(kernel, placement_, operand.tensor,
                  BlockIndex(kernel.tensors[operand.tensor], operand, loop_values_));
  };
  return MovesOf(kernel, copy, site(*copy.to), site(*copy.from), loop_values_);
}

// In the coordinates of the loaded block, from bytes of the source's block.
std::vector<Move> Walk::MovesOfLoad(const CopyShape& load) const {
  const bool is_flat = original_.tensors[load.to->tensor].space == Space::kDram;
  const Site to{is_flat ? Site::Form::kFlat : Site::Form::kPlane, 0, 0, 0};
  return MovesOf(original_, load, to, {Site::Form::kFlat, 0, 0, 0}, loop_values_);
}

std::vector<Equation> Walk::OfSource(const Equation& equation, const CopyShape& load) const {
  const TensorId source = load.from->tensor;
  const std::int64_t block = BlockIndex(original_.tensors[source], *load.from, loop_values_);
  const Site own = OwnSite(source, block);
  const Site& site = equation.sited.site;
  std::vector<Equation> renewed;
  for (const Move& move : MovesOfLoad(load)) {
    PlaneSet part = equation.sited.bytes;
    part.IntersectWith(move.bytes);
    const Site loaded{own.form, own.memory, own.first + move.from.first, move.from.second};
    if (part.empty() || SamePlaces(part, site, loaded)) continue;
    for (const PlaneSet::Band& band : part.bands()) {
      for (Partition p = band.partitions.begin; p < band.partitions.end;
           p = p + PartitionCount(1)) {
        for (const Interval<ByteOffset>& run : band.runs) {
          const std::int64_t begin = move.from.first + p.value * move.from.second + run.begin.value;
          const std::int64_t back = run.begin.value - begin;
          Site there = site;
          if (site.form == Site::Form::kPlane) {
            there.first += p.value;
            there.second += back;
          } else {
            there.first += p.value * site.second + back;
            there.second = 0;
          }
          const ByteOffset from(begin);
          renewed.push_back(
              {source,
               block,
               {PlaneSet({Partition(0), Partition(1)}, {{from, from + (run.end - run.begin)}}),
                there},
               equation.use});
        }
      }
    }
  }
  return renewed;
}

Site Walk::OwnSite(TensorId original, std::int64_t block) const {
  const std::optional<TensorId>& twin = matching_.namesake[original];
  // A tensor that the allocated function lacks lies nowhere.
  if (!twin) return {Site::Form::kLost, 0, 0, 0};
  return SiteOf(allocated_.kernel, placement_, *twin, block);
}

void Walk::Add(Equation equation, EquationSet& set) const {
  const bool is_known =
      matching_.is_apart[equation.tensor] && SamePlaces(equation.sited.bytes, equation.sited.site,
                                                        OwnSite(equation.tensor, equation.block));
  if (!is_known) set.Add(std::move(equation));
}

void Walk::Complain(Fault fault, const Equation& equation, PointId point) {
  if (!reported_.emplace(fault, equation.tensor, point).second) return;
  const Tensor& tensor = original_.tensors[equation.tensor];
  const Site& site = equation.sited.site;
  const PlaneSet::Band& band = equation.sited.bytes.bands().front();
  const std::string what =
      fmt::format("{}{} bytes [{}, {}) of partitions [{}, {}), read at point {}", tensor.name,
                  tensor.blocks.empty() ? "" : fmt::format(" block {}", equation.block),
                  band.runs.front().begin.value, band.runs.front().end.value,
                  band.partitions.begin.value, band.partitions.end.value, equation.use.value);
  Violation violation;
  violation.kind = Kind::kWrongValue;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.range = band.runs.front();
  switch (fault) {
    case Fault::kOverwritten: {
      const PointId write(site.memory);
      const std::string& other =
          allocated_.kernel.tensors[TensorId(static_cast<std::size_t>(site.first))].name;
      violation.kind = Kind::kOverlap;
      violation.tensors.push_back(other);
      violation.text =
          fmt::format("{}: the definition at point {} is gone, since point {} writes {} over it",
                      what, point.value, write.value, other);
      violation.time = Interval<PointId>{std::min(write, equation.use),
                                         PointId(std::max(write, equation.use).value + 1)};
      break;
    }
    case Fault::kStale:
      violation.text =
          fmt::format("{}: the definition at point {} never comes to the place that is read", what,
                      point.value);
      violation.time = Interval<PointId>{std::min(point, equation.use),
                                         PointId(std::max(point, equation.use).value + 1)};
      break;
    case Fault::kNeverThere:
      violation.kind = Kind::kUninitializedRead;
      violation.text = fmt::format("{}: nothing brings the input to the place that is read", what);
      break;
  }
  result_.violations.push_back(std::move(violation));
}

}  // namespace spillway::check::backward
