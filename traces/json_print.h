// JSON text of names and scalars.
#pragma once

#include <string>
#include <string_view>

#include "model/alloc/ir/attr.h"

namespace spillway {

/// `text` in double quotes, with escapes where JSON asks for them.
std::string JsonString(std::string_view text);

/// Shortest text that reads back as the same double and never as an integer; NaN, Infinity and
/// -Infinity as Python's json module writes them.
std::string JsonNumber(double number);

/// A scalar or a list of them.
std::string JsonAttribute(const AttrValue& value);

}  // namespace spillway
