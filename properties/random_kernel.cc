#include "properties/random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/dram_slabs.h"
#include "properties/kernel_choices.h"
#include "properties/psum_tiles.h"
#include "properties/region_choice.h"

namespace spillway {
namespace {

constexpr std::array<std::int64_t, 12> kHeights = {128, 32, 64,  1,  33,  31,
                                                   65,  63, 127, 16, 128, 64};
constexpr std::array<std::int64_t, 12> kFreeElements = {8, 16, 4, 1, 2, 24, 7, 9, 12, 3, 16, 32};
constexpr std::array<DType, 4> kTypes = {DType::kFloat32, DType::kBfloat16, DType::kUint8,
                                         DType::kFloat32};

/// A tensor that may be read here.
struct Visible {
  TensorId tensor;
  /// Of a tensor with blocks: the only index that may be read; empty where any may be.
  std::vector<AffineExpr> only_block;
};

class Decoder {
 public:
  explicit Decoder(const RandomKernelOptions& options)
      : options_(options), builder_("random", "trn2"), psum_(builder_, options.psum_partitions) {}

  void Add(const Choice& c) {
    switch (static_cast<ChoiceKind>(c.kind % kChoiceKinds)) {
      case ChoiceKind::kLoad: return Load(c);
      case ChoiceKind::kCompute: return Compute(c);
      case ChoiceKind::kStore: return Store(c);
      case ChoiceKind::kOpenLoop: return OpenLoop(c);
      case ChoiceKind::kCloseLoop: return CloseLoop();
      case ChoiceKind::kUpdate: return Update(c);
      case ChoiceKind::kOverwrite: return Overwrite(c);
      case ChoiceKind::kPieces: return Pieces(c);
      case ChoiceKind::kCopy: return Copy(c);
      case ChoiceKind::kBlocks: return Blocks(c);
      case ChoiceKind::kRotate: return Rotate(c);
      case ChoiceKind::kMatmul: return Matmul(c);
      case ChoiceKind::kAccumulate: return Accumulate(c);
      case ChoiceKind::kEvacuate: return Evacuate(c);
      case ChoiceKind::kEither: return Either(c);
      case ChoiceKind::kColumns: return Columns(c);
      case ChoiceKind::kShift: return Shift(c);
      case ChoiceKind::kComb: return Comb(c);
      case ChoiceKind::kReopen: return Reopen(c);
      case ChoiceKind::kPsumBlocks: return PsumBlocks(c);
      case ChoiceKind::kLongLoop: return LongLoop(c);
    }
  }

  Kernel Finish() {
    while (!loops_.empty()) CloseLoop();
    if (visible_.empty()) Load({});
    constexpr std::size_t kStored = 4;
    const std::size_t count = std::min(visible_.size(), kStored);
    for (std::size_t back = 0; back < count; ++back) {
      Choice c;
      c.first = static_cast<std::uint8_t>(back);
      Store(c);
    }
    Kernel kernel = builder_.Build();
    inputs_.SetShapes(kernel);
    outputs_.SetShapes(kernel);
    return kernel;
  }

 private:
  Tensor NewTensor(const Choice& c, std::vector<std::int64_t> blocks = {}) {
    Tensor tensor;
    tensor.name = fmt::format("t{}", serial_++);
    tensor.dtype = kTypes[(c.size / 16u) % kTypes.size()];
    tensor.shape = {kHeights[c.height % kHeights.size()],
                    kFreeElements[c.size % kFreeElements.size()]};
    tensor.blocks = std::move(blocks);
    if (options_.fixed_tensors && c.guard % 5 == 4 && c.height >= 128) {
      const std::int64_t bytes = RoundUp(BlockBytes(tensor).value, 4);
      if (fixed_bytes_ + bytes * BlockCount(tensor) > kFixedTensorBytes.value) return tensor;
      for (std::int64_t b = 0; b < BlockCount(tensor); ++b) {
        tensor.at.push_back({Partition(0), ByteOffset(fixed_bytes_)});
        fixed_bytes_ += bytes;
      }
    }
    return tensor;
  }

  TensorId AddNew(Tensor tensor) {
    tensors_.push_back(tensor);
    ids_.push_back(builder_.Add(std::move(tensor)));
    return ids_.back();
  }

  const Tensor& TensorOf(TensorId id) const {
    return tensors_[static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), id) -
                                             ids_.begin())];
  }

  void Show(TensorId tensor, std::vector<AffineExpr> only_block = {}) {
    visible_.push_back({tensor, std::move(only_block)});
  }

  const Visible* Pick(std::uint8_t back) const {
    if (visible_.empty()) return nullptr;
    return &visible_[visible_.size() - 1 - back % visible_.size()];
  }

  Operand Part(const Visible& visible, std::uint8_t region, std::uint8_t detail,
               bool is_write) const {
    const Tensor& tensor = TensorOf(visible.tensor);
    Operand operand = ChooseRegion(tensor, visible.tensor, loops_, region, detail, is_write);
    operand.block = visible.only_block;
    if (!tensor.blocks.empty() && operand.block.empty()) {
      operand.block = {ChooseBlock(tensor.blocks.front(), loops_, detail)};
    }
    return operand;
  }

  Operand Whole(TensorId tensor, std::vector<AffineExpr> block = {}) const {
    return builder_.Whole(tensor).Block(std::move(block));
  }

  /// Under a predicate on an open loop in one case of three, where there is one.
  void Guard(InstructionBuilder& instruction, std::uint8_t guard) const {
    if (loops_.empty() || guard % 3 != 1) return;
    const OpenLoopShape& loop = loops_[guard / 3u % loops_.size()];
    const std::int64_t value =
        loop.begin + loop.step * (guard / 9 % std::max<std::int64_t>(loop.trips, 1));
    const AffineExpr index = IndexOf(loop);
    switch (guard / 36 % 4) {
      case 0: instruction.When(AtLeast(index, value)); return;
      case 1: instruction.When(Equals(index, value)); return;
      case 2: instruction.When(Differs(index, value)); return;
      default: instruction.When(LessThan(index, value)); return;
    }
  }

  InstructionBuilder Op(std::string op) {
    InstructionBuilder instruction = builder_.Instruction(std::move(op));
    // Equal operations on equal data would give equal results, and hide a mix-up.
    return instruction.Attr("serial", std::int64_t{op_serial_++});
  }

  const OpenLoopShape* InnermostIf(bool wanted) const {
    return wanted && !loops_.empty() ? &loops_.back() : nullptr;
  }

  void Load(const Choice& c) {
    Tensor tensor = NewTensor(c);
    const DType type = tensor.dtype;
    const std::int64_t elements = Partitions(tensor).value * FreeElements(tensor);
    const TensorId id = AddNew(std::move(tensor));
    const Operand source = inputs_.Part(type, elements, c.detail, InnermostIf(c.region % 2 == 1));
    builder_.Copy(Whole(id), source);
    Show(id);
  }

  void Compute(const Choice& c) {
    if (visible_.empty()) return Load(c);
    const Operand a = Part(*Pick(c.first), c.region, c.detail, false);
    const Operand b =
        Part(*Pick(c.second), static_cast<std::uint8_t>(c.region / 16), c.detail, false);
    const TensorId id = AddNew(NewTensor(c));
    Op("combine").Out("dst", Whole(id)).In("data0", a).In("data1", b);
    Show(id);
  }

  void Store(const Choice& c) {
    if (visible_.empty()) return;
    const Operand part = Part(*Pick(c.first), c.region, c.detail, false);
    const DType type = part.as.value_or(TensorOf(part.tensor).dtype);
    std::int64_t elements = part.partition_count;
    for (const FreeDim& dim : part.free_dims) elements *= dim.count;
    InstructionBuilder dma =
        builder_.Copy(outputs_.Part(type, elements, outputs_.EndOf(type), InnermostIf(true)), part);
    Guard(dma, c.guard);
  }

  void OpenLoop(const Choice& c) {
    constexpr std::size_t kDepth = 3;
    if (loops_.size() == kDepth) return;
    constexpr std::array<std::int64_t, 16> kTrips = {2, 3, 1, 4, 2, 3, 1, 4,
                                                     2, 3, 1, 4, 2, 3, 0, 20};
    constexpr std::array<std::int64_t, 4> kSteps = {1, 1, 2, -1};
    constexpr std::array<LoopKind, 8> kKinds = {
        LoopKind::kAffine, LoopKind::kSequential, LoopKind::kAffine, LoopKind::kSequential,
        LoopKind::kAffine, LoopKind::kSequential, LoopKind::kStatic, LoopKind::kDynamic};
    OpenLoopShape loop;
    loop.trips = kTrips[c.height % kTrips.size()];
    // Many trips of many trips would take longer than they tell.
    constexpr std::int64_t kMostTrips = 40;
    std::int64_t around = 1;
    for (const OpenLoopShape& outer : loops_) around *= std::max<std::int64_t>(outer.trips, 1);
    if (loop.trips * around > kMostTrips) loop.trips = around > kMostTrips ? 1 : 2;
    loop.begin = c.size % 3;
    loop.step = kSteps[c.region % kSteps.size()];
    Open(loop, kKinds[c.guard % kKinds.size()]);
  }

  void Open(OpenLoopShape loop, LoopKind kind) {
    loop.id = builder_.OpenLoop(fmt::format("i{}", loop_serial_++), loop.begin,
                                loop.begin + loop.step * loop.trips, loop.step, kind);
    loops_.push_back(loop);
    kinds_.push_back(kind);
    visible_before_.push_back(visible_.size());
    psum_.OpenLoop();
  }

  void CloseLoop() {
    if (loops_.empty()) return;
    builder_.CloseLoop();
    const LoopId closed = loops_.back().id;
    // What a loop defines that may not run, nobody may read after it.
    const bool may_not_run = loops_.back().trips == 0 || kinds_.back() == LoopKind::kDynamic;
    if (may_not_run) visible_.resize(std::min(visible_.size(), visible_before_.back()));
    psum_.CloseLoop(closed, may_not_run);
    loops_.pop_back();
    kinds_.pop_back();
    visible_before_.pop_back();
    std::erase_if(visible_, [&](const Visible& v) {
      return std::any_of(v.only_block.begin(), v.only_block.end(), [&](const AffineExpr& e) {
        return std::any_of(e.terms.begin(), e.terms.end(),
                           [&](const AffineTerm& term) { return term.loop == closed; });
      });
    });
  }

  void Update(const Choice& c) {
    if (visible_.empty()) return Load(c);
    const Visible& target = *Pick(c.first);
    const Operand dst = Part(target, c.region, c.detail, true);
    const Operand old = c.second % 2 == 0 ? dst : Part(target, c.region / 16, c.detail, false);
    // Two indices into one tensor's blocks may name one block, or not.
    const bool same_tensor = !TensorOf(target.tensor).blocks.empty() && c.second % 3 == 0;
    const Operand other = Part(same_tensor ? target : *Pick(c.second), 0, c.height, false);
    InstructionBuilder op = Op("combine").Out("dst", dst);
    if (c.size % 4 == 3) {
      op.Attr("accumulate", true);
    } else {
      op.In("data0", old);
    }
    op.In("data1", other);
    Guard(op, c.guard);
  }

  void Overwrite(const Choice& c) {
    if (visible_.empty()) return Load(c);
    const Operand dst = Part(*Pick(c.first), c.region, c.detail, true);
    const Operand source = Part(*Pick(c.second), c.region / 16, c.detail, false);
    InstructionBuilder op = Op("derive").Out("dst", dst).In("data", source);
    const Operand also = Part(*Pick(c.size), c.height, c.detail, true);
    if (c.second % 4 == 3 && also.tensor != dst.tensor) op.Out("also", also);
    Guard(op, c.guard);
  }

  void Pieces(const Choice& c) {
    Tensor tensor = NewTensor(c);
    const TensorId id = AddNew(tensor);
    for (const Operand& part : ChooseHalves(tensor, Whole(id), c.region))
      Op("memset").Out("dst", part);
    Show(id);
  }

  void Copy(const Choice& c) {
    if (visible_.empty()) return Load(c);
    const Operand source = Part(*Pick(c.first), 0, c.detail, false);
    Tensor tensor = NewTensor(c);
    tensor.dtype = TensorOf(source.tensor).dtype;
    tensor.shape = TensorOf(source.tensor).shape;
    if (!tensor.at.empty()) tensor.at.clear();
    const TensorId id = AddNew(std::move(tensor));
    builder_.Copy(Whole(id), source);
    Show(id);
  }

  void Blocks(const Choice& c) {
    const std::int64_t count = 2 + c.detail % 2;
    const TensorId id = AddNew(NewTensor(c, {count}));
    for (std::int64_t b = 0; b < count; ++b) Op("memset").Out("dst", Whole(id, {AffineExpr(b)}));
    Show(id);
  }

  void Rotate(const Choice& c) {
    if (loops_.empty()) return Blocks(c);
    const std::int64_t count = 2 + c.detail % 2;
    const TensorId id = AddNew(NewTensor(c, {count}));
    const OpenLoopShape& loop = loops_[c.detail / 2u % loops_.size()];
    const AffineExpr index = IndexOf(loop) % count;
    InstructionBuilder op = Op("derive").Out("dst", Whole(id, {index}));
    if (!visible_.empty()) op.In("data", Part(*Pick(c.first), c.region, c.detail, false));
    if (c.guard % 4 == 3) {
      // After a round every block goes on with what the round before left in it.
      const std::int64_t second_round = loop.begin + count * loop.step;
      const bool up = loop.step > 0;
      op.When(up ? LessThan(IndexOf(loop), second_round)
                 : AtLeast(IndexOf(loop), second_round + 1));
      Op("combine")
          .Out("dst", Whole(id, {index}))
          .In("data0", Whole(id, {index}))
          .When(up ? AtLeast(IndexOf(loop), second_round)
                   : LessThan(IndexOf(loop), second_round + 1));
    }
    Show(id, {index});
  }

  /// The same rows of two tensors, to contract over.
  std::pair<Operand, Operand> Factors(const Choice& c) const {
    Operand a = Part(*Pick(c.first), 0, c.detail, false);
    Operand b = Part(*Pick(c.second), 0, c.detail, false);
    const std::int64_t rows = std::min(a.partition_count, b.partition_count);
    a.partition_count = rows;
    b.partition_count = rows;
    return {a, b};
  }

  void Multiply(const Choice& c, Operand dst, bool accumulate, bool guarded) {
    const auto [a, b] = Factors(c);
    InstructionBuilder op = Op("nc_matmul");
    op.Out("dst", std::move(dst)).In("stationary", a).In("moving", b);
    op.Attr("accumulate", accumulate);
    if (guarded) Guard(op, c.guard);
  }

  void Matmul(const Choice& c) {
    if (visible_.empty()) return Load(c);
    const PsumTiles::Tile& tile =
        psum_.Add(c, fmt::format("p{}", serial_++), kHeights[c.height % kHeights.size()],
                  kFreeElements[c.size % kFreeElements.size()]);
    Multiply(c, psum_.Openings(tile).front(), false, false);
  }

  void PsumBlocks(const Choice& c) {
    if (visible_.empty()) return Load(c);
    // Few banks are soon taken.
    if (c.second % 3 != 0) return Matmul(c);
    const PsumTiles::Tile& tile =
        psum_.AddBlocks(c, fmt::format("p{}", serial_++), kHeights[c.height % kHeights.size()],
                        kFreeElements[c.size % kFreeElements.size()], loops_);
    for (Operand& opening : psum_.Openings(tile)) Multiply(c, std::move(opening), false, false);
  }

  void Accumulate(const Choice& c) {
    if (psum_.empty() || visible_.empty()) return Matmul(c);
    Multiply(c, psum_.Part(psum_.Pick(c.detail), c.region, c.size, true, loops_), true, true);
  }

  void Reopen(const Choice& c) {
    if (psum_.empty() || visible_.empty()) return Matmul(c);
    Multiply(c, psum_.Part(psum_.Pick(c.detail), c.region, c.size, true, loops_), false, true);
  }

  void Evacuate(const Choice& c) {
    if (psum_.empty()) return Compute(c);
    const PsumTiles::Tile& tile = psum_.Pick(c.detail);
    const Operand source = psum_.Evacuated(tile, c.size, loops_);
    Tensor tensor = NewTensor(c);
    tensor.dtype = tile.tensor.dtype;
    tensor.shape = {source.partition_count, source.free_dims.front().count};
    tensor.at.clear();
    const TensorId id = AddNew(std::move(tensor));
    builder_.Copy(Whole(id), source);
    Show(id);
  }

  void Either(const Choice& c) {
    if (loops_.empty() || visible_.empty()) return Compute(c);
    const Operand source = Part(*Pick(c.first), c.region, c.detail, false);
    const Operand other = Part(*Pick(c.second), 0, c.detail, false);
    const TensorId id = AddNew(NewTensor(c));
    const OpenLoopShape& loop = loops_[c.detail % loops_.size()];
    const AffineExpr index = IndexOf(loop);
    Op("derive").Out("dst", Whole(id)).In("data", source).When(Equals(index, loop.begin));
    // The second either starts afresh, or goes on with what the previous iteration left.
    InstructionBuilder op = Op("combine").Out("dst", Whole(id)).In("data0", other);
    op.When(Differs(index, loop.begin));
    if (c.guard % 2 == 0) op.In("data1", Whole(id));
    Show(id);
  }

  void Columns(const Choice& c) {
    constexpr std::size_t kDepth = 3;
    if (loops_.size() == kDepth || visible_.empty()) return Compute(c);
    Choice wide = c;
    wide.guard = 0;
    Tensor tensor = NewTensor(wide);
    const std::int64_t columns = 2 + c.detail % 3;
    tensor.shape[1] = columns * (1 + c.size % 4);
    const std::int64_t width = tensor.shape[1] / columns;
    const TensorId id = AddNew(std::move(tensor));
    Open({{}, c.guard % 2, 1, columns}, LoopKind::kAffine);
    Operand dst = Whole(id);
    dst.free_offset = (IndexOf(loops_.back()) - loops_.back().begin) * width;
    dst.free_dims = {{1, width}};
    Op("derive").Out("dst", dst).In("data", Part(*Pick(c.first), c.region, c.detail, false));
    CloseLoop();
    Show(id);
  }

  void Shift(const Choice& c) {
    const auto any_block = std::find_if(visible_.rbegin(), visible_.rend(), [&](const Visible& v) {
      return !TensorOf(v.tensor).blocks.empty() && v.only_block.empty();
    });
    if (any_block == visible_.rend()) return Blocks(c);
    const Visible target = *any_block;
    const Operand moving = Part(target, c.region, c.detail, true);
    const Operand fixed = Part(target, 0, c.height, false);
    InstructionBuilder op = Op("combine").Out("dst", moving);
    op.In("data0", c.second % 2 == 0 ? moving : fixed).In("data1", fixed);
    Guard(op, c.guard);
    const TensorId id = AddNew(NewTensor(c));
    Op("derive").Out("dst", Whole(id)).In("data", fixed);
    Show(id);
  }

  void Comb(const Choice& c) {
    // Rare, since such a tensor is larger than all others together.
    if (c.kind < 256 - kChoiceKinds || c.second % 4 != 0) return Compute(c);
    constexpr std::int64_t kTeeth = 260;
    Tensor tensor = NewTensor({});
    tensor.dtype = DType::kUint8;
    tensor.shape = {kHeights[c.height % kHeights.size()], 2 * kTeeth - 1};
    const TensorId id = AddNew(std::move(tensor));
    Op("memset").Out("dst", Whole(id));
    Operand teeth = Whole(id);
    teeth.free_dims = {{2, kTeeth}};
    const bool in_loop = c.detail % 2 == 0 && loops_.size() < 3;
    if (in_loop) Open({{}, 0, 1, 2}, LoopKind::kSequential);
    Op("memset").Out("dst", teeth);
    Show(id);
    Store({});
    if (in_loop) CloseLoop();
  }

  void LongLoop(const Choice& c) {
    if (c.kind < 256 - kChoiceKinds || !loops_.empty()) return OpenLoop(c);
    constexpr std::int64_t kMostHeight = 4;
    const std::int64_t turn = 33 + c.size % 16;
    const bool blocks = c.region % 2 == 1;
    Tensor tensor = NewTensor({});
    tensor.shape = {std::min(kHeights[c.height % kHeights.size()], kMostHeight), blocks ? 1 : turn};
    if (blocks) tensor.blocks = {turn};
    const TensorId id = AddNew(std::move(tensor));
    if (!blocks) Op("memset").Out("dst", Whole(id));
    Open({{}, c.guard % 3, 1, 100 + c.height % 40}, LoopKind::kSequential);
    const AffineExpr index = IndexOf(loops_.back()) % turn;
    Operand dst = Whole(id, blocks ? std::vector{index} : std::vector<AffineExpr>{});
    if (!blocks) {
      dst.free_offset = index;
      dst.free_dims = {{1, 1}};
    }
    InstructionBuilder op = Op("derive").Out("dst", dst);
    if (!visible_.empty()) op.In("data", Part(*Pick(c.first), 0, c.detail, false));
    Show(id, dst.block);
    // What stands in such a loop runs as often, and takes as long.
    if (c.detail % 8 != 0) CloseLoop();
  }

  RandomKernelOptions options_;
  KernelBuilder builder_;
  std::vector<TensorId> ids_;
  std::vector<Tensor> tensors_;
  std::vector<Visible> visible_;
  std::vector<OpenLoopShape> loops_;
  std::vector<LoopKind> kinds_;              ///< of the open loops
  std::vector<std::size_t> visible_before_;  ///< tensors that could be read when each was opened
  PsumTiles psum_;
  DramSlabs inputs_{builder_, "x", Role::kInput};
  DramSlabs outputs_{builder_, "y", Role::kOutput};
  int serial_ = 0;
  int loop_serial_ = 0;
  int op_serial_ = 0;
  std::int64_t fixed_bytes_ = 0;
};

}  // namespace

Kernel DecodeKernel(std::span<const std::uint8_t> bytes, const RandomKernelOptions& options) {
  Decoder decoder(options);
  for (const Choice& choice : ChoicesOf(bytes)) decoder.Add(choice);
  return decoder.Finish();
}

}  // namespace spillway
