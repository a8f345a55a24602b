// Any sequence of tensors and tiles of a modular allocator against a model of what is live.
#include <gtest/gtest.h>
#include <rapidcheck/state.h>

#include "model/alloc/nki/modular_allocator.h"
#include "tests/property/run_property.h"
#include "tests/unit/nki/modular_model.h"
#include "tests/unit/nki/random_allocation.h"
#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

enum class ModularOp { kMake, kAdvance, kRequest, kFree, kOutside };

struct ModularStep {
  ModularOp op = ModularOp::kMake;
  ModularSet set;    // kMake
  LogicalTile tile;  // the others; kOutside: an index that the tensor doesn't have
};

// What the cases of one run had in them.
struct Seen {
  bool full = false;
  bool made_after_full = false;  // a smaller one still fitted
  bool misaligned = false;
  bool outside = false;
  bool wrapped = false;           // a tile took the place of an earlier one of its turn
  bool clobbered = false;         // which nobody had freed
  bool reused = false;            // which somebody had
  bool dimensions = false;        // several dimensions rotate at once
  bool more_than_blocks = false;  // a physical tile that no logical one uses
};

struct Subject {
  ModularAllocator modular;
  std::vector<ModularTiles> made;
  std::vector<LogicalTile> freed;
  Seen seen;
};

ModularSet AnySet() {
  ModularSet set;
  for (int d = AnyOf<int>({0, 1, 2, 2, 3}); d > 0; --d) set.blocks.push_back(1 + Below(5));
  if (!OneIn(5)) {
    for (std::size_t d = 0; d < set.blocks.size(); ++d) set.counts.push_back(1 + Below(3));
  }
  set.bytes = AnyOf<std::int64_t>({1, 1, 2, 3, 4, 8});
  set.align = AnyOf<std::int64_t>({0, 0, 0, 0, 2, 4, 8});
  return set;
}

plain::Numbers AnyIndex(const ModularSet& set) {
  plain::Numbers index;
  for (const std::int64_t n : set.blocks) index.push_back(Below(static_cast<int>(n)));
  return index;
}

plain::Numbers IndexOutside(const ModularSet& set) {
  plain::Numbers index = AnyIndex(set);
  if (index.empty() || OneIn(3)) {
    index.push_back(0);
    return index;
  }
  const auto d = static_cast<std::size_t>(Below(static_cast<int>(index.size())));
  index[d] = OneIn(2) ? -1 : set.blocks[d] + Below(2);
  return index;
}

ModularRequest RequestOf(const ModularSet& set) {
  std::optional<Bytes> align;
  if (set.align > 0) align = Bytes(set.align);
  return {Tile("t", set.bytes, align), set.blocks, set.counts};
}

std::int64_t AddressOf(const ModularTiles& tiles, const plain::Numbers& index) {
  return tiles.At(index).address->byte.value;
}

class Operation : public rc::state::Command<ModularModel, Subject> {
 public:
  explicit Operation(const ModularModel& model) {
    step_.op = *rc::gen::weightedElement<ModularOp>({{3, ModularOp::kMake},
                                                     {6, ModularOp::kAdvance},
                                                     {4, ModularOp::kRequest},
                                                     {4, ModularOp::kFree},
                                                     {1, ModularOp::kOutside}});
    if (model.sets() == 0) step_.op = ModularOp::kMake;
    if (step_.op == ModularOp::kFree && model.Live().empty()) step_.op = ModularOp::kAdvance;
    if (step_.op == ModularOp::kMake) {
      step_.set = AnySet();
      return;
    }
    step_.tile.set = static_cast<std::size_t>(Below(static_cast<int>(model.sets())));
    const ModularSet& set = model.SetAt(step_.tile.set);
    if (step_.op == ModularOp::kAdvance) step_.tile = model.NextOf(step_.tile.set);
    if (step_.op == ModularOp::kRequest) step_.tile.index = AnyIndex(set);
    if (step_.op == ModularOp::kOutside) step_.tile.index = IndexOutside(set);
    if (step_.op == ModularOp::kFree) step_.tile = AnyOf(model.Live());
  }

  // What shrinking leaves of a sequence must still have the tensor.
  void checkPreconditions(const ModularModel& model) const override {
    RC_PRE(step_.op == ModularOp::kMake || step_.tile.set < model.sets());
    if (step_.op == ModularOp::kMake) return;
    const plain::Numbers& blocks = model.SetAt(step_.tile.set).blocks;
    bool is_inside = blocks.size() == step_.tile.index.size();
    for (std::size_t d = 0; is_inside && d < blocks.size(); ++d)
      is_inside = step_.tile.index[d] >= 0 && step_.tile.index[d] < blocks[d];
    RC_PRE(is_inside == (step_.op != ModularOp::kOutside));
  }

  void apply(ModularModel& model) const override {
    if (step_.op == ModularOp::kMake) model.Make(step_.set);
    if (step_.op == ModularOp::kAdvance || step_.op == ModularOp::kRequest)
      model.Request(step_.tile);
    if (step_.op == ModularOp::kFree) model.Free(step_.tile);
  }

  void run(const ModularModel& before, Subject& subject) const override {
    switch (step_.op) {
      case ModularOp::kMake: Make(before, subject); break;
      case ModularOp::kAdvance:
      case ModularOp::kRequest: Request(before, subject); break;
      case ModularOp::kFree: subject.freed.push_back(step_.tile); break;
      case ModularOp::kOutside:
        RC_ASSERT_THROWS_AS(subject.made[step_.tile.set].At(step_.tile.index), ContractViolation);
        subject.seen.outside = true;
        break;
    }
    ModularModel after = before;
    apply(after);
    RC_ASSERT(subject.modular.cursor().value == after.cursor());
    RC_ASSERT(subject.made.size() == after.sets());
    // No byte of what is live is anybody else's: the model gives each byte to one tile.
    for (const LogicalTile& live : after.Live())
      RC_ASSERT(AddressOf(subject.made[live.set], live.index) == after.BeginOf(live));
  }

  void show(std::ostream& out) const override {
    static constexpr const char* kNames[] = {"make", "advance", "request", "free", "outside"};
    out << kNames[static_cast<int>(step_.op)];
    if (step_.op == ModularOp::kMake) {
      out << " blocks " << plain::Text(step_.set.blocks) << " counts "
          << plain::Text(step_.set.counts) << " bytes " << step_.set.bytes << " align "
          << step_.set.align;
    } else {
      out << " tile " << plain::Text(step_.tile.index) << " of tensor " << step_.tile.set;
    }
  }

 private:
  void Make(const ModularModel& before, Subject& subject) const {
    ModularModel after = before;
    const ModularModel::Answer expected = after.Make(step_.set);
    const auto made = subject.modular.Alloc(RequestOf(step_.set));
    RC_ASSERT(CodeOf(made) == expected.code);
    Seen& seen = subject.seen;
    seen.made_after_full |= seen.full && made.has_value();
    seen.full |= expected.code == "modular-out-of-memory";
    seen.misaligned |= expected.code == "modular-alignment";
    if (!made) return;
    RC_ASSERT(made->bytes.begin.value == expected.start);
    RC_ASSERT(made->bytes.end.value == expected.end);
    RC_ASSERT(made->bytes.end <= subject.modular.window().end);
    RC_ASSERT(made->tiles.size() == plain::Blocks(step_.set.blocks).size());
    int rotating = 0;
    for (std::size_t d = 0; d < step_.set.counts.size(); ++d) {
      rotating += step_.set.counts[d] > 1 && step_.set.blocks[d] > step_.set.counts[d] ? 1 : 0;
      seen.more_than_blocks |= step_.set.counts[d] > step_.set.blocks[d];
    }
    seen.dimensions |= rotating >= 2;
    subject.made.push_back(*made);
  }

  void Request(const ModularModel& before, Subject& subject) const {
    const ModularTiles& tiles = subject.made[step_.tile.set];
    const std::int64_t begin = AddressOf(tiles, step_.tile.index);
    RC_ASSERT(begin == before.BeginOf(step_.tile));
    RC_ASSERT(begin % std::max<std::int64_t>(1, before.SetAt(step_.tile.set).align) == 0);
    RC_ASSERT(ByteOffset(begin) >= tiles.bytes.begin);
    RC_ASSERT(ByteOffset(begin + before.SetAt(step_.tile.set).bytes) <= tiles.bytes.end);
    ModularModel after = before;
    const std::vector<LogicalTile> evicted = after.Request(step_.tile);
    // It takes the bytes of whoever has its turn, whole, and nobody else's.
    for (const LogicalTile& live : before.Live()) {
      if (live == step_.tile) continue;
      const bool lost = std::find(evicted.begin(), evicted.end(), live) != evicted.end();
      RC_ASSERT(lost == before.HaveOneTurn(live, step_.tile));
      if (lost) RC_ASSERT(AddressOf(subject.made[live.set], live.index) == begin);
    }
    Seen& seen = subject.seen;
    seen.clobbered |= !evicted.empty();
    const auto was_freed = [&](const LogicalTile& tile) {
      return tile != step_.tile && before.HaveOneTurn(tile, step_.tile);
    };
    seen.reused |= std::any_of(subject.freed.begin(), subject.freed.end(), was_freed);
    seen.wrapped |= seen.clobbered || seen.reused;
    std::erase_if(subject.freed,
                  [&](const LogicalTile& tile) { return before.HaveOneTurn(tile, step_.tile); });
  }

  ModularStep step_;
};

TEST(ModularAllocatorStates, EveryTileLiesWhereItsTurnDoes) {
  Shares shares;
  CheckProperty("modular allocator", 400, [&](std::uint8_t first, std::uint8_t size) {
    const std::int64_t lower = first % 40;
    const std::int64_t upper = lower + 20 + size % 160;
    const Interval<ByteOffset> window{ByteOffset(lower), ByteOffset(upper)};
    Subject subject{*ModularAllocator::Create(Trn2(), window), {}, {}, {}};
    rc::state::check(ModularModel(lower, upper), subject,
                     rc::state::gen::execOneOfWithArgs<Operation>());
    shares.Case();
    shares.Count("refused for room", subject.seen.full);
    shares.Count("made after that", subject.seen.made_after_full);
    shares.Count("refused for alignment", subject.seen.misaligned);
    shares.Count("index refused", subject.seen.outside);
    shares.Count("wrapped around", subject.seen.wrapped);
    shares.Count("took a live tile's place", subject.seen.clobbered);
    shares.Count("took a freed tile's place", subject.seen.reused);
    shares.Count("several dimensions rotate", subject.seen.dimensions);
    shares.Count("more tiles than blocks", subject.seen.more_than_blocks);
  });
  shares.AtLeast("refused for room", 30);
  shares.AtLeast("made after that", 20);
  shares.AtLeast("refused for alignment", 30);
  shares.AtLeast("index refused", 40);
  shares.AtLeast("wrapped around", 50);
  shares.AtLeast("took a live tile's place", 40);
  shares.AtLeast("took a freed tile's place", 30);
  shares.AtLeast("several dimensions rotate", 10);
  shares.AtLeast("more tiles than blocks", 25);
}

}  // namespace
}  // namespace spillway::nki
