// Damaged files are refused with a known code, or read; nothing else happens to them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "tests/unit/traces/expectations.h"
#include "traces/faults.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"
#include "traces/rolled_kernels.h"

namespace spillway {
namespace {

std::size_t Draw(std::size_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, below));
}

/// One small damage somewhere in the text.
std::string Damaged(std::string text) {
  static const std::vector<std::string> kPieces = {"0",
                                                   "-1",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "281474976710656",
                                                   "1e999",
                                                   "NaN",
                                                   "null",
                                                   "[]",
                                                   "{}",
                                                   "[[[[[[[[",
                                                   "\"",
                                                   ",",
                                                   ":",
                                                   "\n",
                                                   "}",
                                                   std::string(1, '\0'),
                                                   "\xff",
                                                   "\\u0000",
                                                   "\"i\"",
                                                   "\"mod\":0,",
                                                   "\"b\":[0],"};
  const std::size_t at = Draw(text.size());
  const std::size_t length = Draw(std::min<std::size_t>(text.size() - at, 12) + 1);
  switch (Draw(4)) {
    case 0: text[at] = static_cast<char>(Draw(256)); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(Draw(text.size()), text.substr(at, length)); break;
    default: text.replace(at, length, kPieces[Draw(kPieces.size())]); break;
  }
  return text;
}

TEST(DamagedFilesProperty, AreRefusedWithAKnownCodeOrReadBackEqual) {
  std::set<std::string> codes;
  for (const FaultRow& row : AllFaults()) codes.emplace(row.code);
  const std::vector<Kernel> kernels = RolledKernels(2);
  std::set<std::string> seen;
  int refused = 0;
  int read = 0;
  const bool holds = rc::check("damaged files", [&] {
    for (int round = 0; round < 50; ++round) {
      const std::string text = Damaged(PrintKernelFile(kernels[Draw(kernels.size())]));
      const Result<Kernel> kernel = ParseKernel(text, "damaged");
      if (kernel) {
        ++read;
        const Result<Kernel> again = ParseKernel(PrintKernelFile(*kernel), "again");
        RC_ASSERT(again.has_value());
        RC_ASSERT(*again == *kernel);
        continue;
      }
      ++refused;
      seen.insert(kernel.error().code);
      RC_ASSERT(codes.contains(kernel.error().code));
      RC_ASSERT(!kernel.error().message.empty());
      RC_ASSERT(kernel.error().line > 0 || kernel.error().code == "empty-file");
    }
  });
  EXPECT_TRUE(holds);
  EXPECT_GE(refused, 1000);
  EXPECT_GE(read, 50);
  EXPECT_GE(seen.size(), 10u) << "the damages hit too few checks";
}

}  // namespace
}  // namespace spillway
