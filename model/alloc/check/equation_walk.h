// Equations walked from the end of a function to its start.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "model/alloc/check/equation_loops.h"
#include "model/alloc/check/equation_set.h"
#include "model/alloc/check/equation_steps.h"
#include "model/hw/violation.h"

namespace spillway::check::backward {

class Walk {
 public:
  Walk(const Kernel& original, const LinearKernel& allocated, const Placement& placement,
       const Matching& matching);

  CheckResult Run();

 private:
  enum class Fault { kStale, kOverwritten, kNeverThere };

  EquationSet AtEnd() const;
  void Back(std::size_t begin, std::size_t end, EquationSet& set);
  void BackThroughLoop(std::size_t begin, std::size_t end, EquationSet& set);
  void BackThroughBoth(const Step& step, EquationSet& set);
  void BackThroughCopy(const Step& step, EquationSet& set);
  void BackThroughRemoved(const Step& step, EquationSet& set);
  void CheckStart(const EquationSet& set);

  /// One block that an access of both functions touches: where it lies, and what of it.
  struct Touched {
    std::int64_t block = 0;
    SitedBytes sited;
  };
  std::vector<Touched> TouchedBy(const Touch& touch) const;
  void Define(const Step& step, const Touch& touch, const Touched& what, EquationSet& set);
  void Settle(const Step& step, const Touch& touch, const Touched& what, EquationSet& set);
  void Overwrite(const Step& step, const Touch& touch, const Touched& what, EquationSet& set);

  /// What of `equation` the original's `load` defines, as equations of what it loads; without
  /// those that hold.
  std::vector<Equation> OfSource(const Equation& equation, const CopyShape& load) const;
  std::vector<Move> MovesOfCopy(const CopyShape& copy) const;
  std::vector<Move> MovesOfLoad(const CopyShape& load) const;
  Site OwnSite(TensorId original, std::int64_t block) const;
  /// Adds an equation unless it says of constant memory that it holds what it holds.
  void Add(Equation equation, EquationSet& set) const;
  void Complain(Fault fault, const Equation& equation, PointId point);

  const Kernel& original_;
  const LinearKernel& allocated_;
  const Placement& placement_;
  const Matching& matching_;
  LoopRules loops_;
  std::vector<std::int64_t> loop_values_;
  std::int64_t steps_ = 0;
  CheckResult result_;
  std::set<std::tuple<Fault, TensorId, PointId>> reported_;
};

}  // namespace spillway::check::backward
