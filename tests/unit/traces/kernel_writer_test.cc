#include "traces/kernel_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "model/alloc/ir/kernel_builder.h"
#include "tests/unit/traces/expectations.h"
#include "traces/json_print.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

TEST(KernelWriterTest, OneObjectALineWithoutDefaults) {
  KernelBuilder b("k\"1", "trn2");
  b.Origin("shape", "a\nb");
  const TensorId x = b.Dram("x", DType::kBfloat16, {4, 8}, Role::kInput);
  const TensorId t = b.Sbuf(
      "t", DType::kBfloat16, {4, 8},
      {.blocks = {2}, .at = {{Partition(0), ByteOffset(64)}, {Partition(32), ByteOffset(0)}}});
  b.OpenLoop("i", 0, 8, 2, LoopKind::kDynamic);
  b.Copy(b.Whole(t).Block({b.Index("i") % 2}), b.Whole(x))
      .When(Differs(b.Index("i"), 3))
      .Attr("v", 1.0);
  b.CloseLoop();
  b.Instruction("fence");
  EXPECT_EQ(PrintKernelFile(b.Build()),
            R"({"kernel":"k\"1","version":1,"target":"trn2","origin":{"shape":"a\nb"}}
{"tensor":"x","space":"dram","dtype":"bfloat16","shape":[4,8],"role":"input"}
{"tensor":"t","space":"sbuf","dtype":"bfloat16","shape":[4,8],"blocks":[2],"at":[[0,64],[32,0]]}
{"loop":"i","kind":"dynamic","begin":0,"end":8,"step":2}
{"op":"dma_copy","engine":"dma","out":{"dst":{"t":"t","b":[{"i":1,"mod":2}],"p":[0,4],"f":[0,[[1,8]]]}},"in":{"src":{"t":"x","f":[0,[[8,4],[1,8]]]}},"attr":{"v":1.0},"when":[{"expr":{"c":-3,"i":1},"cmp":"!=0"}]}
{"end":"i"}
{"op":"fence"}
)");
}

TEST(KernelWriterTest, AModuloLawIsKeptAsTheAuthorWroteItAndReadsBack) {
  KernelBuilder b("k", "trn2");
  b.Sbuf("t", DType::kBfloat16, {32, 8},
         {.blocks = {4, 2},
          .alloc = ModuloLaw{.base_addr = ByteOffset(64), .num_free_tiles = {2, 1}}});
  b.Psum("p", DType::kFloat32, {128, 512},
         {.blocks = {2}, .alloc = ModuloLaw{.base_bank = BankId(3), .num_bank_tiles = {2}}});
  const Kernel kernel = b.Build();
  const std::string text = PrintKernelFile(kernel);
  EXPECT_EQ(text, R"({"kernel":"k","version":2,"target":"trn2"}
{"tensor":"t","space":"sbuf","dtype":"bfloat16","shape":[32,8],"blocks":[4,2],"alloc":{"mod_alloc":{"base_addr":64,"num_free_tiles":[2,1]}}}
{"tensor":"p","space":"psum","dtype":"float32","shape":[128,512],"blocks":[2],"alloc":{"mod_alloc":{"base_bank":3,"num_bank_tiles":[2]}}}
)");
  const Result<Kernel> read = ParseKernel(text, "k.jsonl", {});
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(*read, kernel);
  EXPECT_EQ(read->tensors[TensorId(0)].at[2], (Address{Partition(0), ByteOffset(64 + 16)}));
}

TEST(KernelWriterTest, AddressesThatLeftTheirLawAreWrittenAsAddresses) {
  KernelBuilder b("k", "trn2");
  b.Sbuf("t", DType::kBfloat16, {32, 8},
         {.blocks = {2}, .alloc = ModuloLaw{.base_addr = ByteOffset(0), .num_free_tiles = {2}}});
  Kernel kernel = b.Build();
  kernel.tensors[TensorId(0)].at[1].byte = ByteOffset(512);
  EXPECT_NE(PrintKernelFile(kernel).find(R"("at":[[0,0],[0,512]])"), std::string::npos);
}

TEST(KernelWriterTest, TheMarkOfACustomFunctionStandsBesideItsAddressesAndReadsBack) {
  KernelBuilder b("k", "trn2");
  b.Sbuf("t", DType::kBfloat16, {32, 8},
         {.blocks = {2},
          .at = {{Partition(0), ByteOffset(64)}, {Partition(32), ByteOffset(0)}},
          .by_function = true});
  b.Sbuf("bare", DType::kBfloat16, {32, 8}, {.at = {{Partition(0), ByteOffset(0)}}});
  const Kernel kernel = b.Build();
  const std::string text = PrintKernelFile(kernel);
  EXPECT_EQ(text, R"({"kernel":"k","version":2,"target":"trn2"}
{"tensor":"t","space":"sbuf","dtype":"bfloat16","shape":[32,8],"blocks":[2],"at":[[0,64],[32,0]],"alloc":"func"}
{"tensor":"bare","space":"sbuf","dtype":"bfloat16","shape":[32,8],"at":[0,0]}
)");
  const Result<Kernel> read = ParseKernel(text, "k.jsonl", {});
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(*read, kernel);
  EXPECT_TRUE(read->tensors[TensorId(0)].by_function);
  EXPECT_FALSE(read->tensors[TensorId(1)].by_function);
}

TEST(KernelWriterTest, CompileOptionsStandInTheHeader) {
  KernelBuilder b("k", "trn2");
  Kernel kernel = b.Build();
  kernel.version = 2;
  kernel.opts = {{"force_auto_alloc", true}};
  const std::string text = PrintKernelFile(kernel);
  EXPECT_EQ(text, R"({"kernel":"k","version":2,"target":"trn2","opts":{"force_auto_alloc":true}}
)");
  EXPECT_EQ(ParseKernel(text, "k.jsonl", {}).value(), kernel);
}

TEST(KernelWriterTest, DoublesReadBackExactly) {
  EXPECT_EQ(JsonNumber(1.0), "1.0");
  EXPECT_EQ(JsonNumber(-0.0), "-0.0");
  EXPECT_EQ(JsonNumber(0.1), "0.1");
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::infinity()), "Infinity");
  EXPECT_EQ(JsonNumber(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(JsonNumber(std::nan("")), "NaN");
  for (const double d : {1e300, 5e-324, 1.7976931348623157e308, 3.4028235e+38, 1.0 / 3, 1e15,
                         123456789012345680.0}) {
    std::string text = JsonNumber(d);
    const Result<JsonValue> value = ParseJsonLine(text);
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(value->type, JsonType::kDouble);
    EXPECT_EQ(value->number, d);
  }
}

TEST(KernelWriterTest, ASpillRoleWithoutItsAttributeIsWritten) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {4, 4});
  const TensorId home = b.Dram("home", DType::kFloat32, {4, 4});
  b.Copy(b.Whole(home), b.Whole(t));
  Kernel kernel = b.Build();
  kernel.instructions[InstructionId(0)].spill = SpillRole::kSave;
  const Result<Kernel> again = ParseKernel(PrintKernelFile(kernel), "k");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->instructions[InstructionId(0)].spill, SpillRole::kSave);
}

class WriteFileTest : public ::testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("spillway_kernel_writer_" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       std::to_string(::getpid()));
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(WriteFileTest, CompressesByTheNameAndReadsBack) {
  const Result<Kernel> kernel =
      ReadKernelFile(TracesFolder() + "/captured/attention_cte_2k.kernel.jsonl.zst");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  const std::string plain = folder_ / "k.kernel.jsonl";
  const std::string compressed = folder_ / "k.kernel.jsonl.zst";
  ASSERT_TRUE(WriteKernelFile(*kernel, plain).has_value());
  ASSERT_TRUE(WriteKernelFile(*kernel, compressed).has_value());
  EXPECT_EQ(ReadText(plain), PrintKernelFile(*kernel));
  EXPECT_LT(std::filesystem::file_size(compressed) * 5, std::filesystem::file_size(plain));
  EXPECT_EQ(*ReadKernelFile(plain), *kernel);
  EXPECT_EQ(*ReadKernelFile(compressed), *kernel);
}

TEST_F(WriteFileTest, AFolderThatIsNotThereIsAnError) {
  const Result<void> written = WriteKernelFile(Kernel(), folder_ / "none" / "k.kernel.jsonl");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, "file-not-written");
  EXPECT_EQ(written.error().kind, Kind::kFile);
}

}  // namespace
}  // namespace spillway
