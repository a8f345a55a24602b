// Printing a kernel and reading it back gives an equal kernel, whatever the kernel.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/print_kernel.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

/// Uniform in [low, high) whatever RapidCheck's size, which would keep early kernels trivial.
std::int64_t Draw(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(low, high));
}
bool Chance(int percent) { return Draw(0, 100) < percent; }

template <class T>
T Pick(std::vector<T> choices) {
  return choices[static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(choices.size())))];
}

std::string Text() {
  return Pick<std::string>({"a", "q_sb.3", "sp ace", "\"quoted\"", "back\\slash", "tab\tnewline\n",
                            "\x01\x1f", "é€😀", "[{,:}]", std::string("nul\0l", 5)});
}

AttrValue RandomAttr(int depth) {
  switch (Draw(0, depth > 0 ? 6 : 5)) {
    case 0: return {};
    case 1: return Chance(50);
    case 2: return Pick<std::int64_t>({0, 1, -1, INT64_MAX, INT64_MIN, 512});
    case 3: {
      const double special = Pick<double>({0.0, -0.0, 1.0, 0.1, 5e-324, -3.4028235e+38, 1e22,
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN()});
      const auto bits = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
      return Chance(50) && !std::isnan(bits) ? bits : special;
    }
    case 4: return Text();
    default: {
      AttrValue::List list;
      for (std::int64_t n = Draw(0, 4); n > 0; --n) list.push_back(RandomAttr(depth - 1));
      return list;
    }
  }
}

/// Draws kernels that the reader accepts: every operand gets a tensor that it fits into.
class RandomKernel {
 public:
  Kernel Draw() {
    for (std::int64_t n = spillway::Draw(0, 3); n > 0; --n) builder_.Origin(Name(), RandomAttr(0));
    Body(0);
    return builder_.Build();
  }

 private:
  std::string Name() { return Text() + std::to_string(next_name_++); }

  void Body(int depth) {
    for (std::int64_t n = spillway::Draw(depth == 0 ? 1 : 0, 5); n > 0; --n) {
      if (depth < 3 && Chance(40)) {
        OpenLoop(depth);
        Body(depth + 1);
        builder_.CloseLoop();
        open_.pop_back();
      } else if (Chance(15)) {
        SpillCopy();
      } else {
        Instruction();
      }
    }
  }

  void OpenLoop(int depth) {
    // A name that an earlier loop may have had: only open loops must differ.
    std::string name = Text() + "@" + std::to_string(depth);
    const std::int64_t step = Chance(70) ? spillway::Draw(1, 4) : -spillway::Draw(1, 4);
    const std::int64_t begin = spillway::Draw(-3, 4);
    const std::int64_t end = begin + step * spillway::Draw(0, 5);
    const auto kind = static_cast<LoopKind>(spillway::Draw(0, 4));
    builder_.OpenLoop(name, begin, end, step, kind);
    open_.push_back(std::move(name));
    const std::int64_t last = begin == end ? begin : end - step;
    ranges_.push_back({std::min(begin, last), std::max(begin, last)});
  }

  AffineExpr Sum() {
    AffineExpr index(spillway::Draw(-20, 21));
    for (const std::string& loop : open_)
      index = index + builder_.Index(loop) * spillway::Draw(-3, 4);
    return index;
  }

  AffineExpr Index() { return Chance(30) ? Sum() % spillway::Draw(1, 7) : Sum(); }

  /// An index of at least 0, and its largest value.
  std::pair<AffineExpr, std::int64_t> IndexFromZero() {
    AffineExpr index = Index();
    const ValueRange range = RangeOf(index, ranges_);
    if (index.modulus != 0) return {index, range.max};
    return {index - range.min, range.max - range.min};
  }

  Operand RandomOperand(bool dram, bool is_write) {
    Tensor tensor{Name(),
                  dram ? Space::kDram : Space::kSbuf,
                  static_cast<DType>(spillway::Draw(0, 12)),
                  {},
                  {},
                  {},
                  {}};
    tensor.role = is_write ? Pick<Role>({Role::kInternal, Role::kOutput})
                           : Pick<Role>({Role::kInternal, Role::kInput, Role::kConstant});
    Operand operand;
    for (std::int64_t n = spillway::Draw(0, 3); n > 0; --n) {
      auto [index, most] = IndexFromZero();
      operand.block.push_back(std::move(index));
      tensor.blocks.push_back(most + spillway::Draw(1, 3));
    }
    if (!dram) {
      operand.partition_start = Sum() % spillway::Draw(1, 65);
      operand.partition_count = spillway::Draw(1, 65);
      tensor.shape.push_back(128);
    }
    auto [offset, most] = IndexFromZero();
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::int64_t n = spillway::Draw(0, 4); n > 0; --n) {
      const FreeDim dim{spillway::Draw(-5, 6), spillway::Draw(1, 5)};
      const std::int64_t span = dim.step * (dim.count - 1);
      (span < 0 ? low : high) += span;
      operand.free_dims.push_back(dim);
    }
    if (low < 0) offset = offset.modulus == 0 ? offset - low : AffineExpr(most - low);
    most += high - low;
    operand.free_offset = std::move(offset);
    if (Chance(20)) operand.as = static_cast<DType>(spillway::Draw(0, 12));
    tensor.shape.push_back((most + 1) * 4);  // wide enough for any reinterpretation
    if (Chance(30)) PlaceBlocks(tensor);
    if (Chance(20)) operand.indirect = Chance(50) ? tensor.name : "scalar";
    operand.tensor = builder_.Add(std::move(tensor));
    return operand;
  }

  void PlaceBlocks(Tensor& tensor) const {
    for (std::int64_t n = BlockCount(tensor); n > 0; --n) {
      tensor.at.push_back({Partition(tensor.space == Space::kDram ? 0 : spillway::Draw(0, 200)),
                           ByteOffset(spillway::Draw(0, 1 << 20))});
    }
  }

  // Spill code is a copy, so its source has the destination's pattern.
  void SpillCopy() {
    const bool dma = Chance(70);
    Operand operand = RandomOperand(dma, true);
    operand.indirect.clear();
    builder_.Instruction(dma ? "dma_copy" : "tensor_copy")
        .On(dma ? Engine::kDma : Engine::kDve)
        .Out(Name(), operand)
        .In(Name(), operand)
        .Spill(Pick<SpillRole>({SpillRole::kSave, SpillRole::kReload}));
  }

  void Instruction() {
    const bool dma = Chance(40);
    InstructionBuilder b = builder_.Instruction(Text());
    b.On(dma ? Engine::kDma : Pick<Engine>({Engine::kDve, Engine::kAct, Engine::kPool}));
    for (const bool is_write : {true, false}) {
      for (std::int64_t n = spillway::Draw(0, 3); n > 0; --n) {
        if (Chance(20)) {
          std::vector<Operand> list;
          for (std::int64_t k = spillway::Draw(0, 3); k > 0; --k)
            list.push_back(RandomOperand(dma, is_write));
          is_write ? b.OutList(Name(), list) : b.InList(Name(), list);
        } else {
          const Operand operand = RandomOperand(dma, is_write);
          is_write ? b.Out(Name(), operand) : b.In(Name(), operand);
        }
      }
    }
    for (std::int64_t n = spillway::Draw(0, 4); n > 0; --n) b.Attr(Name(), RandomAttr(3));
    for (std::int64_t n = spillway::Draw(0, 3); n > 0; --n)
      b.When({Index(), static_cast<Comparison>(spillway::Draw(0, 6))});
    for (std::int64_t n = spillway::Draw(0, 3); n > 0; --n)
      b.SourceLoop(Text(), spillway::Draw(-9, 10));
    if (Chance(50)) b.Source(Text());
  }

  KernelBuilder builder_{"random", "trn2"};
  std::vector<std::string> open_;
  std::vector<ValueRange> ranges_;  ///< by loop
  int next_name_ = 0;
};

/// How often a feature occurred; a run in which it didn't proves nothing about it.
struct Shares {
  int kernels = 0, loops = 0, predicates = 0, blocks = 0, moduli = 0, lists = 0;
};

void Count(const Kernel& kernel, Shares& shares) {
  bool predicate = false;
  bool block = false;
  bool modulus = false;
  bool list = false;
  for (const Instruction& instruction : kernel.instructions) {
    predicate = predicate || !instruction.when.empty();
    for (const auto* groups : {&instruction.outputs, &instruction.inputs}) {
      for (const OperandGroup& group : *groups) {
        list = list || group.is_list;
        for (const Operand& operand : group.operands) {
          block = block || !operand.block.empty();
          modulus = modulus || operand.free_offset.modulus != 0;
        }
      }
    }
  }
  ++shares.kernels;
  shares.loops += kernel.loops.empty() ? 0 : 1;
  shares.predicates += predicate ? 1 : 0;
  shares.blocks += block ? 1 : 0;
  shares.moduli += modulus ? 1 : 0;
  shares.lists += list ? 1 : 0;
}

TEST(RoundTripProperty, WhatIsPrintedReadsBackEqual) {
  Shares shares;
  const bool holds = rc::check("parse(print(k)) == k", [&shares] {
    const Kernel kernel = RandomKernel().Draw();
    Count(kernel, shares);
    const std::string text = PrintKernelFile(kernel);
    const Result<Kernel> again = ParseKernel(text, "random.kernel.jsonl");
    if (!again) RC_FAIL(again.error().ToString() + "\n" + text);
    RC_ASSERT(*again == kernel);
    RC_ASSERT(PrintKernelFile(*again) == text);
    RC_ASSERT(PrintKernel(*again) == PrintKernel(kernel));
  });
  EXPECT_TRUE(holds);
  for (const int share :
       {shares.loops, shares.predicates, shares.blocks, shares.moduli, shares.lists}) {
    EXPECT_GE(share * 5, shares.kernels) << "a feature occurs in too few kernels";
  }
}

}  // namespace
}  // namespace spillway
