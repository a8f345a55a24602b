#include "sim/values/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace spillway {
namespace {

/// Reads the few forms of Python literals that such a dictionary holds.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  void SkipBlanks() {
    while (!text_.empty() &&
           (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
  }
  bool Take(std::string_view token) {
    SkipBlanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool AtEnd() {
    SkipBlanks();
    return text_.empty();
  }
  std::optional<std::string> String() {
    SkipBlanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(1, end - 1));
    if (value.find('\\') != std::string::npos) return std::nullopt;
    text_.remove_prefix(end + 1);
    return value;
  }
  std::optional<std::int64_t> Integer() {
    SkipBlanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  /// (), (3,), (3, 4) or (3, 4,).
  std::optional<std::vector<std::int64_t>> Tuple() {
    std::vector<std::int64_t> items;
    if (!Take("(")) return std::nullopt;
    while (!Take(")")) {
      const std::optional<std::int64_t> item = Integer();
      if (!item) return std::nullopt;
      items.push_back(*item);
      if (Take(",")) continue;
      // Parentheses around one number are no tuple.
      if (items.size() < 2 || !Take(")")) return std::nullopt;
      return items;
    }
    return items;
  }

 private:
  std::string_view text_;
};

}  // namespace

std::string PrintNpyHeader(const NpyHeader& header) {
  std::string shape;
  for (const std::int64_t count : header.shape) shape += fmt::format("{}, ", count);
  if (header.shape.size() > 1) shape.resize(shape.size() - 2);
  if (header.shape.size() == 1) shape.resize(shape.size() - 1);
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.descr,
                  header.fortran_order ? "True" : "False", shape);
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kAlignment = 64;
  const std::size_t unpadded = kPrefix + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  SPILLWAY_CHECK(dictionary.size() <= 0xffff, "a shape fits the header's length");
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary;
}

Result<NpyHeader> ParseNpyHeader(std::string_view text) {
  const auto fail = [](std::string message) {
    return Fail({Kind::kSyntax, "npy-header", "header: " + std::move(message), {}});
  };
  Literal literal(text);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> shape;
  if (!literal.Take("{")) return fail("expected a dictionary");
  while (!literal.Take("}")) {
    const std::optional<std::string> key = literal.String();
    if (!key || !literal.Take(":")) return fail("expected 'key': value");
    if (*key == "descr" && !descr) {
      descr = literal.String();
      if (!descr) return fail("'descr' isn't a string");
    } else if (*key == "fortran_order" && !fortran) {
      if (literal.Take("False")) {
        fortran = false;
      } else if (literal.Take("True")) {
        fortran = true;
      } else {
        return fail("'fortran_order' is neither True nor False");
      }
    } else if (*key == "shape" && !shape) {
      shape = literal.Tuple();
      if (!shape) return fail("'shape' isn't a tuple of integers");
    } else {
      return fail(fmt::format("key '{}' is unknown or doubled", *key));
    }
    if (literal.Take(",")) continue;
    if (!literal.Take("}")) return fail("expected ',' or '}'");
    break;
  }
  if (!literal.AtEnd()) return fail("text after the dictionary");
  if (!descr || !fortran || !shape) return fail("a key of descr, fortran_order, shape is missing");
  return NpyHeader{*descr, *fortran, *shape};
}

}  // namespace spillway
