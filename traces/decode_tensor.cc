#include <fmt/format.h>

#include <span>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/hw/fault.h"
#include "traces/decode_lines.h"
#include "traces/names.h"

namespace spillway {
namespace {

/// The format's own bound on partition dimensions; targets say what they have.
constexpr std::int64_t kMaxPartitions = 128;
/// Blocks whose addresses a law may give: as many as lists of addresses could hold in a line.
constexpr std::int64_t kMaxAllocBlocks = std::int64_t{1} << 18;
constexpr std::int64_t kNewestVersion = 2;

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

/// The word for a custom function of the author's, whose results stand in `at`.
void DecodeFunction(const Node& node, Decoder& decoder, Tensor& tensor) {
  const std::string_view word = decoder.String(node);
  if (!decoder.ok()) return;
  if (word != "func") {
    decoder.Refuse(Fault::kUnknownAlloc, node, "\"func\" or an object with mod_alloc",
                   Decoder::Quoted(word));
  } else if (tensor.at.empty()) {
    decoder.Refuse(
        Fault::kAllocFuncWithoutAt, node,
        fmt::format("at with what the function gave, one address for each of {} block(s)",
                    BlockCount(tensor)),
        "no at");
  }
  tensor.by_function = decoder.ok();
}

/// A modulo allocation: the arguments of NKI's mod_alloc under their names.
void DecodeLaw(const Node& node, Decoder& decoder, Tensor& tensor) {
  if (!tensor.at.empty()) {
    decoder.Refuse(Fault::kAllocAndAt, node, "no alloc by a law, since at gives the addresses",
                   Decoder::Found(node));
    return;
  }
  if (BlockCount(tensor) > kMaxAllocBlocks) {
    decoder.Refuse(Fault::kAllocTooManyBlocks, node,
                   fmt::format("at most {} blocks to evaluate the law for", kMaxAllocBlocks),
                   fmt::to_string(BlockCount(tensor)));
    return;
  }
  if (!decoder.Fields(node, {"mod_alloc"}, {})) return;
  const Node law = node.Member("mod_alloc");
  const bool psum = tensor.space == Space::kPsum;
  const bool known = psum ? decoder.Fields(law, {"base_bank"},
                                           {"base_addr", "base_partition", "num_bank_tiles",
                                            "num_par_tiles", "num_free_tiles"})
                          : decoder.Fields(law, {"base_addr"},
                                           {"base_partition", "num_par_tiles", "num_free_tiles"});
  if (!known) return;
  const auto base = [&](const char* key) -> std::int64_t {
    const Node part = law.Member(key);
    if (!part.present()) return 0;
    const std::int64_t value = decoder.Integer(part, -kMaxIndex, kMaxIndex);
    if (value < 0)
      decoder.Refuse(Fault::kNegativeAddress, part, "a number of at least 0", Decoder::Found(part));
    return value;
  };
  const auto counts = [&](const char* key) {
    std::vector<std::int64_t> list;
    const Node part = law.Member(key);
    if (!part.present() || !decoder.Is(part, JsonType::kList)) return list;
    for (std::size_t i = 0; i < part.size(); ++i)
      list.push_back(decoder.Integer(part.Item(i), -kMaxIndex, kMaxIndex));
    return list;
  };
  ModuloLaw modulo;
  modulo.base_bank = BankId(base("base_bank"));
  modulo.base_addr = ByteOffset(base("base_addr"));
  modulo.base_partition = Partition(base("base_partition"));
  modulo.num_bank_tiles = counts("num_bank_tiles");
  modulo.num_par_tiles = counts("num_par_tiles");
  modulo.num_free_tiles = counts("num_free_tiles");
  if (!decoder.ok()) return;
  Result<std::vector<Address>> addresses = EvaluateModuloLaw(tensor, modulo);
  if (!addresses) {
    decoder.Refuse(addresses.error().kind == Kind::kShape ? Fault::kAllocTileCounts
                                                          : Fault::kAllocAddressTooLarge,
                   law, "a law for every block", addresses.error().message);
    return;
  }
  tensor.at = std::move(*addresses);
  tensor.alloc = std::move(modulo);
}

void DecodeAlloc(const Node& node, Decoder& decoder, Tensor& tensor) {
  if (tensor.space == Space::kDram) {
    decoder.Refuse(Fault::kAllocOnDram, node,
                   fmt::format("no alloc, since tensor \"{}\" lies in DRAM", tensor.name),
                   Decoder::Found(node));
    return;
  }
  if (node.value->type == JsonType::kString) {
    DecodeFunction(node, decoder, tensor);
  } else {
    DecodeLaw(node, decoder, tensor);
  }
}

}  // namespace

Header DecodeHeader(const Node& node, Decoder& decoder) {
  if (!decoder.Is(node, JsonType::kObject)) return {};
  Header header;
  // The version first: a later version may have keys that this one doesn't know.
  if (const Node version = node.Member("version"); version.present()) {
    header.version = decoder.Integer(version, INT64_MIN, INT64_MAX);
    if (header.version < 1 || header.version > kNewestVersion)
      decoder.Refuse(Fault::kUnknownVersion, version, "1 or 2", Decoder::Found(version));
  }
  const bool known =
      header.version == 1
          ? decoder.Fields(node, {"kernel", "version", "target"}, {"origin"})
          : decoder.Fields(node, {"kernel", "version", "target"}, {"origin", "opts"});
  if (!known) return {};
  header.name = decoder.Name(node.Member("kernel"));
  header.target = decoder.Name(node.Member("target"));
  header.origin = DecodeAttributes(node.Member("origin"), decoder);
  header.opts = DecodeAttributes(node.Member("opts"), decoder);
  return header;
}

Tensor DecodeTensor(const Node& node, Decoder& decoder, std::int64_t version) {
  const bool known = version == 1 ? decoder.Fields(node, {"tensor", "space", "dtype", "shape"},
                                                   {"blocks", "role", "at"})
                                  : decoder.Fields(node, {"tensor", "space", "dtype", "shape"},
                                                   {"blocks", "role", "at", "alloc"});
  if (!known) return {};
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
  if (!decoder.ok()) return {};
  if (const Node alloc = node.Member("alloc"); alloc.present()) DecodeAlloc(alloc, decoder, tensor);
  return tensor;
}

}  // namespace spillway
