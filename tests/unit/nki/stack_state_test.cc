// Any sequence of operations on a stack manager against a model of it.
#include <rapidcheck/state.h>

#include "tests/property/run_property.h"
#include "tests/unit/nki/stack_fixture.h"
#include "tests/unit/nki/stack_model.h"

namespace spillway::nki {
namespace {

// What the cases of one run had in them.
struct Seen {
  bool wrapped = false;
  bool jumped = false;  // a section started above the cursor, behind a closed sub-scope
  bool stack_full = false;
  bool heap_full = false;
  bool section_full = false;
  bool gap_in_heap = false;  // alignment left bytes between two heap tiles
  bool popped_gap = false;   // and the pop gave them back
  bool deep = false;         // three scopes were open at once
};

struct Subject {
  StackManager manager;
  Seen seen;
};

struct Outcome {
  std::string code;
  std::int64_t address = 0;
};

template <class T>
Outcome OutcomeOf(const Result<T>& result) {
  if constexpr (std::is_same_v<T, TileAllocation>) {
    if (result) return {"", result->address->byte.value};
  }
  return {CodeOf(result), 0};
}

Outcome Do(const StackStep& step, StackManager& manager) {
  std::optional<Bytes> align;
  if (step.align > 0) align = Bytes(step.align);
  switch (step.op) {
    case StackOp::kOpen: return OutcomeOf(manager.OpenScope(step.degree));
    case StackOp::kClose: return OutcomeOf(manager.CloseScope());
    case StackOp::kIncrement: return OutcomeOf(manager.IncrementSection());
    case StackOp::kStack: return OutcomeOf(manager.AllocStack(Tile("s", step.bytes, align)));
    case StackOp::kHeap: return OutcomeOf(manager.AllocHeap(Tile("h", step.bytes, align)));
    case StackOp::kPop: return OutcomeOf(manager.PopHeap());
  }
  return {};
}

void Note(const StackModel& before, const StackModel& after, const StackModel::Answer& answer,
          Seen& seen) {
  seen.wrapped |= after.wrapped();
  seen.jumped |= after.jumped();
  seen.stack_full |= answer.code == "stack-out-of-memory";
  seen.heap_full |= answer.code == "heap-out-of-memory";
  seen.section_full |= answer.code == "section-out-of-memory";
  seen.deep |= after.depth() >= 3;
  const auto has_gap = [](const StackModel::HeapTile& tile) { return tile.end < tile.top; };
  if (after.heap().size() > before.heap().size()) seen.gap_in_heap |= has_gap(after.heap().back());
  if (after.heap().size() < before.heap().size()) seen.popped_gap |= has_gap(before.heap().back());
}

class Operation : public rc::state::Command<StackModel, Subject> {
 public:
  explicit Operation(const StackModel& /*model*/) {
    step_.op = *rc::gen::weightedElement<StackOp>({{3, StackOp::kOpen},
                                                   {3, StackOp::kClose},
                                                   {5, StackOp::kIncrement},
                                                   {8, StackOp::kStack},
                                                   {3, StackOp::kHeap},
                                                   {2, StackOp::kPop}});
    step_.bytes = *rc::gen::inRange<std::int64_t>(1, 50);
    step_.align = *rc::gen::element<std::int64_t>(0, 0, 0, 1, 2, 4, 8, 24, 32, 64);
    step_.degree = *rc::gen::element<std::int64_t>(1, 2, 2, 3, 3);
  }

  void apply(StackModel& model) const override { model.Do(step_); }

  void run(const StackModel& before, Subject& subject) const override {
    StackModel after = before;
    const StackModel::Answer expected = after.Do(step_);
    const Outcome found = Do(step_, subject.manager);
    RC_ASSERT(found.code == expected.code);
    RC_ASSERT(found.address == expected.address);
    RC_ASSERT(subject.manager.StackAddress()->value == after.cursor());
    RC_ASSERT(subject.manager.HeapAddress()->value == after.top());
    RC_ASSERT(subject.manager.FreeBytes() >= Bytes(0));
    RC_ASSERT(subject.manager.scopes().size() == after.depth());
    Note(before, after, expected, subject.seen);
  }

  void show(std::ostream& out) const override { showValue(step_, out); }

 private:
  StackStep step_;
};

TEST(StackManagerStates, EveryOperationDoesWhatTheModelDoes) {
  Shares shares;
  CheckProperty("stack manager", 400, [&](std::uint8_t first, std::uint8_t size) {
    const std::int64_t lower = first % 40;
    const std::int64_t upper = lower + 100 + size;
    Subject subject{Manager(lower, upper), {}};
    rc::state::check(StackModel(lower, upper), subject,
                     rc::state::gen::execOneOfWithArgs<Operation>());
    shares.Case();
    shares.Count("wrapped", subject.seen.wrapped);
    shares.Count("jumped", subject.seen.jumped);
    shares.Count("stack full", subject.seen.stack_full);
    shares.Count("heap full", subject.seen.heap_full);
    shares.Count("section full", subject.seen.section_full);
    shares.Count("gap in heap", subject.seen.gap_in_heap);
    shares.Count("gap popped", subject.seen.popped_gap);
    shares.Count("three deep", subject.seen.deep);
  });
  shares.AtLeast("wrapped", 30);
  shares.AtLeast("jumped", 4);
  shares.AtLeast("stack full", 20);
  shares.AtLeast("heap full", 15);
  shares.AtLeast("section full", 1);
  shares.AtLeast("gap in heap", 30);
  shares.AtLeast("gap popped", 25);
  shares.AtLeast("three deep", 15);
}

}  // namespace
}  // namespace spillway::nki
