#include <fmt/format.h>

#include <span>

#include "model/hw/fault.h"
#include "traces/decode_lines.h"
#include "traces/names.h"

namespace spillway {
namespace {

/// The format's own bound on partition dimensions; targets say what they have.
constexpr std::int64_t kMaxPartitions = 128;

std::vector<std::int64_t> Dimensions(const Node& node, Decoder& decoder) {
  std::vector<std::int64_t> dims;
  if (!node.present() || !decoder.Is(node, JsonType::kList)) return dims;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node item = node.Item(i);
    dims.push_back(decoder.Integer(item, -kMaxIndex, kMaxIndex));
    if (dims.back() < 1)
      decoder.Refuse(Fault::kShapeNotPositive, item, "a dimension of at least 1",
                     Decoder::Found(item));
  }
  return dims;
}

/// Whether the product of all dimensions and `factor` stays within `limit`.
bool ProductFits(std::int64_t factor, std::initializer_list<std::span<const std::int64_t>> lists,
                 std::int64_t limit) {
  std::int64_t product = factor;
  for (const auto& dims : lists) {
    for (const std::int64_t dim : dims) {
      if (__builtin_mul_overflow(product, dim, &product) || product > limit) return false;
    }
  }
  return true;
}

Address DecodeAddress(const Node& node, Decoder& decoder, Space space) {
  if (!decoder.IsListOf(node, 2)) return {};
  std::int64_t parts[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const Node part = node.Item(i);
    parts[i] = decoder.Integer(part, -kMaxIndex, kMaxIndex);
    if (parts[i] < 0)
      decoder.Refuse(Fault::kNegativeAddress, part, "a number of at least 0", Decoder::Found(part));
  }
  if (space == Space::kDram && parts[0] != 0) {
    const Node part = node.Item(0);
    decoder.Refuse(Fault::kDramAddressPartition, part, "partition 0 in DRAM", Decoder::Found(part));
  }
  const std::int64_t byte = SPILLWAY_FAULT(
      E6, parts[1], fault::variant == 0 ? static_cast<std::int32_t>(parts[1]) : parts[1]);
  return {Partition(parts[0]), ByteOffset(byte)};
}

std::vector<Address> DecodeAddresses(const Node& node, Decoder& decoder, const Tensor& tensor) {
  if (!node.present() || !decoder.Is(node, JsonType::kList)) return {};
  if (tensor.blocks.empty()) return {DecodeAddress(node, decoder, tensor.space)};
  const auto blocks = static_cast<std::size_t>(BlockCount(tensor));
  if (node.size() != blocks) {
    decoder.Refuse(Fault::kAddressCount, node,
                   fmt::format("one address for each of {} blocks", blocks), Decoder::Found(node));
    return {};
  }
  std::vector<Address> addresses;
  for (std::size_t i = 0; i < node.size(); ++i)
    addresses.push_back(DecodeAddress(node.Item(i), decoder, tensor.space));
  return addresses;
}

}  // namespace

Header DecodeHeader(const Node& node, Decoder& decoder) {
  if (!decoder.Is(node, JsonType::kObject)) return {};
  // The version first: a later version may have keys that this one doesn't know.
  if (const Node version = node.Member("version"); version.present()) {
    const std::int64_t number = decoder.Integer(version, INT64_MIN, INT64_MAX);
    if (number != 1) decoder.Refuse(Fault::kUnknownVersion, version, "1", Decoder::Found(version));
  }
  if (!decoder.Fields(node, {"kernel", "version", "target"}, {"origin"})) return {};
  Header header;
  header.name = decoder.Name(node.Member("kernel"));
  header.target = decoder.Name(node.Member("target"));
  header.origin = DecodeAttributes(node.Member("origin"), decoder);
  return header;
}

Tensor DecodeTensor(const Node& node, Decoder& decoder) {
  if (!decoder.Fields(node, {"tensor", "space", "dtype", "shape"}, {"blocks", "role", "at"}))
    return {};
  Tensor tensor;
  tensor.name = decoder.Name(node.Member("tensor"));
  tensor.space =
      decoder.Word(node.Member("space"), ParseSpace, Fault::kUnknownSpace, "sbuf, psum or dram");
  tensor.dtype = decoder.Word(node.Member("dtype"), ParseDType, Fault::kUnknownDtype, kDtypeWords);
  if (const Node role = node.Member("role"); role.present()) {
    tensor.role =
        decoder.Word(role, ParseRole, Fault::kUnknownRole, "internal, input, output or constant");
  }
  const Node shape = node.Member("shape");
  tensor.shape = Dimensions(shape, decoder);
  tensor.blocks = Dimensions(node.Member("blocks"), decoder);
  if (!decoder.ok()) return {};
  if (tensor.space != Space::kDram) {
    if (tensor.shape.empty()) {
      decoder.Refuse(Fault::kShapeWithoutPartitions, shape, "the partitions first",
                     "an empty list");
    } else if (tensor.shape.front() > kMaxPartitions) {
      decoder.Refuse(Fault::kTooManyPartitions, shape.Item(0),
                     fmt::format("at most {} partitions", kMaxPartitions),
                     fmt::to_string(tensor.shape.front()));
    }
  }
  if (!ProductFits(ElementSize(tensor.dtype).value, {tensor.shape, tensor.blocks}, kMaxBytes)) {
    decoder.Refuse(Fault::kTensorTooLarge, shape,
                   fmt::format("at most {} bytes in all blocks", kMaxBytes), "more");
  }
  if (!decoder.ok()) return {};
  tensor.at = DecodeAddresses(node.Member("at"), decoder, tensor);
  return tensor;
}

}  // namespace spillway
