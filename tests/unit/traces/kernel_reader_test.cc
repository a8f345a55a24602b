#include "traces/kernel_reader.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/traces/expectations.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

// x (DRAM, 64 x 16) -> t (SBUF) -> y; `body` stands between the tensors and the store.
std::string Small(const std::string& body) {
  return R"({"kernel":"k","version":1,"target":"trn2"}
{"tensor":"x","space":"dram","dtype":"float32","shape":[64,16],"role":"input"}
{"tensor":"y","space":"dram","dtype":"float32","shape":[64,16],"role":"output"}
{"tensor":"t","space":"sbuf","dtype":"float32","shape":[64,16]}
)" + body +
         R"(
{"op":"dma_copy","engine":"dma","out":{"dst":{"t":"y","f":[0,[[16,64],[1,16]]]}},"in":{"src":{"t":"t","p":[0,64],"f":[0,[[1,16]]]}}}
)";
}

Result<Kernel> Parse(std::string_view text, const ReadLimits& limits = {}) {
  return ParseKernel(text, "k.jsonl", limits);
}

std::string Compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(KernelReaderTest, ReadsEveryKeyOfAnInstruction) {
  const Result<Kernel> kernel = Parse(Small(
      R"({"loop":"i","kind":"sequential","begin":0,"end":4,"step":2}
{"op":"tensor_copy","engine":"act","out":{"dst":{"t":"t","p":[{"c":1,"i":16},8],"f":[{"i":1,"mod":2},[[2,4],[0,3]]],"as":"uint16"}},"in":{"srcs":[{"t":"t","p":[0,64],"f":[0,[[1,16]]],"indirect":"t"},{"t":"t","p":[0,64],"f":[0,[[1,16]]],"indirect":"scalar"}]},"attr":{"n":null,"b":true,"i":-3,"d":-Infinity,"s":"add","l":[[1,2],[]]},"when":[{"expr":{"c":-1,"i":1},"cmp":"!=0"}],"loops":[["L0",7]],"src":"k.py:3"}
{"end":"i"})"));
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  ASSERT_EQ(kernel->loops.size(), 1u);
  EXPECT_EQ(kernel->loops[LoopId(0)], (Loop{"i", LoopKind::kSequential, 0, 4, 2, std::nullopt}));
  const Instruction& op = kernel->instructions[InstructionId(0)];
  EXPECT_EQ(op.engine, Engine::kAct);
  const Operand& dst = op.outputs.at(0).operands.at(0);
  EXPECT_EQ(dst.partition_start.constant, 1);
  EXPECT_EQ(dst.partition_start.terms, (std::vector<AffineTerm>{{LoopId(0), 16}}));
  EXPECT_EQ(dst.partition_count, 8);
  EXPECT_EQ(dst.free_offset.modulus, 2);
  EXPECT_EQ(dst.free_dims, (std::vector<FreeDim>{{2, 4}, {0, 3}}));
  EXPECT_EQ(dst.as, DType::kUint16);
  const OperandGroup& in = op.inputs.at(0);
  EXPECT_TRUE(in.is_list);
  EXPECT_EQ(in.operands.at(0).offsets, TensorId(2));
  EXPECT_EQ(in.operands.at(1).indirect, "scalar");
  EXPECT_EQ(in.operands.at(1).offsets, std::nullopt);
  EXPECT_EQ(op.attrs.size(), 6u);
  EXPECT_EQ(NumberAttr(op.attrs, "d"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(IntAttr(op.attrs, "i"), -3);
  EXPECT_EQ(op.when.at(0).comparison, Comparison::kNotEqual);
  EXPECT_EQ(op.source_loops, (std::vector<std::pair<std::string, std::int64_t>>{{"L0", 7}}));
  EXPECT_EQ(op.src, "k.py:3");
}

TEST(KernelReaderTest, KeepsIntegersAndFloatingPointApart) {
  const Result<Kernel> kernel = Parse(Small(
      R"({"op":"memset","out":{"dst":{"t":"t","p":[0,64],"f":[0,[[1,16]]]}},"attr":{"a":1,"b":1.0,"c":1e2,"d":-0.0}})"));
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  const auto& attrs = kernel->instructions[InstructionId(0)].attrs;
  EXPECT_EQ(attrs.at(0).value, AttrValue(1));
  EXPECT_EQ(attrs.at(1).value, AttrValue(1.0));
  EXPECT_EQ(attrs.at(2).value, AttrValue(100.0));
  EXPECT_EQ(attrs.at(3).value, AttrValue(-0.0));
}

TEST(KernelReaderTest, TheSpillAttributeSetsTheRoleAndStays) {
  const Result<Kernel> kernel = Parse(Small(
      R"({"op":"dma_copy","out":{"dst":{"t":"t","p":[0,64],"f":[0,[[1,16]]]}},"in":{"src":{"t":"x","f":[0,[[16,64],[1,16]]]}},"attr":{"spill":"reload"}})"));
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  const Instruction& reload = kernel->instructions[InstructionId(0)];
  EXPECT_EQ(reload.spill, SpillRole::kReload);
  EXPECT_EQ(StringAttr(reload.attrs, "spill"), "reload");
}

TEST(KernelReaderTest, AddressesThatNoHardwareHasAreTheCheckersBusiness) {
  const std::string text = R"({"kernel":"k","version":1,"target":"trn1"}
{"tensor":"t","space":"sbuf","dtype":"float32","shape":[64,4],"blocks":[2],"at":[[96,400000],[7,1]]}
)";
  const Result<Kernel> kernel = Parse(text);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  EXPECT_EQ(
      kernel->tensors[TensorId(0)].at,
      (std::vector<Address>{{Partition(96), ByteOffset(400000)}, {Partition(7), ByteOffset(1)}}));
}

TEST(KernelReaderTest, ALoopWithoutTripsReachesNowhere) {
  const std::string wide = R"("begin":4,"end":4,"step":1}
{"op":"memset","out":{"dst":{"t":"t","p":[0,64],"f":[{"i":100},[[1,16]]]}}}
{"end":"i"})";
  EXPECT_TRUE(Parse(Small(R"({"loop":"i","kind":"affine",)" + wide)).has_value());
  const std::string once = R"({"loop":"i","kind":"affine","begin":4,"end":5,"step":1}
{"op":"memset","out":{"dst":{"t":"t","p":[0,64],"f":[{"i":100},[[1,16]]]}}}
{"end":"i"})";
  const Result<Kernel> refused = Parse(Small(once));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "operand-outside-tensor");
}

// Rows 16 i … of 64: the fifth trip would leave the tensor, but the predicate keeps it from
// running.
TEST(KernelReaderTest, APredicateMayKeepAnOperandInsideItsTensor) {
  const auto text = [&](int bound) {
    return Small(R"({"loop":"i","kind":"affine","begin":0,"end":5,"step":1}
{"op":"memset","out":{"dst":{"t":"t","p":[{"i":16},16],"f":[0,[[1,16]]]}},"when":[{"expr":{"c":)" +
                 std::to_string(bound) + R"(,"i":-16},"cmp":">=0"}]}
{"end":"i"})");
  };
  EXPECT_TRUE(Parse(text(48)).has_value());
  ASSERT_FALSE(Parse(text(64)).has_value());
  EXPECT_EQ(Parse(text(64)).error().code, "partitions-outside-tensor");
}

TEST(KernelReaderTest, ALastLineWithoutANewlineAndCarriageReturnsAreLegal) {
  std::string text = Small("");
  EXPECT_EQ(Parse(text).error().code, "empty-line");
  const std::string tensor = R"({"tensor":"u","space":"psum","dtype":"float32","shape":[1]})";
  text = Small(tensor + "\r");
  text.pop_back();
  EXPECT_TRUE(Parse(text).has_value());
}

TEST(KernelReaderTest, ALineOverTheLimitIsRefusedAndOneAtTheLimitIsNot) {
  const std::size_t limit = std::size_t{1} << 20;
  const std::string header = R"({"kernel":"k","version":1,"target":"trn2"})";
  const auto padded = [&](std::size_t bytes) {
    return header + std::string(bytes - header.size(), ' ') + "\n";
  };
  EXPECT_TRUE(Parse(padded(limit)).has_value());
  const Result<Kernel> refused = Parse(header + "\n" + std::string(limit + 1, ' '));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "line-too-long");
  EXPECT_EQ(refused.error().kind, Kind::kLimit);
  EXPECT_EQ(refused.error().line, 2);
}

TEST(KernelReaderTest, MoreBytesThanTheLimitAreRefusedAsTheyCome) {
  const std::string text = Small("");
  ReadLimits limits;
  limits.max_file_bytes = static_cast<std::int64_t>(text.size());
  EXPECT_NE(Parse(text, limits).error().code, "file-too-long");
  limits.max_file_bytes -= 1;
  EXPECT_EQ(Parse(text, limits).error().code, "file-too-long");
}

TEST(KernelReaderTest, MoreLinesThanTheLimitAreRefused) {
  EXPECT_EQ(ReadLimits().max_lines, 100'000'000);
  ReadLimits limits;
  limits.max_lines = 6;
  const std::string memset =
      R"({"op":"memset","out":{"dst":{"t":"t","p":[0,64],"f":[0,[[1,16]]]}}})";
  EXPECT_TRUE(Parse(Small(memset), limits).has_value());
  const Result<Kernel> refused = Parse(Small(memset + "\n" + memset), limits);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "too-many-lines");
  EXPECT_EQ(refused.error().kind, Kind::kLimit);
  EXPECT_EQ(refused.error().line, 7);
}

TEST(KernelReaderTest, AFileThatIsNotThereAndAFolderAreRefused) {
  const Result<Kernel> missing = ReadKernelFile("/nonexistent/k.kernel.jsonl");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, "file-not-opened");
  EXPECT_EQ(missing.error().kind, Kind::kFile);
  EXPECT_EQ(missing.error().file, "/nonexistent/k.kernel.jsonl");
  const Result<Kernel> folder = ReadKernelFile(TracesFolder());
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, "file-unreadable");
  EXPECT_EQ(folder.error().kind, Kind::kFile);
}

TEST(KernelReaderTest, CompressionIsToldByTheFirstBytesAndFramesMayFollowEachOther) {
  const std::string text = ReadText(TracesFolder() + "/cases/quadrants_share_bytes.kernel.jsonl");
  const Result<Kernel> plain = Parse(text);
  ASSERT_TRUE(plain.has_value()) << plain.error().ToString();
  EXPECT_EQ(*Parse(Compressed(text)), *plain);
  const std::string two = Compressed(text.substr(0, 300)) + Compressed(text.substr(300));
  const Result<Kernel> joined = Parse(two);
  ASSERT_TRUE(joined.has_value()) << joined.error().ToString();
  EXPECT_EQ(*joined, *plain);
}

TEST(KernelReaderTest, EveryTruncationOfACompressedFileIsRefused) {
  const std::string whole =
      Compressed(ReadText(TracesFolder() + "/cases/quadrants_share_bytes.kernel.jsonl"));
  ASSERT_TRUE(Parse(whole).has_value());
  for (std::size_t n = 4; n < whole.size(); ++n) {
    const Result<Kernel> cut = Parse(std::string_view(whole).substr(0, n));
    ASSERT_FALSE(cut.has_value()) << n;
    EXPECT_EQ(cut.error().code, "zstd-truncated") << n;
  }
}

TEST(KernelReaderTest, EveryTruncationOfAPlainFileIsRefusedOrShorter) {
  const std::string text = ReadText(TracesFolder() + "/cases/quadrants_share_bytes.kernel.jsonl");
  const Result<Kernel> whole = Parse(text);
  ASSERT_TRUE(whole.has_value());
  for (std::size_t n = 0; n + 1 < text.size(); ++n) {
    const Result<Kernel> cut = Parse(std::string_view(text).substr(0, n));
    EXPECT_TRUE(!cut.has_value() || cut->instructions.size() < whole->instructions.size()) << n;
  }
}

class CapturedTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CapturedTest, ReadsAndKeepsItsOriginAndRoundTrips) {
  const Result<Kernel> kernel = ReadKernelFile(TracesFolder() + "/" + GetParam());
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  EXPECT_FALSE(kernel->origin.empty());
  const Result<Kernel> again = Parse(PrintKernelFile(*kernel));
  ASSERT_TRUE(again.has_value()) << again.error().ToString();
  EXPECT_EQ(*again, *kernel);
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TracesFolder() + "/" + folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".kernel.jsonl") != std::string::npos) files.push_back(folder + "/" + name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string FileTestName(const ::testing::TestParamInfo<std::string>& info) {
  const std::size_t slash = info.param.find('/');
  return info.param.substr(slash + 1, info.param.find('.') - slash - 1);
}

INSTANTIATE_TEST_SUITE_P(Captured, CapturedTest, ::testing::ValuesIn(FilesOf("captured")),
                         FileTestName);
INSTANTIATE_TEST_SUITE_P(Cases, CapturedTest, ::testing::ValuesIn(FilesOf("cases")), FileTestName);

TEST(CapturedTest, AllFifteenKernelsAreThere) {
  EXPECT_EQ(FilesOf("captured").size(), 15u);
  EXPECT_EQ(FilesOf("cases").size(), 9u);
}

TEST(CapturedTest, TheLargestKernelHasItsTensorsAndInstructions) {
  const Result<Kernel> kernel =
      ReadKernelFile(TracesFolder() + "/captured/attention_cte_8k.kernel.jsonl.zst");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  EXPECT_EQ(kernel->tensors.size(), 5664u);
  EXPECT_EQ(kernel->instructions.size(), 5147u);
  EXPECT_EQ(kernel->body.size(), 5147u);
  EXPECT_EQ(StringAttr(kernel->origin, "licence"), "Apache-2.0");
}

}  // namespace
}  // namespace spillway
