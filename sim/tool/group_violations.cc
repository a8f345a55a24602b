#include "sim/tool/group_violations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace spillway {
namespace {

// Beyond it a list of blocks is no quicker to read than the violations.
constexpr std::size_t kShownBlocks = 8;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsOfAName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The text with "#" for every number; digits of names stay.
std::string WithoutNumbers(std::string_view text) {
  std::string shape;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t digits = text[i] == '-' ? i + 1 : i;
    const bool is_number = digits < text.size() && IsDigit(text[digits]);
    if (!is_number || (i > 0 && IsOfAName(text[i - 1]))) {
      shape += text[i++];
      continue;
    }
    for (i = digits; i < text.size() && IsDigit(text[i]);) ++i;
    shape += '#';
  }
  return shape;
}

using Block = std::vector<std::int64_t>;

// The blocks that the text names, as "block 3" or "block (3, 1)".
std::vector<Block> BlocksIn(std::string_view text) {
  constexpr std::string_view kWord = "block ";
  std::vector<Block> blocks;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at + 1)) {
    std::size_t i = at + kWord.size();
    const bool is_tuple = i < text.size() && text[i] == '(';
    if (is_tuple) ++i;
    Block block;
    while (i < text.size() && IsDigit(text[i])) {
      std::int64_t number = 0;
      i = static_cast<std::size_t>(
          std::from_chars(text.data() + i, text.data() + text.size(), number).ptr - text.data());
      block.push_back(number);
      while (is_tuple && i < text.size() && (text[i] == ',' || text[i] == ' ')) ++i;
      if (!is_tuple) break;
    }
    if (!block.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string BlockText(const Block& block) {
  return block.size() == 1 ? fmt::to_string(block.front())
                           : fmt::format("({})", fmt::join(block, ", "));
}

// "1-3, 7": runs of blocks that differ by one in their last dimension.
std::vector<std::string> Ranges(const std::vector<Block>& blocks) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i + 1;
    for (Block next = blocks[i]; end < blocks.size(); ++end) {
      ++next.back();
      if (blocks[end] != next) break;
    }
    std::string text = BlockText(blocks[i]);
    if (end - i > 1) text += "-" + BlockText(blocks[end - 1]);
    ranges.push_back(std::move(text));
    i = end;
  }
  return ranges;
}

// One or more violations that are alike, with the blocks that each names.
struct Alike {
  std::size_t first = 0;
  std::vector<std::vector<Block>> blocks;
  std::set<std::vector<Block>> seen;
};

std::string MoreText(const Alike& alike, std::size_t tensors) {
  const std::size_t more = alike.blocks.size() - 1;
  if (more == 0) return {};
  const bool is_one_each = alike.blocks.front().size() == 1;
  std::vector<std::string> names;
  if (is_one_each) {
    std::vector<Block> others;
    for (std::size_t i = 1; i < alike.blocks.size(); ++i) others.push_back(alike.blocks[i].front());
    names = Ranges(others);
  } else {
    for (std::size_t i = 1; i < alike.blocks.size(); ++i) {
      std::vector<std::string> each;
      for (const Block& block : alike.blocks[i]) each.push_back(BlockText(block));
      names.push_back(fmt::format("{}", fmt::join(each, " and ")));
    }
  }
  const bool is_cut = names.size() > kShownBlocks;
  if (is_cut) names.resize(kShownBlocks);
  const std::string_view what = is_one_each ? (more == 1 ? "block" : "blocks")
                                            : (more == 1 ? "pair of blocks" : "pairs of blocks");
  return fmt::format("and {} more {} of the same tensor{}: {}{}", more, what,
                     tensors == 1 ? "" : "s", fmt::join(names, ", "), is_cut ? ", …" : "");
}

}  // namespace

std::vector<ViolationGroup> GroupViolations(std::span<const Violation> violations) {
  using Key = std::tuple<Kind, std::optional<Space>, std::vector<std::string>, std::string>;
  std::map<Key, std::size_t> known;
  std::vector<Alike> all;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const Violation& violation = violations[i];
    std::vector<Block> blocks = BlocksIn(violation.text);
    if (!blocks.empty()) {
      const auto [at, is_new] = known.try_emplace(
          Key{violation.kind, violation.space, violation.tensors, WithoutNumbers(violation.text)},
          all.size());
      // The same blocks again are another fault: of another operand, or at another point.
      if (!is_new && all[at->second].seen.insert(blocks).second) {
        all[at->second].blocks.push_back(std::move(blocks));
        continue;
      }
    }
    all.push_back({i, {blocks}, {blocks}});
  }
  std::vector<ViolationGroup> groups;
  for (const Alike& alike : all) {
    const Violation& first = violations[alike.first];
    groups.push_back({&first, alike.blocks.size(), MoreText(alike, first.tensors.size())});
  }
  return groups;
}

}  // namespace spillway
