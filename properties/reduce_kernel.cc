#include "properties/reduce_kernel.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "properties/kernel_edit.h"
#include "sim/values/numeric_ops.h"
#include "sim/values/reference_interpreter.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

std::int64_t UndefinedReads(const Kernel& kernel) {
  const Result<InterpreterReport> report = Interpret(kernel, ValueMode::kNone, {});
  return report ? report->uninitialized_total : std::numeric_limits<std::int64_t>::max();
}

class Reducer {
 public:
  Reducer(const Kernel& kernel, const StillFails& still_fails, const ReduceOptions& options)
      : still_fails_(still_fails),
        options_(options),
        undefined_(UndefinedReads(kernel)),
        reduced_{kernel, 0, false} {}

  Reduced Run() {
    bool smaller = true;
    while (smaller && !Spent()) {
      smaller = DropInstructions();
      smaller = DropLoops() || smaller;
      smaller = DropIterations() || smaller;
      smaller = DropPredicates() || smaller;
      smaller = DropInputs() || smaller;
    }
    reduced_.finished = !Spent();
    return std::move(reduced_);
  }

 private:
  const Kernel& Now() const { return reduced_.kernel; }

  bool Spent() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return spent.count() > options_.seconds || reduced_.tries >= options_.most_tries;
  }

  // Takes `candidate` where it is a kernel and fails the same way.
  bool Try(const Kernel& candidate) {
    if (candidate == Now() || candidate.instructions.empty() || Spent()) return false;
    ++reduced_.tries;
    const Result<Kernel> read = ParseKernel(PrintKernelFile(candidate), "candidate");
    if (!read || UndefinedReads(*read) > undefined_) return false;
    try {
      if (!still_fails_(*read)) return false;
    } catch (const std::exception&) {
      return false;
    }
    reduced_.kernel = *read;
    return true;
  }

  bool DropInstructions() {
    bool any = false;
    for (std::size_t chunk = Now().instructions.size(); chunk > 0 && !Spent(); chunk /= 2) {
      // From the end, where nobody reads what goes.
      for (std::size_t end = Now().instructions.size(); end > 0;) {
        end = std::min(end, Now().instructions.size());
        if (end == 0) break;
        const std::size_t begin = end > chunk ? end - chunk : 0;
        IdVector<InstructionId, bool> dropped(Now().instructions.size(), false);
        for (std::size_t i = begin; i < end; ++i) dropped[InstructionId(i)] = true;
        any = Try(WithoutInstructions(Now(), dropped)) || any;
        end = begin;
      }
    }
    return any;
  }

  bool DropLoops() {
    bool any = false;
    for (std::size_t loop = Now().loops.size(); loop-- > 0;) {
      if (loop < Now().loops.size()) any = Try(WithoutLoop(Now(), LoopId(loop))) || any;
    }
    return any;
  }

  bool DropIterations() {
    bool any = false;
    for (std::size_t loop = 0; loop < Now().loops.size(); ++loop) {
      for (const std::int64_t trips : {1, 2, 3}) {
        if (trips >= TripCount(Now().loops[LoopId(loop)])) break;
        if (!Try(WithTrips(Now(), LoopId(loop), trips))) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  bool DropPredicates() {
    bool any = false;
    for (std::size_t i = 0; i < Now().instructions.size(); ++i) {
      for (std::size_t p = Now().instructions[InstructionId(i)].when.size(); p-- > 0;) {
        any = Try(WithoutPredicate(Now(), InstructionId(i), p)) || any;
      }
    }
    return any;
  }

  bool DropInputs() {
    bool any = false;
    for (std::size_t i = 0; i < Now().instructions.size(); ++i) {
      // Operations with numerics need all that they have.
      if (!WhyOpaque(Now(), Now().instructions[InstructionId(i)])) continue;
      for (std::size_t in = Now().instructions[InstructionId(i)].inputs.size(); in-- > 0;) {
        if (i >= Now().instructions.size()) break;
        any = Try(WithoutInput(Now(), InstructionId(i), in)) || any;
      }
    }
    return any;
  }

  const StillFails& still_fails_;
  const ReduceOptions options_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const std::int64_t undefined_;
  Reduced reduced_;
};

}  // namespace

Reduced ReduceKernel(const Kernel& kernel, const StillFails& still_fails,
                     const ReduceOptions& options) {
  return Reducer(kernel, still_fails, options).Run();
}

}  // namespace spillway
