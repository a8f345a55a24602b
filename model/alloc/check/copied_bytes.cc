#include "model/alloc/check/copied_bytes.h"

#include <algorithm>
#include <numeric>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

// Parts of one copy that move differently; more of them are taken as unknown.
constexpr std::int64_t kMaxParts = 4096;

struct OneSided {
  std::int64_t count = 1;
  CopyStep step;
};

std::vector<OneSided> DimsOf(const Kernel& kernel, const Operand& operand, std::int64_t element) {
  std::vector<OneSided> dims;
  if (kernel.tensors[operand.tensor].space != Space::kDram && operand.partition_count != 1)
    dims.push_back({operand.partition_count, {1, 0}});
  for (const FreeDim& dim : operand.free_dims) {
    if (dim.count != 1) dims.push_back({dim.count, {0, dim.step * element}});
  }
  return dims;
}

CopyStep Times(const CopyStep& step, std::int64_t factor) {
  return {step.partitions * factor, step.bytes * factor};
}

// The block's own coordinates of one step at the source.
CopyStep InBlock(const CopyDim& dim, const Location& lies_at, bool to_linear) {
  if (!lies_at.linear) return dim.from;
  if (lies_at.stride == 0) return {0, dim.from.bytes};
  if (!to_linear && dim.to.partitions * lies_at.stride + dim.to.bytes == dim.from.bytes)
    return dim.to;
  if (dim.from.bytes != 0 && dim.from.bytes % lies_at.stride == 0)
    return {dim.from.bytes / lies_at.stride, 0};
  return {0, dim.from.bytes};
}

// The block's own coordinates of the first element at the source.
CopyStep FirstInBlock(const Start& from, const Holding& source) {
  const Location& lies_at = source.at;
  if (!lies_at.linear) return {from.partition - lies_at.partition, from.byte - lies_at.byte};
  const std::int64_t distance = from.byte - lies_at.byte;
  if (lies_at.stride == 0) return {0, distance};
  // Where partitions lie closer than the block's bytes, only those that it has there tell which one
  // a byte belongs to.
  std::int64_t window = 0;
  if (!source.bytes.empty()) {
    const Runs& runs = source.bytes.bands().front().runs;
    if (runs.back().end.value > lies_at.stride) window = runs.front().begin.value;
  }
  const std::int64_t above = distance - window;
  const std::int64_t partitions =
      above >= 0 ? above / lies_at.stride : -((-above + lies_at.stride - 1) / lies_at.stride);
  return {partitions, distance - partitions * lies_at.stride};
}

struct Walk {
  std::int64_t count = 1;
  CopyStep in_block;
  CopyStep to;
};

// The partitions of a block, and the byte runs in each, that `dims` step through from `start`.
PlaneSet PlaneOf(const CopyStep& start, const Walk* rows, const std::vector<Walk>& dims) {
  std::vector<FreeDim> free;
  for (const Walk& dim : dims) free.push_back({dim.in_block.bytes, dim.count});
  const Partition first(start.partitions);
  return PlaneSet({first, first + PartitionCount(rows == nullptr ? 1 : rows->count)},
                  RunsOf(start.bytes, free, Bytes(1), kMaxPatternRuns));
}

}  // namespace

std::optional<std::vector<CopyDim>> CopyDimsOf(const Kernel& kernel, const Operand& from,
                                               const Operand& to) {
  const DType type = OperandDType(kernel, from);
  if (type != OperandDType(kernel, to) || !from.indirect.empty() || !to.indirect.empty())
    return std::nullopt;
  const std::int64_t element = ElementSize(type).value;
  std::vector<OneSided> a = DimsOf(kernel, from, element);
  std::vector<OneSided> b = DimsOf(kernel, to, element);
  // From the innermost out: what both patterns repeat equally often is one dimension.
  std::vector<CopyDim> dims = {{element, {0, 1}, {0, 1}}};
  while (!a.empty() && !b.empty()) {
    OneSided& x = a.back();
    OneSided& y = b.back();
    const std::int64_t common = std::gcd(x.count, y.count);
    if (common <= 1) return std::nullopt;
    dims.push_back({common, x.step, y.step});
    for (auto* side : {&a, &b}) {
      OneSided& rest = side->back();
      rest = {rest.count / common, Times(rest.step, common)};
      if (rest.count == 1) side->pop_back();
    }
  }
  if (!a.empty() || !b.empty()) return std::nullopt;
  std::reverse(dims.begin(), dims.end());
  return dims;
}

std::vector<Holding> CopiedBytes(const std::vector<CopyDim>& dims, const Start& from,
                                 const Start& to, const Holding& source, std::int64_t row_bytes) {
  const Location& lies_at = source.at;
  const CopyStep first = FirstInBlock(from, source);
  // One partition doesn't tell how far apart the rows lie: as far as in the block itself, then.
  std::int64_t stride = to.linear ? row_bytes : 0;
  std::vector<Walk> walks;
  for (const CopyDim& dim : dims) {
    walks.push_back({dim.count, InBlock(dim, lies_at, to.linear), dim.to});
  }
  for (const Walk& walk : walks) {
    if (!to.linear || walk.in_block.partitions <= 0 || walk.in_block.bytes != 0) continue;
    const std::int64_t step = walk.to.bytes / walk.in_block.partitions;
    if (step > 0 && step * walk.in_block.partitions == walk.to.bytes) stride = step;
    break;
  }
  // Dimensions that move alike at both ends make one part; the others are walked.
  const Walk* rows = nullptr;
  std::vector<Walk> together;
  std::vector<Walk> apart;
  std::int64_t parts = 1;
  for (const Walk& walk : walks) {
    const bool alike =
        to.linear ? walk.to.bytes == walk.in_block.partitions * stride + walk.in_block.bytes
                  : walk.to.partitions == walk.in_block.partitions &&
                        walk.to.bytes == walk.in_block.bytes;
    if (alike && walk.in_block.partitions == 0) {
      together.push_back(walk);
    } else if (alike && walk.in_block.partitions == 1 && walk.in_block.bytes == 0 &&
               rows == nullptr) {
      rows = &walk;
    } else {
      apart.push_back(walk);
      parts *= walk.count;
      if (parts > kMaxParts) return {};
    }
  }
  std::vector<Holding> copied;
  for (std::int64_t part = 0; part < parts; ++part) {
    CopyStep in_block = first;
    Start target = to;
    std::int64_t rest = part;
    for (auto walk = apart.rbegin(); walk != apart.rend(); ++walk) {
      const std::int64_t at = rest % walk->count;
      rest /= walk->count;
      in_block.partitions += at * walk->in_block.partitions;
      in_block.bytes += at * walk->in_block.bytes;
      target.partition += at * walk->to.partitions;
      target.byte += at * walk->to.bytes;
    }
    Location at{to.store, to.linear, target.partition - in_block.partitions,
                target.byte - in_block.bytes, 0};
    if (to.linear) {
      at.partition = 0;
      at.stride = stride;
      at.byte -= in_block.partitions * stride;
    }
    PlaneSet bytes = PlaneOf(in_block, rows, together);
    const auto known = std::find_if(copied.begin(), copied.end(),
                                    [&](const Holding& holding) { return holding.at == at; });
    if (known == copied.end()) {
      copied.push_back({at, std::move(bytes)});
    } else {
      known->bytes.Unite(bytes);
    }
  }
  return copied;
}

}  // namespace spillway::check
