#include "sim/tool/html_page.h"

#include <fmt/format.h>

#include "sim/tool/html_style.h"
#include "sim/tool/html_text.h"
#include "sim/tool/version.h"

namespace spillway::html {

std::string Page(std::string_view title, std::string_view body, std::string_view more_style) {
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
             Shortened(title), kStyle, more_style) +
         std::string(body) +
         fmt::format(
             "<footer>Spillway {}</footer>\n</main>\n<script>\n{}</script>\n</body>\n</html>\n",
             Escape(kVersion), kScript);
}

}  // namespace spillway::html
