#include "sim/values/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/alloc/ir/kernel_builder.h"
#include "sim/values/dump.h"
#include "sim/values/npy_header.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

class Npy : public ::testing::Test {
 protected:
  Npy() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 (std::string("spillway_npy_") + info->name() + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~Npy() override { std::filesystem::remove_all(directory_); }

  std::string Path(const std::string& name) const { return (directory_ / name).string(); }
  std::string Text(const std::string& name) const {
    std::ifstream stream(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }

  std::filesystem::path directory_;
};

Tensor Dram(DType dtype, std::vector<std::int64_t> shape, std::string name = "x") {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.space = Space::kDram;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.role = Role::kInput;
  return tensor;
}

constexpr DType kTypes[] = {DType::kFloat32,  DType::kBfloat16,   DType::kFloat16,
                            DType::kTfloat32, DType::kFloat8E4m3, DType::kFloat8E5m2,
                            DType::kInt8,     DType::kUint8,      DType::kInt16,
                            DType::kUint16,   DType::kInt32,      DType::kUint32};

TEST_F(Npy, EveryTypeComesBackBitByBit) {
  for (const DType dtype : kTypes) {
    const Tensor tensor = Dram(dtype, {3, 5});
    const TensorData data = GenerateTensor(tensor, 1);
    ASSERT_TRUE(WriteNpy(Path("x.npy"), tensor, data).has_value());
    EXPECT_EQ(ReadNpy(Path("x.npy"), tensor).value(), data) << DTypeName(dtype);
  }
}

TEST_F(Npy, AFileLooksAsNumpyWritesIt) {
  const Tensor tensor = Dram(DType::kBfloat16, {2, 3});
  TensorData data;
  data.bytes.resize(12);
  data.bytes[1] = std::byte{0x40};  // 2.0
  ASSERT_TRUE(WriteNpy(Path("x.npy"), tensor, data).has_value());
  const std::string text = Text("x.npy");
  ASSERT_EQ(text.size(), 128u + 24u);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.substr(128, 4), std::string("\0\0\0\x40", 4));
}

TEST_F(Npy, ShapesOfZeroAndOneDimension) {
  EXPECT_THAT(PrintNpyHeader({"<f4", false, {}}), HasSubstr("'shape': ()"));
  EXPECT_THAT(PrintNpyHeader({"<f4", false, {7}}), HasSubstr("'shape': (7,)"));
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {7}, {1, 2, 3}}) {
    const NpyHeader header{"|u1", false, shape};
    EXPECT_EQ(ParseNpyHeader(std::string_view(PrintNpyHeader(header)).substr(10)).value(), header);
  }
}

TEST(NpyHeaderText, WhatIsNoDictionaryOfTheThreeKeysIsRefused) {
  EXPECT_TRUE(
      ParseNpyHeader("{\"shape\":(3,), 'fortran_order' : True,'descr':'<f4'}\n").has_value());
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}"}) {
    const auto header = ParseNpyHeader(text);
    ASSERT_FALSE(header.has_value()) << text;
    EXPECT_EQ(header.error().code, "npy-header") << text;
  }
}

TEST_F(Npy, RefusesWhatDoesNotSuitTheTensor) {
  const Tensor tensor = Dram(DType::kFloat32, {3, 5});
  ASSERT_TRUE(WriteNpy(Path("x.npy"), tensor, GenerateTensor(tensor, 1)).has_value());
  const std::string good = Text("x.npy");
  const auto code_of = [&](const std::string& text, const Tensor& as) {
    Write("bad.npy", text);
    const auto read = ReadNpy(Path("bad.npy"), as);
    EXPECT_FALSE(read.has_value());
    if (read) return std::string("none");
    EXPECT_EQ(read.error().file, Path("bad.npy"));
    EXPECT_THAT(read.error().message, HasSubstr("\"x\""));
    return read.error().code;
  };
  const auto with_header = [&](const NpyHeader& header) {
    return PrintNpyHeader(header) + good.substr(128);
  };
  EXPECT_EQ(code_of("", tensor), "npy-magic");
  EXPECT_EQ(code_of("\x93NUMPZ" + good.substr(6), tensor), "npy-magic");
  EXPECT_EQ(code_of(good.substr(0, 6) + "\x02" + good.substr(7), tensor), "npy-version");
  EXPECT_EQ(code_of(good.substr(0, 40), tensor), "npy-size");
  EXPECT_EQ(code_of(good.substr(0, good.size() - 1), tensor), "npy-size");
  EXPECT_EQ(code_of(good + "x", tensor), "npy-size");
  EXPECT_EQ(code_of(good, Dram(DType::kFloat32, {5, 3})), "npy-shape");
  EXPECT_EQ(code_of(good, Dram(DType::kInt32, {3, 5})), "npy-dtype");
  EXPECT_EQ(code_of(with_header({"<f8", false, {3, 5}}), tensor), "npy-dtype");
  EXPECT_EQ(code_of(with_header({">f4", false, {3, 5}}), tensor), "npy-dtype");
  EXPECT_EQ(code_of(with_header({"<f4", true, {3, 5}}), tensor), "npy-order");
  EXPECT_EQ(code_of(with_header({"<f4", false, {15}}), tensor), "npy-shape");
  std::string broken = good;
  broken[10] = '[';
  EXPECT_EQ(code_of(broken, tensor), "npy-header");
}

TEST_F(Npy, AFileThatIsNotThereIsAnErrorOfItsOwn) {
  const Tensor tensor = Dram(DType::kFloat32, {3, 5});
  EXPECT_EQ(ReadNpy(Path("nowhere.npy"), tensor).error().kind, Kind::kFile);
  EXPECT_EQ(ReadNpy(directory_.string(), tensor).error().kind, Kind::kFile);
  EXPECT_EQ(WriteNpy(Path("no/where.npy"), tensor, GenerateTensor(tensor, 1)).error().kind,
            Kind::kFile);
}

TEST_F(Npy, ADumpHoldsInputsAndOutputsAndReadsBack) {
  KernelBuilder b("k", "trn2");
  b.Dram("x", DType::kBfloat16, {2, 3}, Role::kInput);
  b.Dram("table", DType::kInt32, {4}, Role::kConstant);
  const TensorId y = b.Dram("y", DType::kFloat32, {2}, Role::kOutput);
  b.Dram("scratch", DType::kFloat32, {2});
  b.Sbuf("tile", DType::kFloat32, {2, 2});
  const Kernel kernel = b.Build();
  const Inputs inputs = GenerateInputs(kernel, 3).value();
  const NamedData outputs = {{"y", GenerateTensor(kernel.tensors[y], 4)}};
  ASSERT_TRUE(DumpTensors(Path("dump"), kernel, inputs, outputs).has_value());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Path("dump"))) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("x.npy", "table.npy", "y.npy"));
  EXPECT_EQ(ReadInputs(Path("dump"), kernel).value(), inputs);
  EXPECT_EQ(ReadNpy(Path("dump/y.npy"), kernel.tensors[y]).value(), outputs.at("y"));
  EXPECT_EQ(DumpTensors(Path("dump"), kernel, inputs, {}).error().code, "missing-data");
}

TEST_F(Npy, NamesThatWouldLeaveTheDirectoryAreRefused) {
  for (const std::string& name : {std::string("a/b"), std::string("../x"), std::string("."),
                                  std::string(".."), std::string("a\0b", 3)}) {
    KernelBuilder b("k", "trn2");
    Tensor tensor = Dram(DType::kFloat32, {2}, name);
    b.Add(tensor);
    const Kernel kernel = b.Build();
    const Inputs inputs = GenerateInputs(kernel, 1).value();
    EXPECT_EQ(DumpTensors(Path("dump"), kernel, inputs, {}).error().code, "unsafe-tensor-name")
        << name;
    EXPECT_EQ(ReadInputs(Path("dump"), kernel).error().code, "unsafe-tensor-name") << name;
  }
  EXPECT_EQ(DumpFileName(Dram(DType::kFloat32, {2}, "")).error().code, "unsafe-tensor-name");
  EXPECT_EQ(DumpFileName(Dram(DType::kFloat32, {2}, "arg1.0 (x)")).value(), "arg1.0 (x).npy");
}

}  // namespace
}  // namespace spillway
