// Style sheet and script of the HTML report.
#pragma once

#include <string_view>

namespace spillway::html {

/// Colours in one place, once for light and once for dark; the classes are those of the pictures.
extern const std::string_view kStyle;

/// Shows a picture's tooltips at once instead of after the browser's delay; the page reads well
/// without.
extern const std::string_view kScript;

}  // namespace spillway::html
