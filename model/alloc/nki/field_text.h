// How messages show what somebody wrote, whatever its length and bytes.
#pragma once

#include <string>
#include <string_view>

#include "model/alloc/ir/attr.h"

namespace spillway::nki {

/// `text` in quotes, on one line, cut where it is long.
std::string Quoted(std::string_view text);
/// A scalar as JSON has it; of a list its length alone.
std::string Shown(const AttrValue& value);

}  // namespace spillway::nki
