// Any sequence of operations on a stack manager against a model of it.
#include <fmt/format.h>
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
  bool cursor_refused = false;
  bool sections_share = false;       // stack tiles of two neighbouring sections
  bool heap_over_section = false;    // a heap tile and an earlier stack tile
  bool section_over_popped = false;  // the other way round
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

TileRequest RequestOf(const StackStep& step, const StackManager& manager) {
  TileRequest tile;
  tile.name = fmt::format("t{}", manager.tiles().size());
  tile.shape = {step.half == 0 ? 128 : 64, step.bytes};
  tile.dtype = "uint8";
  tile.base_partition = Partition(step.half == 2 ? 64 : 0);
  if (step.align > 0) tile.align = Bytes(step.align);
  return tile;
}

Outcome Do(const StackStep& step, StackManager& manager) {
  switch (step.op) {
    case StackOp::kOpen: return OutcomeOf(manager.OpenScope(step.degree));
    case StackOp::kClose: return OutcomeOf(manager.CloseScope());
    case StackOp::kIncrement: return OutcomeOf(manager.IncrementSection());
    case StackOp::kStack: return OutcomeOf(manager.AllocStack(RequestOf(step, manager)));
    case StackOp::kHeap: return OutcomeOf(manager.AllocHeap(RequestOf(step, manager)));
    case StackOp::kPop: return OutcomeOf(manager.PopHeap());
    case StackOp::kAlign:
      return OutcomeOf(manager.AlignStack(Bytes(std::max<std::int64_t>(1, step.align))));
    case StackOp::kSkip:
      return OutcomeOf(manager.SkipStack(*manager.StackAddress() + Bytes(step.bytes)));
  }
  return {};
}

std::string Range(const Interval<ByteOffset>& bytes) {
  return fmt::format("{}-{}", bytes.begin.value, bytes.end.value);
}

StackModel::Texts SectionsOf(const StackManager& manager) {
  StackModel::Texts texts;
  for (const SectionOverlap& overlap : manager.overlaps())
    texts.insert(
        fmt::format("{} over {} in {}", overlap.later, overlap.earlier, Range(overlap.shared)));
  return texts;
}

StackModel::Texts HeapsOf(const StackManager& manager) {
  StackModel::Texts texts;
  for (const HeapOverlap& overlap : manager.heap_overlaps())
    texts.insert(fmt::format("{} of {} over {} of {} in {}", overlap.later_tile.name, overlap.later,
                             overlap.earlier_tile.name, overlap.earlier, Range(overlap.shared)));
  return texts;
}

void Note(const StackModel& before, const StackModel& after, const StackModel::Answer& answer,
          const StackManager& manager, Seen& seen) {
  seen.wrapped |= after.wrapped();
  seen.jumped |= after.jumped();
  seen.stack_full |= answer.code == "stack-out-of-memory";
  seen.heap_full |= answer.code == "heap-out-of-memory";
  seen.section_full |= answer.code == "section-out-of-memory";
  seen.cursor_refused |= answer.code == "stack-cursor-out-of-memory";
  seen.deep |= after.depth() >= 3;
  const auto has_gap = [](const StackModel::HeapTile& tile) { return tile.end < tile.top; };
  if (after.heap().size() > before.heap().size()) seen.gap_in_heap |= has_gap(after.heap().back());
  if (after.heap().size() < before.heap().size()) seen.popped_gap |= has_gap(before.heap().back());
  seen.sections_share |= !after.sections().empty();
  for (const HeapOverlap& overlap : manager.heap_overlaps()) {
    seen.heap_over_section |= overlap.earlier_tile.region == TileRegion::kStack;
    seen.section_over_popped |= overlap.later_tile.region == TileRegion::kStack;
  }
}

class Operation : public rc::state::Command<StackModel, Subject> {
 public:
  explicit Operation(const StackModel& model) {
    // Sections of an interleaved scope follow each other, or nothing is ever beside a neighbour.
    const bool interleaved = model.degree() > 1;
    step_.op = *rc::gen::weightedElement<StackOp>({{interleaved ? 4 : 6, StackOp::kOpen},
                                                   {interleaved ? 3 : 6, StackOp::kClose},
                                                   {10, StackOp::kIncrement},
                                                   {12, StackOp::kStack},
                                                   {7, StackOp::kHeap},
                                                   {5, StackOp::kPop},
                                                   {1, StackOp::kAlign},
                                                   {1, StackOp::kSkip}});
    const std::int64_t most = step_.op == StackOp::kHeap ? 100 : 50;
    step_.bytes = *rc::gen::inRange<std::int64_t>(step_.op == StackOp::kSkip ? -3 : 1, most);
    step_.align = *rc::gen::element<std::int64_t>(0, 0, 0, 1, 2, 4, 8, 24, 32, 64);
    step_.degree = *rc::gen::element<std::int64_t>(1, 1, 2, 2, 3);
    step_.half = *rc::gen::element(0, 0, 0, 1, 2);
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
    RC_ASSERT(SectionsOf(subject.manager) == after.sections());
    RC_ASSERT(HeapsOf(subject.manager) == after.heaps());
    Note(before, after, expected, subject.manager, subject.seen);
  }

  void show(std::ostream& out) const override { showValue(step_, out); }

 private:
  StackStep step_;
};

TEST(StackManagerStates, EveryOperationDoesWhatTheModelDoes) {
  Shares shares;
  CheckProperty("stack manager", 800, [&](std::uint8_t first, std::uint8_t size) {
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
    shares.Count("cursor refused", subject.seen.cursor_refused);
    shares.Count("sections share bytes", subject.seen.sections_share);
    shares.Count("heap over a section", subject.seen.heap_over_section);
    shares.Count("section where the heap was", subject.seen.section_over_popped);
  });
  shares.AtLeast("wrapped", 30);
  shares.AtLeast("jumped", 3);
  shares.AtLeast("stack full", 20);
  shares.AtLeast("heap full", 15);
  shares.AtLeast("section full", 1);
  shares.AtLeast("gap in heap", 30);
  shares.AtLeast("gap popped", 25);
  shares.AtLeast("three deep", 15);
  shares.AtLeast("cursor refused", 5);
  shares.AtLeast("sections share bytes", 5);
  shares.AtLeast("heap over a section", 3);
  shares.AtLeast("section where the heap was", 3);
}

}  // namespace
}  // namespace spillway::nki
