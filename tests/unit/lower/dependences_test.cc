#include "sim/lower/dependences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kRaw = Hazard::kReadAfterWrite;
constexpr auto kWar = Hazard::kWriteAfterRead;
constexpr auto kWaw = Hazard::kWriteAfterWrite;

//  bytes     0      256     512
//  a         |------|
//  b                |-------|
//  over         |------|            over shares bytes with a and b, low only in partitions [0, 32)
std::string Tensors() {
  return R"({"tensor":"x","space":"dram","dtype":"float32","shape":[128,256],"role":"input"}
{"tensor":"y","space":"dram","dtype":"float32","shape":[128,256],"role":"output"}
{"tensor":"a","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,0]}
{"tensor":"b","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,256]}
{"tensor":"over","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,128]}
{"tensor":"low","space":"sbuf","dtype":"float32","shape":[32,64],"at":[0,1024]}
{"tensor":"high","space":"sbuf","dtype":"float32","shape":[32,64],"at":[32,1024]}
)";
}

std::string Tile(std::string_view tensor, int rows = 128) {
  return R"({"t":")" + std::string(tensor) + R"(","p":[0,)" + std::to_string(rows) +
         R"(],"f":[0,[[1,64]]]})";
}
std::string Columns(std::string_view tensor, int column) {
  return R"({"t":")" + std::string(tensor) + R"(","f":[)" + std::to_string(column) +
         R"(,[[256,128],[1,64]]]})";
}
std::string Copy(const std::string& dst, const std::string& src) {
  return R"({"op":"dma_copy","out":{"dst":)" + dst + R"(},"in":{"src":)" + src + "}}\n";
}
std::string Load(std::string_view tensor) { return Copy(Tile(tensor), Columns("x", 0)); }
std::string Store(std::string_view tensor, int column = 0) {
  return Copy(Columns("y", column), Tile(tensor));
}
std::string OnChip(std::string_view dst, std::string_view src, int rows = 128) {
  return R"({"op":"tensor_copy","out":{"dst":)" + Tile(dst, rows) + R"(},"in":{"src":)" +
         Tile(src, rows) + "}}\n";
}

std::vector<Dependence> Edges(const std::string& instructions) {
  return DependencesOf(KernelOf(Tensors() + instructions)).edges;
}

TEST(Dependences, AReadWaitsForItsWriter) {
  EXPECT_THAT(Edges(Load("a") + Store("a")), ElementsAre(Dependence{0, 1, kRaw, false}));
}

TEST(Dependences, AWriteWaitsForTheReadersAndTheWriter) {
  EXPECT_THAT(Edges(Load("a") + Store("a") + Load("a")),
              ElementsAre(Dependence{0, 1, kRaw, false}, Dependence{1, 2, kWar, false},
                          Dependence{0, 2, kWaw, false}));
}

TEST(Dependences, InputsThatNobodyWritesGiveNone) {
  EXPECT_THAT(Edges(Load("a") + Load("b") + Store("b")),
              ElementsAre(Dependence{1, 2, kRaw, false}));
}

TEST(Dependences, SharedBytesAreAnAntiDependence) {
  EXPECT_THAT(Edges(Load("a") + Store("a") + Load("over")),
              ElementsAre(Dependence{0, 1, kRaw, false}, Dependence{1, 2, kWar, true},
                          Dependence{0, 2, kWaw, true}));
}

TEST(Dependences, TensorsThatOnlyTouchGiveNone) {
  EXPECT_THAT(Edges(Load("a") + Load("b") + Store("a")),
              ElementsAre(Dependence{0, 2, kRaw, false}));
}

TEST(Dependences, DisjointPartitionsAtTheSameBytesGiveNone) {
  const std::string fill = R"({"op":"memset","out":{"dst":)";
  const auto memset = [&](std::string_view tensor) {
    return fill + Tile(tensor, 32) +
           R"(},"attr":{"value":1.0}})"
           "\n";
  };
  EXPECT_THAT(Edges(memset("low") + memset("high") + Load("a") + Store("a")),
              ElementsAre(Dependence{2, 3, kRaw, false}));
}

TEST(Dependences, DisjointDramColumnsGiveNoneAndSharedOnesDo) {
  EXPECT_THAT(Edges(Load("a") + Load("b") + Store("a", 0) + Store("b", 64)),
              ElementsAre(Dependence{0, 2, kRaw, false}, Dependence{1, 3, kRaw, false}));
  EXPECT_THAT(Edges(Load("a") + Load("b") + Store("a", 0) + Store("b", 63)),
              ElementsAre(Dependence{0, 2, kRaw, false}, Dependence{2, 3, kWaw, false},
                          Dependence{1, 3, kRaw, false}));
}

TEST(Dependences, AnInstructionThatUpdatesInPlaceDoesNotWaitForItself) {
  EXPECT_THAT(Edges(Load("a") + OnChip("a", "a") + Store("a")),
              ElementsAre(Dependence{0, 1, kRaw, false}, Dependence{1, 2, kRaw, false}));
}

TEST(Dependences, AnAccumulatingProductReadsItsDestination) {
  const std::string tensors =
      Tensors() + R"({"tensor":"p","space":"psum","dtype":"float32","shape":[64,64],"at":[0,0]})"
                  "\n";
  const auto product = [](const char* accumulate) {
    return R"({"op":"nc_matmul","out":{"dst":)" + Tile("p", 64) + R"(},"in":{"stationary":)" +
           Tile("a") + R"(,"moving":)" + Tile("b") + R"(},"attr":{"accumulate":)" + accumulate +
           "}}\n";
  };
  const Kernel kernel =
      KernelOf(tensors + Load("a") + Load("b") + product("false") + product("true") + Store("b"));
  EXPECT_THAT(DependencesOf(kernel).EdgesInto(3),
              ElementsAre(Dependence{2, 3, kRaw, false}, Dependence{1, 3, kRaw, false},
                          Dependence{0, 3, kRaw, false}));
}

TEST(Dependences, ASlotIsReusedAcrossIterations) {
  const Kernel kernel = KernelOf(Tensors() +
                                 R"({"loop":"i","kind":"affine","begin":0,"end":2,"step":1})"
                                 "\n" +
                                 Load("a") + Store("a") +
                                 R"({"end":"i"})"
                                 "\n");
  EXPECT_THAT(DependencesOf(kernel).EdgesInto(2),
              ElementsAre(Dependence{1, 2, kWar, false}, Dependence{0, 2, kWaw, false}));
}

TEST(Dependences, BlocksAtOneAddressAreAnAntiDependenceAndApartNone) {
  const auto edges = [](std::string_view second_place) {
    const std::string tensor =
        R"({"tensor":"t","space":"sbuf","dtype":"float32","shape":[128,64],"blocks":[2],"at":[[0,8192],)" +
        std::string(second_place) + "]}\n";
    const auto block = [](int b) {
      return R"({"t":"t","b":[)" + std::to_string(b) + R"(],"p":[0,128],"f":[0,[[1,64]]]})";
    };
    const std::string body = Copy(block(0), Columns("x", 0)) + Copy(block(1), Columns("x", 64)) +
                             Copy(Columns("y", 0), block(1));
    return DependencesOf(KernelOf(Tensors() + tensor + body)).edges;
  };
  EXPECT_THAT(edges("[0,16384]"), ElementsAre(Dependence{1, 2, kRaw, false}));
  EXPECT_THAT(edges("[0,8192]"),
              ElementsAre(Dependence{0, 1, kWaw, true}, Dependence{1, 2, kRaw, false}));
}

TEST(Dependences, AnInstanceOutsideItsTensorIsAnError) {
  Kernel kernel = KernelOf(Tensors() + Load("a") + Store("a"));
  kernel.instructions[InstructionId(1)].inputs[0].operands[0].free_offset = AffineExpr(1);
  const MemoryMap memory = MapMemory(kernel, FixedPlacement(kernel), Trn2()).value();
  const auto result = FindDependences(kernel, Unroll(kernel).value(), memory);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "operand-outside-tensor");
}

}  // namespace
}  // namespace spillway
