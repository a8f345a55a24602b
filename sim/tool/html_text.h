// Text and numbers for HTML and SVG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/hw/units.h"

namespace spillway::html {

/// `text` as HTML or XML character data, or between double quotes: markup characters as
/// references, line feeds and tabs as "\n" and "\t", other control characters and bytes that aren't
/// UTF-8 as U+FFFD.
std::string Escape(std::string_view text);

/// `text` escaped, and its middle left out where it is longer than `longest` bytes.
std::string Shortened(std::string_view text, std::size_t longest = 160);

/// Tenths of a pixel, without a needless ".0".
std::string Px(double value);

/// "12.3%" of a share from 0 to 1.
std::string Percent(double share);

/// "345 ns", "12.3 µs", "4.56 ms".
std::string Duration(Picoseconds time);

/// "1 block", "1,467 blocks".
std::string Counted(std::int64_t count, std::string_view noun);

/// "196,608 B", with KiB beside it from 4 KiB on.
std::string Size(Bytes bytes);

}  // namespace spillway::html
