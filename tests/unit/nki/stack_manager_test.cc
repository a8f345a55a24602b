// Cursors, errors and the record of the stack manager.
#include "model/alloc/nki/stack_manager.h"

#include <gmock/gmock.h>

#include <functional>

#include "model/alloc/nki/kernel_assert.h"
#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(StackManager, TakesTheUsableBytesOfItsTarget) {
  for (const auto& [name, bytes] :
       {std::pair{"trn1", 180224}, {"trn2", 212984}, {"trn3", 245752}}) {
    const auto manager = StackManager::Create(*FindTarget(name), {});
    ASSERT_TRUE(manager.has_value());
    EXPECT_EQ(manager->TotalBytes(), Bytes(bytes)) << name;
    EXPECT_EQ(manager->FreeBytes(), Bytes(bytes)) << name;
  }
}

TEST(StackManager, RefusesAWindowOutsideTheUsableBytes) {
  for (const auto& [lower, upper] :
       {std::pair{-1, 100}, {0, 212985}, {200, 100}, {212985, 212985}}) {
    const auto manager = StackManager::Create(Trn2(), Window(lower, upper));
    ASSERT_FALSE(manager.has_value()) << lower;
    EXPECT_EQ(manager.error().code, "stack-window");
    EXPECT_THAT(manager.error().message, HasSubstr("[0, 212984) of a partition of trn2"));
  }
  EXPECT_TRUE(StackManager::Create(Trn2(), Window(212984, 212984)).has_value());
}

//  0        8   12        20                84   100
//  | a 5 |..| b 4 |  c 8  |   free          | h 16 |
TEST(StackManager, AlignsTilesToTheirElementsAndGivesBackWhatAScopeHeld) {
  StackManager manager = Manager(0, 100);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("h", 16))), 84);
  ASSERT_TRUE(manager.OpenScope().has_value());
  EXPECT_EQ(ByteOf(manager.AllocStack(Tile("a", 5))), 0);
  EXPECT_EQ(ByteOf(manager.AllocStack({"b", {128, 1}, "float32", Space::kSbuf, {}, {}})), 8);
  ASSERT_TRUE(manager.OpenScope().has_value());
  EXPECT_EQ(ByteOf(manager.AllocStack({"c", {128, 4}, "bfloat16", Space::kSbuf, {}, {}})), 12);
  EXPECT_EQ(manager.FreeBytes(), Bytes(64));
  EXPECT_EQ(manager.UsedBytes(), Bytes(36));
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(12));
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(0));
  EXPECT_EQ(manager.HeapAddress(), ByteOffset(84)) << "a scope that closes leaves the heap alone";
}

TEST(StackManager, FillsItsWindowToTheLastByte) {
  StackManager manager = Manager(10, 20);
  ASSERT_TRUE(manager.OpenScope().has_value());
  EXPECT_EQ(ByteOf(manager.AllocStack(Tile("a", 6))), 10);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("h", 4))), 16);
  EXPECT_EQ(manager.FreeBytes(), Bytes(0));
  EXPECT_EQ(CodeOf(manager.AllocStack(Tile("b", 1))), "stack-out-of-memory");
  EXPECT_EQ(CodeOf(manager.AllocHeap(Tile("i", 1))), "heap-out-of-memory");
}

TEST(StackManager, TheHeapTakesFourBytesOrWhatIsAskedFor) {
  StackManager manager = Manager(0, 999);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("a", 1))), 996);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("b", 1, Bytes(2)))), 994);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("c", 1, Bytes(1)))), 993);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("d", 33, Bytes(64)))), 960);
}

TEST(StackManager, TheTargetsSmallestAlignmentHoldsForDefaults) {
  Target target = Trn2();
  target.sbuf_min_align.value = Bytes(8);
  StackManager manager = *StackManager::Create(target, Window(0, 100));
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_EQ(ByteOf(manager.AllocStack(Tile("a", 1))), 0);
  EXPECT_EQ(ByteOf(manager.AllocStack(Tile("b", 1))), 8);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("h", 1))), 96);
}

TEST(StackManager, OutOfMemoryNamesNumbersAndTheLargestHolders) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.AllocHeap(Tile("bias", 16)).has_value());
  ASSERT_TRUE(manager.OpenScope().has_value());
  for (const auto& [name, bytes] : {std::pair{"tiny", 1}, {"q", 20}, {"k", 30}})
    ASSERT_TRUE(manager.AllocStack(Tile(name, bytes)).has_value());
  const auto stack = manager.AllocStack({"v", {128, 9}, "float32", Space::kSbuf, {}, {}});
  ASSERT_FALSE(stack.has_value());
  EXPECT_EQ(stack.error().kind, Kind::kCapacity);
  EXPECT_THAT(stack.error().message,
              AllOf(StartsWith("[NCC_INKI016] Kernel validation exception: Stack out of memory: "
                               "tile 'v' (128, 9) float32 asks for 36 B"),
                    HasSubstr("aligned to 4 is [52, 88)"),
                    HasSubstr("33 B are free, from stack 51 to heap 84 of the window [0, 100)"),
                    HasSubstr("largest holders: stack 'k' 30 B @ 21, stack 'q' 20 B @ 1, heap "
                              "'bias' 16 B @ 84;")));
  const auto heap = manager.AllocHeap(Tile("w", 34));
  ASSERT_FALSE(heap.has_value());
  EXPECT_THAT(heap.error().message,
              AllOf(StartsWith("[NCC_INKI016] Kernel validation exception: Heap out of memory: "
                               "tile 'w' (128, 34) uint8 asks for 34 B"),
                    HasSubstr("is [48, 82)"), HasSubstr("33 B are free")));
}

// A tile of the heap may lie where a closed sub-scope was, but then the next section of the scope
// around it, which starts behind that sub-scope, has no room.
TEST(StackManager, ASectionThatWouldStartInTheHeapIsOutOfMemory) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_TRUE(manager.AllocStack(Tile("a", 60)).has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  ASSERT_EQ(ByteOf(manager.AllocHeap(Tile("h", 50))), 48);
  const auto section = manager.IncrementSection();
  ASSERT_FALSE(section.has_value());
  EXPECT_EQ(section.error().code, "section-out-of-memory");
  EXPECT_THAT(
      section.error().message,
      HasSubstr("section 1 of scope 'loop' starts at 60, behind its earlier sections, where "
                "the heap holds [48, 100)"));
  ASSERT_TRUE(manager.PopHeap().has_value());
  EXPECT_TRUE(manager.IncrementSection().has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(60));
}

struct Misuse {
  const char* what;
  std::function<std::optional<Error>(StackManager&)> act;
  Kind kind;
  const char* code;
  const char* words;
};

template <class T>
std::optional<Error> ErrorOf(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}
TileRequest In(Space space) { return {"t", {128, 4}, "float32", space, Partition(0), {}}; }

class Misused : public testing::TestWithParam<Misuse> {};

// Heap: "h" of 8 bytes, then "i" of 4; no scope is open.
TEST_P(Misused, IsRefusedWithItsOwnCodeAndChangesNothing) {
  const Misuse& row = GetParam();
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 8)).has_value());
  ASSERT_TRUE(manager.AllocHeap(Tile("i", 4)).has_value());
  const std::string log = manager.Log();
  const std::optional<Error> error = row.act(manager);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, row.kind);
  EXPECT_EQ(error->code, row.code);
  EXPECT_THAT(error->message,
              AllOf(StartsWith(std::string(kKernelAssertPrefix)), HasSubstr(row.words)));
  EXPECT_EQ(manager.Log(), log);
  EXPECT_EQ(manager.FreeBytes(), Bytes(88));
  EXPECT_EQ(manager.tiles().size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, Misused,
    testing::Values(
        Misuse{"StackWithoutScope", [](auto& m) { return ErrorOf(m.AllocStack(Tile("t", 1))); },
               Kind::kShape, "stack-without-scope",
               "Cannot allocate in stack without an open scope: tile 't'"},
        Misuse{"CloseWithoutScope", [](auto& m) { return ErrorOf(m.CloseScope()); }, Kind::kShape,
               "close-without-scope", "without an open scope"},
        Misuse{"IncrementWithoutScope", [](auto& m) { return ErrorOf(m.IncrementSection()); },
               Kind::kShape, "increment-without-scope", "without an open scope"},
        Misuse{"NoSection", [](auto& m) { return ErrorOf(m.OpenScope(0, "s")); }, Kind::kLimit,
               "interleave-degree", "scope 's' has an interleave degree of 0"},
        Misuse{"PopOfAnother", [](auto& m) { return ErrorOf(m.PopHeap("h")); }, Kind::kShape,
               "heap-pop-order", "expected to pop 'h', found 'i'; the heap holds 'h', 'i'"},
        Misuse{"PsumOnTheStack", [](auto& m) { return ErrorOf(m.AllocStack(In(Space::kPsum))); },
               Kind::kMemorySpace, "stack-buffer",
               "alloc_stack is only supported for SBUF tensors: tile 't' lies in psum"},
        Misuse{"DramOnTheStack", [](auto& m) { return ErrorOf(m.AllocStack(In(Space::kDram))); },
               Kind::kMemorySpace, "stack-buffer", "lies in dram"},
        Misuse{"PsumOnTheHeap", [](auto& m) { return ErrorOf(m.AllocHeap(In(Space::kPsum))); },
               Kind::kMemorySpace, "heap-buffer",
               "alloc_heap is only supported for SBUF tensors: tile 't' lies in psum"},
        Misuse{"DramOnTheHeap", [](auto& m) { return ErrorOf(m.AllocHeap(In(Space::kDram))); },
               Kind::kMemorySpace, "heap-buffer", "lies in dram"},
        Misuse{"AnUnknownDtypeOnTheHeap",
               [](auto& m) {
                 return ErrorOf(m.AllocHeap({"t", {128, 4}, "float64", Space::kSbuf, {}, {}}));
               },
               Kind::kUnknownName, "unknown-dtype", "dtype size unknown! 'float64'"},
        Misuse{"TooLargeForTheHeap", [](auto& m) { return ErrorOf(m.AllocHeap(Tile("t", 89))); },
               Kind::kCapacity, "heap-out-of-memory", "is [-4, 85)"},
        Misuse{"AlignmentOfNothing", [](auto& m) { return ErrorOf(m.AlignStack(Bytes(0))); },
               Kind::kMisaligned, "stack-cursor-alignment", "0 bytes"},
        Misuse{"ACursorIntoTheHeap", [](auto& m) { return ErrorOf(m.SkipStack(ByteOffset(89))); },
               Kind::kCapacity, "stack-cursor-out-of-memory",
               "can't go up to 89, the heap starts at 88"},
        Misuse{"ACursorDownwards", [](auto& m) { return ErrorOf(m.SkipStack(ByteOffset(-1))); },
               Kind::kOutOfRange, "stack-cursor", "from 0 to -1"},
        Misuse{"AutomaticAfterDirect", [](auto& m) { return ErrorOf(m.SetAutomatic(true)); },
               Kind::kMixedAllocation, "mixed-allocation",
               "2 tiles were allocated directly; the rest of the window can't be allocated "
               "automatically"}),
    [](const auto& row) { return std::string(row.param.what); });

TEST(StackManager, AnEmptyHeapUnderflows) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 8)).has_value());
  EXPECT_EQ(manager.PopHeap("h")->name, "h");
  const auto empty = manager.PopHeap();
  ASSERT_EQ(CodeOf(empty), "heap-underflow");
  EXPECT_THAT(empty.error().message, HasSubstr("Heap underflow: pop called on empty heap"));
}

TEST(StackManager, AScopeLeftOpenAtTheEndIsNamed) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.OpenScope(1, "outer").has_value());
  ASSERT_TRUE(manager.OpenScope().has_value());
  const auto record = manager.Finish();
  ASSERT_EQ(CodeOf(record), "scope-left-open");
  EXPECT_THAT(record.error().message, HasSubstr("2 scopes are open at the end: 'outer/(unnamed)'"));
}

TEST(StackManager, InAutomaticModeCursorsMoveAndNothingIsPinned) {
  StackOptions options = Window(0, 100);
  options.automatic = true;
  StackManager manager = *StackManager::Create(Trn2(), options);
  ASSERT_TRUE(manager.OpenScope().has_value());
  const auto tile = manager.AllocStack(Tile("a", 80));
  ASSERT_TRUE(tile.has_value());
  EXPECT_FALSE(tile->address.has_value());
  EXPECT_TRUE(manager.AllocHeap(Tile("h", 40)).has_value()) << "nothing is out of memory";
  EXPECT_EQ(manager.FreeBytes(), Bytes(-20));
  ASSERT_EQ(CodeOf(manager.StackAddress()), "stack-address-in-automatic-mode");
  EXPECT_EQ(CodeOf(manager.HeapAddress()), "heap-address-in-automatic-mode");
  EXPECT_EQ(CodeOf(manager.AlignStack()), "align-in-automatic-mode");
  EXPECT_THAT(manager.StackAddress().error().message,
              HasSubstr("get_stack_curr_addr() is not supported in auto-allocation mode"));
  EXPECT_THAT(manager.Log(), HasSubstr("a: 80 B @ auto (128, 80) uint8"));
  EXPECT_EQ(CodeOf(manager.SetAutomatic(false)), "mixed-allocation");
}

TEST(StackManager, TheModeChangesBeforeTheFirstTile) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.SetAutomatic(true).has_value());
  EXPECT_TRUE(manager.automatic());
  ASSERT_TRUE(manager.SetAutomatic(false).has_value());
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 8)).has_value());
  EXPECT_TRUE(manager.SetAutomatic(false).has_value());
}

TEST(StackManager, AlignsItsCursorTo32BytesUnlessToldOtherwise) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_TRUE(manager.AllocStack(Tile("a", 1)).has_value());
  ASSERT_TRUE(manager.AlignStack().has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(32));
  ASSERT_TRUE(manager.AlignStack(Bytes(50)).has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(50));
}

TEST(StackManager, AllocTakesFromStackOrHeapAndLetsDramPass) {
  StackOptions options = Window(0, 100);
  options.default_heap = true;
  StackManager manager = *StackManager::Create(Trn2(), options);
  manager.SetNamePrefix("layer0.");
  EXPECT_EQ(ByteOf(manager.Alloc(Tile("h", 8))), 92);
  const auto dram = manager.Alloc({"x", {4096, 300}, "bfloat16", Space::kDram, {}, {}});
  ASSERT_TRUE(dram.has_value()) << dram.error().ToString();
  EXPECT_EQ(dram->name, "layer0.x");
  EXPECT_EQ(dram->region, TileRegion::kDram);
  EXPECT_EQ(dram->bytes, Bytes(4096 * 300 * 2));
  EXPECT_FALSE(dram->address.has_value());
  EXPECT_EQ(manager.FreeBytes(), Bytes(92));
  EXPECT_EQ(CodeOf(manager.Alloc({"p", {128, 4}, "float32", Space::kPsum, {}, {}})), "heap-buffer");
  StackManager stack = Manager(0, 100);
  ASSERT_TRUE(stack.OpenScope().has_value());
  EXPECT_EQ(ByteOf(stack.Alloc(Tile("s", 8))), 0);
}

TEST(StackManager, TheRecordHasTilesWithTheirScopesAndWhatTheHeapKept) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 8)).has_value());
  ASSERT_TRUE(manager.AllocHeap(Tile("i", 8)).has_value());
  ASSERT_TRUE(manager.PopHeap().has_value());
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.OpenScope(1, "body").has_value());
  ASSERT_TRUE(manager.AllocStack({"t", {32, 4}, "uint8", Space::kSbuf, Partition(64), {}}));
  ASSERT_TRUE(manager.CloseScope().has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  const auto record = manager.Finish();
  ASSERT_TRUE(record.has_value());
  EXPECT_THAT(record->heap_left, ElementsAre("h"));
  ASSERT_EQ(record->tiles.size(), 3u);
  const TileAllocation& tile = record->tiles.back();
  EXPECT_EQ(tile.address, (Address{Partition(64), ByteOffset(0)}));
  EXPECT_THAT(tile.scopes, ElementsAre(ScopeStep{"loop", 1, 3}, ScopeStep{"body", 0, 0}));
  EXPECT_EQ(record->statistics.stack_tiles, 1);
  EXPECT_EQ(record->statistics.heap_tiles, 2);
}

TEST(StackManager, TheLogIsATreeOfScopesSectionsAndTiles) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  ASSERT_TRUE(manager.AllocStack({"t1", {128, 32}, "float32", Space::kSbuf, {}, {}}));
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_TRUE(manager.AllocStack({"t2", {128, 64}, "bfloat16", Space::kSbuf, {}, {}}));
  ASSERT_TRUE(manager.CloseScope().has_value());
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.AllocHeap(Tile("w", 100)).has_value());
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.PopHeap().has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_EQ(
      manager.Log(),
      "[SBM] Allocations:\n"
      "    ▶ SCOPE 'loop' [interleave=2] @ 0\n"
      "    ├── t1: 128 B @ 0 (128, 32) float32\n"
      "    ├── ▶ SCOPE (unnamed) [interleave=1] @ 128\n"
      "    │   └── t2: 128 B @ 128 (128, 64) bfloat16\n"
      "    ├── ◀ END (unnamed) freed=128 B\n"
      "    ├── ↳ section: 1/2 @ 256\n"
      "    ├── [HEAP+] w: 100 B @ 900 (128, 100) uint8\n"
      "    ├── ↻ section: 0/2 @ 0\n"
      "    └── [HEAP-] FREE w: 100 B, remaining=0\n"
      "    ◀ END 'loop' freed=0 B\n"
      "[SBM] SB memory statistics: max_usage=356 B (35%), free=644 B, stack=256 B (2 allocs), "
      "heap=100 B (1 allocs)\n"
      "[SBM] SB memory waste: 16384 byte-partitions unused at the peak, fullest partition "
      "228 B\n");
}

TEST(StackManager, AnEmptyWindowHasAnEmptyLogAndNoUsage) {
  const StackManager manager = Manager(100, 100);
  EXPECT_THAT(manager.Log(),
              StartsWith("[SBM] SB memory statistics: max_usage=0 B (0%), free=0 B"));
}

}  // namespace
}  // namespace spillway::nki
