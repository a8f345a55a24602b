#include "model/alloc/nki/evaluate_alloc_func.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/nki/allocation_rule.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

std::vector<std::int64_t> BlockAt(const Tensor& tensor, std::int64_t number) {
  std::vector<std::int64_t> block(tensor.blocks.size(), 0);
  for (std::size_t d = block.size(); d-- > 0;) {
    block[d] = number % tensor.blocks[d];
    number /= tensor.blocks[d];
  }
  return block;
}

Violation Failed(const Tensor& tensor, std::span<const std::int64_t> block, std::string_view why) {
  return BrokenRule(AllocationRule::kFunction, tensor, block,
                    fmt::format("the allocation function failed: {}", why));
}

}  // namespace

std::optional<std::int64_t> BoundedBlockCount(const Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : tensor.blocks) {
    if (dimension < 1 || dimension > kMostBlocks / count) return std::nullopt;
    count *= dimension;
  }
  return count;
}

BlockTuples EvaluateTileFunction(const Tensor& tensor, const TileFunction& func) {
  BlockTuples result;
  if (!func) {
    result.violations.push_back(
        BrokenRule(AllocationRule::kFunction, tensor, "there is no allocation function to call"));
    return result;
  }
  const std::int64_t blocks = BoundedBlockCount(tensor).value();
  const std::int64_t evaluated = SPILLWAY_FAULT(N35, blocks, blocks > 1 ? blocks - 1 : blocks);
  result.tuples.reserve(static_cast<std::size_t>(blocks));
  for (std::int64_t b = 0; b < evaluated; ++b) {
    BlockTuple tuple{BlockAt(tensor, b), {}};
    std::optional<std::string> thrown;
    try {
      tuple.tuple = func(tuple.block, Partitions(tensor), BlockBytes(tensor));
    } catch (const std::exception& error) {
      thrown = error.what();
    } catch (...) {
      thrown = "it threw something that isn't a std::exception";
    }
    if (thrown) {
      const bool is_said = SPILLWAY_FAULT(N31, true, false);
      if (is_said) result.violations.push_back(Failed(tensor, tuple.block, *thrown));
      continue;
    }
    result.tuples.push_back(std::move(tuple));
  }
  return result;
}

BlockTuples EvaluateLaw(const Tensor& tensor, const ModuloLaw& law) {
  BlockTuples result;
  const Result<std::vector<Address>> addresses = EvaluateModuloLaw(tensor, law);
  if (!addresses) {
    result.violations.push_back(
        BrokenRule(AllocationRule::kModuloRange, tensor, addresses.error().message));
    return result;
  }
  const bool is_psum = tensor.space == Space::kPsum;
  result.tuples.reserve(addresses->size());
  for (std::size_t b = 0; b < addresses->size(); ++b) {
    const Address& address = (*addresses)[b];
    const std::int64_t byte = address.byte.value;
    std::vector<std::int64_t> tuple{address.partition.value, byte};
    if (is_psum) {
      const std::int64_t bank = kAddressBankBytes.value;
      tuple = {byte / bank, address.partition.value, byte % bank};
    }
    result.tuples.push_back({BlockAt(tensor, static_cast<std::int64_t>(b)), std::move(tuple)});
  }
  return result;
}

}  // namespace spillway::nki
