// Tensors of tiles, and what violations say, for the tests of direct allocation.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/alloc_func.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// Tiles of `partitions` x `bytes`: elements are bytes, so that every size can be had.
inline Tensor TilesIn(Space space, std::int64_t partitions, std::int64_t bytes,
                      std::vector<std::int64_t> blocks = {}) {
  Tensor tensor;
  tensor.name = "tiles";
  tensor.space = space;
  tensor.dtype = DType::kUint8;
  tensor.shape = {partitions, bytes};
  tensor.blocks = std::move(blocks);
  return tensor;
}
inline Tensor SbufTiles(std::int64_t partitions, std::int64_t bytes,
                        std::vector<std::int64_t> blocks = {}) {
  return TilesIn(Space::kSbuf, partitions, bytes, std::move(blocks));
}
inline Tensor PsumTiles(std::int64_t partitions, std::int64_t bytes,
                        std::vector<std::int64_t> blocks = {}) {
  return TilesIn(Space::kPsum, partitions, bytes, std::move(blocks));
}

/// The same tuple for every block.
inline TileFunction Always(std::vector<std::int64_t> tuple) {
  return [tuple](std::span<const std::int64_t>, PartitionCount, Bytes) { return tuple; };
}
inline AllocFunc SbufAt(std::int64_t start, std::int64_t byte) {
  return SbufAllocFunc{Always({start, byte})};
}
inline AllocFunc PsumAt(std::int64_t bank, std::int64_t start, std::int64_t byte) {
  return PsumAllocFunc{Always({bank, start, byte})};
}

inline Target BuiltIn(const std::string& name) { return FindTarget(name).value(); }

/// "sbuf-window" of a text that ends with "[docs/nki.md: sbuf-window]".
inline std::string RuleOf(const Violation& violation) {
  const std::string place = "[docs/nki.md: ";
  const std::size_t begin = violation.text.rfind(place) + place.size();
  return violation.text.substr(begin, violation.text.find_first_of(",]", begin) - begin);
}
/// "(0, 3)" of a text that names a block; empty: it names none.
inline std::string BlockOf(const Violation& violation) {
  const std::size_t at = violation.text.find("block (");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + std::string("block ").size();
  return violation.text.substr(begin, violation.text.find(')', begin) + 1 - begin);
}
inline std::multiset<std::string> RulesOf(const std::vector<Violation>& violations) {
  std::multiset<std::string> rules;
  for (const Violation& violation : violations) rules.insert(RuleOf(violation));
  return rules;
}
inline std::string TextOf(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations)
    text += std::string(KindName(violation.kind)) + ": " + violation.text + "\n";
  return text;
}

}  // namespace spillway::nki
