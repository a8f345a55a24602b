#include "traces/decoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

Node Node::Item(std::size_t i) const {
  const JsonValue& item = value->items[i];
  if (value->type == JsonType::kObject) return {&item, this, item.key, -1};
  return {&item, this, {}, static_cast<std::int64_t>(i)};
}

Node Node::Member(std::string_view name) const {
  return {FindMember(*value, name), this, name, -1};
}

std::string Node::Path() const {
  if (parent == nullptr) return {};
  const std::string before = parent->Path();
  if (index >= 0) return fmt::format("{}[{}]", before, index);
  return before.empty() ? std::string(key) : fmt::format("{}.{}", before, key);
}

const char* Node::Place() const {
  if (value != nullptr) {
    if (value->key.data() != nullptr) return value->key.data();
    if (value->text.data() != nullptr) return value->text.data();
    if (value->type == JsonType::kObject && !value->items.empty())
      return value->items.front().key.data();
  }
  return parent != nullptr ? parent->Place() : nullptr;
}

std::string Decoder::Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("\"{}\"", text);
  std::size_t cut = kShown;
  // Never cut inside a UTF-8 sequence.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return fmt::format("\"{}…\"", text.substr(0, cut));
}

std::string Decoder::Found(const Node& node) {
  if (!node.present()) return "nothing";
  switch (node.value->type) {
    case JsonType::kString: return Quoted(node.value->text);
    case JsonType::kInteger:
    case JsonType::kDouble:
    case JsonType::kHugeNumber: return std::string(node.value->text.substr(0, 60));
    case JsonType::kBool: return node.value->boolean ? "true" : "false";
    case JsonType::kList: return fmt::format("a list of {}", node.size());
    case JsonType::kNull:
    case JsonType::kObject: break;
  }
  return std::string(JsonTypeName(node.value->type));
}

void Decoder::Refuse(Fault fault, const Node& node, std::string_view expected,
                     std::string_view found) {
  Refuse(RowOf(fault).kind, RowOf(fault).code, node, expected, found);
}

void Decoder::Refuse(Kind kind, std::string_view code, const Node& node, std::string_view expected,
                     std::string_view found) {
  if (error_) return;
  const std::string path = node.Path();
  const std::string where = path.empty() ? std::string() : fmt::format("key {}: ", path);
  error_ = Error{kind,
                 std::string(code),
                 fmt::format("{}expected {}, found {}", where, expected, found),
                 {},
                 0};
  place_ = node.Place();
}

bool Decoder::Is(const Node& node, JsonType type) {
  if (!ok()) return false;
  if (node.present() && node.value->type == type) return true;
  Refuse(Fault::kWrongType, node, JsonTypeName(type), Found(node));
  return false;
}

bool Decoder::IsListOf(const Node& node, std::size_t length) {
  if (!Is(node, JsonType::kList)) return false;
  if (node.size() == length) return true;
  Refuse(Fault::kWrongLength, node, fmt::format("a list of {}", length), Found(node));
  return false;
}

bool Decoder::Fields(const Node& node, std::initializer_list<std::string_view> required,
                     std::initializer_list<std::string_view> optional) {
  if (!Is(node, JsonType::kObject)) return false;
  for (const JsonValue& item : node.value->items) {
    const auto names = [&](std::string_view name) { return name == item.key; };
    if (std::any_of(required.begin(), required.end(), names)) continue;
    if (std::any_of(optional.begin(), optional.end(), names)) continue;
    std::string known;
    for (const auto& list : {required, optional}) {
      for (const std::string_view name : list)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    }
    Refuse(Fault::kUnknownKey, node.Member(item.key), "one of " + known, Quoted(item.key));
    return false;
  }
  for (const std::string_view name : required) {
    if (FindMember(*node.value, name) != nullptr) continue;
    Refuse(Fault::kMissingKey, node.Member(name), "a value", "no such key");
    return false;
  }
  return true;
}

std::int64_t Decoder::Integer(const Node& node, std::int64_t min, std::int64_t max) {
  if (!ok()) return 0;
  const JsonType type = node.present() ? node.value->type : JsonType::kNull;
  const bool integral = type == JsonType::kInteger;
  if (integral && node.value->integer >= min && node.value->integer <= max)
    return node.value->integer;
  if (integral || type == JsonType::kHugeNumber) {
    Refuse(Fault::kNumberOutOfRange, node, fmt::format("an integer from {} to {}", min, max),
           Found(node));
  } else {
    Refuse(type == JsonType::kDouble ? Fault::kNotAnInteger : Fault::kWrongType, node, "an integer",
           Found(node));
  }
  return 0;
}

std::string_view Decoder::String(const Node& node) {
  return Is(node, JsonType::kString) ? node.value->text : std::string_view();
}

std::string_view Decoder::Name(const Node& node) {
  const std::string_view name = String(node);
  if (ok() && name.empty()) Refuse(Fault::kEmptyName, node, "a name", "an empty string");
  return name;
}

AttrValue Decoder::Attribute(const Node& node) {
  if (!ok()) return {};
  const JsonValue& value = *node.value;
  switch (value.type) {
    case JsonType::kNull: return {};
    case JsonType::kBool: return value.boolean;
    case JsonType::kInteger: return value.integer;
    case JsonType::kDouble: return value.number;
    case JsonType::kString: return std::string(value.text);
    case JsonType::kList: {
      AttrValue::List list;
      list.reserve(node.size());
      for (std::size_t i = 0; i < node.size(); ++i) list.push_back(Attribute(node.Item(i)));
      return list;
    }
    case JsonType::kHugeNumber:
      Refuse(Fault::kNumberOutOfRange, node, "a number of 64 bits", Found(node));
      return {};
    case JsonType::kObject:
      Refuse(Fault::kWrongType, node, "a scalar or a list", Found(node));
      return {};
  }
  return {};
}

}  // namespace spillway
