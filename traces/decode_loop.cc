#include <fmt/format.h>

#include <algorithm>

#include "traces/decode_lines.h"
#include "traces/names.h"

namespace spillway {
namespace {

std::optional<LoopId> FindOpenLoop(std::string_view name, const Kernel& kernel,
                                   const KnownNames& names) {
  for (const LoopId loop : names.open_loops) {
    if (kernel.loops[loop].name == name) return loop;
  }
  return std::nullopt;
}

/// Largest absolute value that the loop's variable may have, its bounds included.
std::int64_t Magnitude(const Loop& loop) {
  return std::max({loop.begin, -loop.begin, loop.end, -loop.end});
}

}  // namespace

Loop DecodeLoop(const Node& node, Decoder& decoder, const Kernel& kernel, const KnownNames& names) {
  if (!decoder.Fields(node, {"loop", "kind", "begin", "end", "step"}, {})) return {};
  Loop loop;
  const Node name = node.Member("loop");
  loop.name = decoder.Name(name);
  if (loop.name == "c" || loop.name == "mod") {
    decoder.Refuse(Fault::kReservedLoopName, name, "a name other than c and mod",
                   Decoder::Found(name));
  }
  if (FindOpenLoop(loop.name, kernel, names)) {
    decoder.Refuse(Fault::kDuplicateLoop, name, "a name that no open loop has",
                   Decoder::Found(name));
  }
  loop.kind = decoder.Word(node.Member("kind"), ParseLoopKind, Fault::kUnknownLoopKind,
                           "affine, sequential, static or dynamic");
  loop.begin = decoder.Integer(node.Member("begin"), -kMaxLoopValue, kMaxLoopValue);
  loop.end = decoder.Integer(node.Member("end"), -kMaxLoopValue, kMaxLoopValue);
  const Node step = node.Member("step");
  loop.step = decoder.Integer(step, -kMaxLoopValue, kMaxLoopValue);
  if (loop.step == 0) decoder.Refuse(Fault::kLoopStepZero, step, "a step other than 0", "0");
  constexpr std::size_t kMaxOpenLoops = 64;
  if (names.open_loops.size() >= kMaxOpenLoops) {
    decoder.Refuse(Fault::kLoopsTooDeep, name, fmt::format("at most {} open loops", kMaxOpenLoops),
                   "more");
  }
  if (!names.open_loops.empty()) loop.parent = names.open_loops.back();
  return loop;
}

std::string_view DecodeEnd(const Node& node, Decoder& decoder) {
  if (!decoder.Fields(node, {"end"}, {})) return {};
  return decoder.Name(node.Member("end"));
}

AffineExpr DecodeIndex(const Node& node, Decoder& decoder, const Kernel& kernel,
                       const KnownNames& names) {
  if (!decoder.ok()) return {};
  if (!node.present() || node.value->type != JsonType::kObject)
    return decoder.Integer(node, -kMaxIndex, kMaxIndex);
  AffineExpr expr;
  std::int64_t magnitude = 0;
  bool overflows = false;
  for (std::size_t i = 0; i < node.size() && decoder.ok(); ++i) {
    const Node item = node.Item(i);
    const std::int64_t number = decoder.Integer(item, -kMaxIndex, kMaxIndex);
    if (item.key == "mod") {
      expr.modulus = number;
      if (number < 1)
        decoder.Refuse(Fault::kModulusNotPositive, item, "a mod of at least 1",
                       Decoder::Found(item));
      continue;
    }
    std::int64_t largest = 1;
    if (item.key == "c") {
      expr.constant = number;
    } else if (const auto loop = FindOpenLoop(item.key, kernel, names)) {
      expr.terms.push_back({*loop, number});
      largest = Magnitude(kernel.loops[*loop]);
    } else {
      decoder.Refuse(Fault::kUnknownLoop, item, "an open loop, c or mod",
                     Decoder::Quoted(item.key));
    }
    // Bounding the sum of all absolute values bounds every partial sum, in any order.
    std::int64_t part = 0;
    overflows = overflows ||
                __builtin_mul_overflow(number < 0 ? -number : number, largest, &part) ||
                __builtin_add_overflow(magnitude, part, &magnitude);
  }
  if (overflows || magnitude > kMaxIndex) {
    decoder.Refuse(Fault::kNumberOutOfRange, node,
                   fmt::format("values up to {} over the loops", kMaxIndex), "larger ones");
  }
  return decoder.ok() ? Normalized(std::move(expr)) : AffineExpr();
}

}  // namespace spillway
