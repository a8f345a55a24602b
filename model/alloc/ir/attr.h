// Scalars that an instruction carries: operator names, scales, axes, patterns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillway {

/// A JSON-like value. Integers and floating point stay apart; infinities are legal.
struct AttrValue {
  using List = std::vector<AttrValue>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List> value;

  AttrValue() = default;
  AttrValue(bool v) : value(v) {}                      // NOLINT
  AttrValue(int v) : value(std::int64_t{v}) {}         // NOLINT
  AttrValue(std::int64_t v) : value(v) {}              // NOLINT
  AttrValue(double v) : value(v) {}                    // NOLINT
  AttrValue(const char* v) : value(std::string(v)) {}  // NOLINT
  AttrValue(std::string v) : value(std::move(v)) {}    // NOLINT
  AttrValue(List v) : value(std::move(v)) {}           // NOLINT

  friend bool operator==(const AttrValue&, const AttrValue&);
};

struct Attr {
  std::string name;
  AttrValue value;
  friend bool operator==(const Attr&, const Attr&) = default;
};

/// The value of that name, or null.
const AttrValue* FindAttr(const std::vector<Attr>& attrs, std::string_view name);
/// An integer or floating-point attribute as double; nothing if absent or of another type.
std::optional<double> NumberAttr(const std::vector<Attr>& attrs, std::string_view name);
std::optional<std::int64_t> IntAttr(const std::vector<Attr>& attrs, std::string_view name);
/// Empty if absent or of another type.
std::string_view StringAttr(const std::vector<Attr>& attrs, std::string_view name);
bool BoolAttr(const std::vector<Attr>& attrs, std::string_view name, bool otherwise);

}  // namespace spillway
