// Each kind of line, from its JSON to the piece of kernel that it describes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "traces/decoder.h"

namespace spillway {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

/// The names that a line may use. The map is for look-up only, so its order never shows.
struct KnownNames {
  std::unordered_map<std::string, TensorId, StringHash, std::equal_to<>> tensors;
  std::vector<LoopId> open_loops;  ///< outermost first
};

struct Header {
  std::string name;
  std::int64_t version = 1;
  std::string target;
  std::vector<Attr> origin;
  std::vector<Attr> opts;
};

// What each returns is meaningless once `decoder` holds a fault.
Header DecodeHeader(const Node& node, Decoder& decoder);
/// Shape, blocks, bytes and addresses are within bounds; the name may be taken.
/// `version`: of the file; later ones have more keys.
Tensor DecodeTensor(const Node& node, Decoder& decoder, std::int64_t version);
/// The parent is the innermost open loop.
Loop DecodeLoop(const Node& node, Decoder& decoder, const Kernel& kernel, const KnownNames& names);
std::string_view DecodeEnd(const Node& node, Decoder& decoder);
/// Operands have the keys that their tensors ask for; where they reach isn't checked.
Instruction DecodeInstruction(const Node& node, Decoder& decoder, const Kernel& kernel,
                              const KnownNames& names);

/// An integer, or {"c": 4, "i": 512, "mod": n} over open loops, normalized. The value and all
/// partial sums stay within kMaxIndex over the loops' ranges.
AffineExpr DecodeIndex(const Node& node, Decoder& decoder, const Kernel& kernel,
                       const KnownNames& names);

/// Attributes in file order; none where the key is absent.
std::vector<Attr> DecodeAttributes(const Node& node, Decoder& decoder);

}  // namespace spillway
