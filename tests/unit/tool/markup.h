// A strict look at markup, for tests: the part of HTML that is XML too, plus a doctype, void
// elements and the raw text of style and script.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline std::string FaultOfText(std::string_view text) {
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = text.substr(at);
    bool known = false;
    for (const std::string_view reference : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      known = known || rest.starts_with(reference);
    }
    if (!known) return "unknown reference " + std::string(rest.substr(0, 10));
  }
  return text.find('>') == std::string_view::npos ? "" : "a bare > in text";
}

// `inside` is what stands between the name of a tag and its end.
inline std::string FaultOfAttributes(std::string_view inside) {
  std::size_t at = 0;
  while (at < inside.size()) {
    if (inside[at] != ' ') return "no space before an attribute: " + std::string(inside);
    const std::size_t equals = inside.find('=', at);
    if (equals == std::string_view::npos || equals + 1 >= inside.size() ||
        inside[equals + 1] != '"') {
      return "an attribute without a quoted value: " + std::string(inside);
    }
    const std::string_view name = inside.substr(at + 1, equals - at - 1);
    if (name.empty() || name.find_first_of(" \"'<>&/") != std::string_view::npos) {
      return "a bad attribute name: " + std::string(inside);
    }
    const std::size_t close = inside.find('"', equals + 2);
    if (close == std::string_view::npos) return "an open value: " + std::string(inside);
    if (std::string fault = FaultOfText(inside.substr(equals + 2, close - equals - 2));
        !fault.empty()) {
      return fault;
    }
    at = close + 1;
  }
  return "";
}

/// The first thing that is wrong with `page`, or nothing.
inline std::string FaultOf(std::string_view page) {
  std::vector<std::string> open;
  if (page.starts_with("<!DOCTYPE html>")) page.remove_prefix(15);
  while (!page.empty()) {
    const std::size_t next = page.find('<');
    if (std::string fault = FaultOfText(page.substr(0, next)); !fault.empty()) return fault;
    if (next == std::string_view::npos) break;
    page.remove_prefix(next);
    // Values can't hold a bare '>': FaultOfAttributes would see the value open.
    const std::size_t close = page.find('>');
    if (close == std::string_view::npos) return "a tag that never ends";
    std::string_view tag = page.substr(1, close - 1);
    page.remove_prefix(close + 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected <" + std::string(tag);
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::string_view name = tag.substr(0, tag.find(' '));
    if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        })) {
      return "a bad tag name: " + std::string(tag);
    }
    if (std::string fault = FaultOfAttributes(tag.substr(name.size())); !fault.empty()) {
      return fault;
    }
    if (empty || name == "meta") continue;
    open.emplace_back(name);
    if (name != "style" && name != "script") continue;
    const std::size_t end = page.find("</" + open.back() + ">");
    if (end == std::string_view::npos) return "raw text that never ends";
    page.remove_prefix(end);
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// How often `what` stands in `text`.
inline std::size_t CountOf(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

}  // namespace spillway
