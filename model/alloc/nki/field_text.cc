#include "model/alloc/nki/field_text.h"

#include <fmt/format.h>

#include "traces/json_print.h"

namespace spillway::nki {

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return JsonString(text);
  std::size_t cut = kShown;
  // Never cut inside a UTF-8 sequence.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return JsonString(text.substr(0, cut)) + "…";
}

std::string Shown(const AttrValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return Quoted(*text);
  if (const auto* list = std::get_if<AttrValue::List>(&value.value))
    return fmt::format("a list of {}", list->size());
  return JsonAttribute(value);
}

}  // namespace spillway::nki
