// Typed access to one line's values. The first thing that is wrong is kept with the path of its
// key.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/alloc/ir/attr.h"
#include "model/hw/error.h"
#include "traces/faults.h"
#include "traces/json_value.h"

namespace spillway {

/// A value of the line and the way to it; lives on the stack while its line is decoded.
struct Node {
  const JsonValue* value = nullptr;  ///< null: the key is absent
  const Node* parent = nullptr;
  std::string_view key;     ///< in an object
  std::int64_t index = -1;  ///< in a list

  bool present() const { return value != nullptr; }
  std::size_t size() const { return value->items.size(); }
  /// Item `i` of a list or an object.
  Node Item(std::size_t i) const;
  /// The member of that key; absent where the object has none.
  Node Member(std::string_view name) const;
  /// "in.src.f[1][0]"; empty for the line itself.
  std::string Path() const;
  /// Into the text that was parsed: a key or a scalar of this value, else one of what holds it;
  /// null where there is none.
  const char* Place() const;
};

/// Bounds of the integers in a file, so that nothing downstream can overflow.
inline constexpr std::int64_t kMaxIndex = std::int64_t{1}
                                          << 48;  ///< indices, offsets, steps, counts
inline constexpr std::int64_t kMaxLoopValue = std::int64_t{1}
                                              << 40;  ///< begin, end and step of loops
inline constexpr std::int64_t kMaxBytes = std::int64_t{1}
                                          << 40;  ///< one tensor; elements of an operand

/// After the first fault every function returns a neutral value, so that a caller asks `ok()` once,
/// before it uses what it decoded.
class Decoder {
 public:
  bool ok() const { return !error_.has_value(); }
  /// The first fault, without file and line. Only where not ok().
  Error TakeError() { return std::move(*error_); }
  /// Into the text that was parsed, at or shortly before what the fault is about; null where it is
  /// about the whole. Only where not ok().
  const char* place() const { return place_; }

  /// Keeps "key `path`: expected …, found …", unless there was a fault before.
  void Refuse(Fault fault, const Node& node, std::string_view expected, std::string_view found);
  /// The same with a code that another format's table has.
  void Refuse(Kind kind, std::string_view code, const Node& node, std::string_view expected,
              std::string_view found);

  /// Whether `node` is an object whose keys are all among `known` and include `required`.
  bool Fields(const Node& node, std::initializer_list<std::string_view> required,
              std::initializer_list<std::string_view> optional);
  /// Whether `node` is of that type.
  bool Is(const Node& node, JsonType type);
  /// Whether `node` is a list of that length.
  bool IsListOf(const Node& node, std::size_t length);

  std::int64_t Integer(const Node& node, std::int64_t min, std::int64_t max);
  std::string_view String(const Node& node);
  /// A string that isn't empty.
  std::string_view Name(const Node& node);
  /// A scalar or a list of them; objects are refused.
  AttrValue Attribute(const Node& node);

  /// The value that `parse` gives for the node's string; else `fault`, with the words to choose
  /// from.
  template <class Parse>
  auto Word(const Node& node, Parse parse, Fault fault, std::string_view words) ->
      typename decltype(parse(std::string_view()))::value_type {
    using Value = typename decltype(parse(std::string_view()))::value_type;
    const std::string_view text = String(node);
    if (!ok()) return Value{};
    const std::optional<Value> value = parse(text);
    if (!value) Refuse(fault, node, words, Quoted(text));
    return value.value_or(Value{});
  }

  /// The text in double quotes, cut where it is long.
  static std::string Quoted(std::string_view text);
  /// What a message says was found there.
  static std::string Found(const Node& node);

 private:
  std::optional<Error> error_;
  const char* place_ = nullptr;
};

}  // namespace spillway
