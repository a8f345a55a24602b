#include "model/alloc/ir/attr.h"

#include <bit>

namespace spillway {

// Floating point compares by its bits, so that a kernel with a NaN equals its copy.
bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const auto* x = std::get_if<double>(&a.value)) {
    return std::bit_cast<std::uint64_t>(*x) ==
           std::bit_cast<std::uint64_t>(std::get<double>(b.value));
  }
  return a.value == b.value;
}

const AttrValue* FindAttr(const std::vector<Attr>& attrs, std::string_view name) {
  for (const Attr& attr : attrs) {
    if (attr.name == name) return &attr.value;
  }
  return nullptr;
}

std::optional<double> NumberAttr(const std::vector<Attr>& attrs, std::string_view name) {
  const AttrValue* found = FindAttr(attrs, name);
  if (found == nullptr) return std::nullopt;
  if (const auto* i = std::get_if<std::int64_t>(&found->value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&found->value)) return *d;
  return std::nullopt;
}

std::optional<std::int64_t> IntAttr(const std::vector<Attr>& attrs, std::string_view name) {
  const AttrValue* found = FindAttr(attrs, name);
  if (found == nullptr) return std::nullopt;
  if (const auto* i = std::get_if<std::int64_t>(&found->value)) return *i;
  return std::nullopt;
}

std::string_view StringAttr(const std::vector<Attr>& attrs, std::string_view name) {
  const AttrValue* found = FindAttr(attrs, name);
  if (found == nullptr) return {};
  if (const auto* s = std::get_if<std::string>(&found->value)) return *s;
  return {};
}

bool BoolAttr(const std::vector<Attr>& attrs, std::string_view name, bool otherwise) {
  const AttrValue* found = FindAttr(attrs, name);
  if (found == nullptr) return otherwise;
  if (const auto* b = std::get_if<bool>(&found->value)) return *b;
  return otherwise;
}

}  // namespace spillway
