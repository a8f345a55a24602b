#include "traces/json_print.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace spillway {

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

std::string JsonNumber(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  char buffer[40];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string JsonAttribute(const AttrValue& value) {
  struct Print {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::to_string(i); }
    std::string operator()(double d) const { return JsonNumber(d); }
    std::string operator()(const std::string& s) const { return JsonString(s); }
    std::string operator()(const AttrValue::List& list) const {
      std::string text = "[";
      for (const AttrValue& item : list) text += (text.size() > 1 ? "," : "") + JsonAttribute(item);
      return text + "]";
    }
  };
  return std::visit(Print{}, value.value);
}

}  // namespace spillway
