// Captured, rolled and published kernels are right, and so must be silent.
#include <gtest/gtest.h>

#include <filesystem>

#include "model/alloc/nki/check_tile_lifetimes.h"
#include "tests/unit/nki/rings.h"
#include "traces/kernel_reader.h"

namespace spillway::nki {
namespace {

// The author's places where there are some, else every block apart.
Placement PlacesOf(const Kernel& kernel) {
  Placement places = FixedPlacement(kernel);
  ByteOffset next(0);
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space == Space::kDram || !tensor.at.empty()) continue;
    next = ByteOffset(RoundUp(next.value, std::int64_t{1} << 20));
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      places.addresses[TensorId(t)].push_back({Partition(0), next});
      next = next + BlockBytes(tensor);
    }
  }
  return places;
}

TEST(TileLifetimesOfTracesTest, CorrectKernelsAreSilent) {
  int kernels = 0;
  for (const std::string_view folder : {"captured", "rolled", "published"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(SPILLWAY_SOURCE_DIR) / "traces" / folder)) {
      if (entry.path().filename().string().find(".kernel.jsonl") == std::string::npos) continue;
      const Result<Kernel> kernel = ReadKernelFile(entry.path().string());
      ASSERT_TRUE(kernel) << kernel.error().ToString();
      const TileLifetimeReport report = ReportTileLifetimes(*kernel, PlacesOf(*kernel), Trn2());
      EXPECT_TRUE(report.complete) << entry.path();
      EXPECT_GT(report.check.checked, 0) << entry.path();
      for (const Violation& violation : report.check.violations)
        ADD_FAILURE() << entry.path() << ": " << violation.text;
      ++kernels;
    }
  }
  EXPECT_GE(kernels, 20);
}

TEST(TileLifetimesOfTracesTest, AnUnloadedHalfIsFoundWithoutARun) {
  const Result<Kernel> kernel = ReadKernelFile(std::string(SPILLWAY_SOURCE_DIR) +
                                               "/traces/cases/unloaded_half_is_read.kernel.jsonl");
  ASSERT_TRUE(kernel) << kernel.error().ToString();
  const TileLifetimeReport report = ReportTileLifetimes(*kernel, PlacesOf(*kernel), Trn2());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings.front().fault.kind, TileFaultKind::kUnloaded);
}

}  // namespace
}  // namespace spillway::nki
