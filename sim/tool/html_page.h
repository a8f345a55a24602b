// The frame of every HTML report: one file that needs nothing else.
#pragma once

#include <string>
#include <string_view>

namespace spillway::html {

/// A whole page, in light and dark, readable without scripts. `title` isn't markup; `body` is, and
/// `more_style` are rules beside those that all reports have.
std::string Page(std::string_view title, std::string_view body, std::string_view more_style = {});

}  // namespace spillway::html
