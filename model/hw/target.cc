#include "model/hw/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "model/hw/target_generations.h"
#include "model/hw/target_rows.h"

namespace spillway {
namespace {

// A row that is in the struct but not in the table would be neither printed nor parsed nor
// checked. All rows have the same size, so counting bytes finds it.
struct Head {
  std::string name;
  std::vector<std::string> aliases;
  int architecture_level;
};
constexpr std::size_t kRowsInTable = 66;
static_assert(sizeof(Target) == sizeof(Head) + kRowsInTable * sizeof(Sourced<std::int64_t>),
              "the table of target_rows.h must have every row of Target");

// Far above any target; a file of this size was named by mistake.
constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string KnownTargets() {
  std::string known;
  for (const Target& target : BuiltInTargets()) {
    known += (known.empty() ? "" : ", ") + target.name;
    std::string aliases;
    for (const std::string& alias : target.aliases)
      aliases += (aliases.empty() ? "" : ", ") + alias;
    known += fmt::format(" ({})", aliases);
  }
  return known;
}

bool LooksLikePath(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

Result<std::string> ReadFile(const std::string& path) {
  const auto fail = [&](Kind kind, const char* code, std::string message) {
    return Fail({kind, code, std::move(message), path});
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return fail(Kind::kFile, "target-file-unreadable", "no such target file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    return fail(
        Kind::kLimit, "target-file-too-large",
        fmt::format("a target file has at most {} bytes, this one {}", kMaxFileBytes, size));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return fail(Kind::kFile, "target-file-unreadable", "the target file can't be read");
  return text;
}

}  // namespace

std::string_view ConfidenceName(Confidence confidence) {
  constexpr std::array<std::string_view, 3> kNames = {"documented", "derived", "assumed"};
  return kNames[static_cast<std::size_t>(confidence)];
}

const std::vector<Target>& BuiltInTargets() {
  static const std::vector<Target> kTargets = {MakeInf1(), MakeTrn1(), MakeTrn2(), MakeTrn3()};
  return kTargets;
}

Result<Target> FindTarget(const std::string& name_or_path) {
  const std::string wanted = LowerCase(name_or_path);
  for (const Target& target : BuiltInTargets()) {
    if (target.name == wanted || std::ranges::count(target.aliases, wanted) > 0) return target;
  }
  std::error_code error;
  if (LooksLikePath(name_or_path) || std::filesystem::is_regular_file(name_or_path, error)) {
    return ReadFile(name_or_path).and_then([&](const std::string& text) {
      return ParseTargetJson(text, name_or_path);
    });
  }
  return Fail({Kind::kUnknownName, "unknown-target",
               fmt::format("unknown target '{}'; known: {}; or the path of a JSON file",
                           name_or_path, KnownTargets()),
               ""});
}

std::vector<TargetRow> Rows(const Target& target) {
  std::vector<TargetRow> rows;
  rows.reserve(kRowsInTable);
  ForEachRow(target, [&](std::string_view key, std::string_view unit, RowLimits, const auto& row) {
    rows.push_back(
        {std::string(key), RawNumber(row.value), std::string(unit), row.source, row.confidence});
  });
  return rows;
}

std::string BrokenRelation(const Target& t) {
  struct Relation {
    bool holds;
    std::string_view text;
    std::int64_t left;
    std::int64_t right;
  };
  const std::array relations = {
      Relation{t.sbuf_usable_bytes.value <= t.sbuf_physical_bytes.value,
               "sbuf_usable_bytes must not exceed sbuf_physical_bytes",
               t.sbuf_usable_bytes.value.value, t.sbuf_physical_bytes.value.value},
      Relation{t.sbuf_physical_bytes.value <= t.sbuf_partition_stride.value,
               "sbuf_physical_bytes must not exceed sbuf_partition_stride",
               t.sbuf_physical_bytes.value.value, t.sbuf_partition_stride.value.value},
      Relation{t.sbuf_granule.value <= t.sbuf_usable_bytes.value,
               "sbuf_granule must not exceed sbuf_usable_bytes", t.sbuf_granule.value.value,
               t.sbuf_usable_bytes.value.value},
      Relation{t.sbuf_granule.value.value % t.sbuf_min_align.value.value == 0,
               "sbuf_granule must be a multiple of sbuf_min_align", t.sbuf_granule.value.value,
               t.sbuf_min_align.value.value},
      Relation{t.psum_bank_bytes.value.value % t.psum_min_align.value.value == 0,
               "psum_bank_bytes must be a multiple of psum_min_align",
               t.psum_bank_bytes.value.value, t.psum_min_align.value.value},
      Relation{t.sbuf_partitions.value.value % 32 == 0, "sbuf_partitions must be a multiple of 32",
               t.sbuf_partitions.value.value, 32},
      Relation{t.psum_partitions.value.value % 32 == 0, "psum_partitions must be a multiple of 32",
               t.psum_partitions.value.value, 32},
      Relation{t.psum_transpose_banks.value < t.psum_banks.value,
               "psum_transpose_banks must leave a bank of psum_banks",
               t.psum_transpose_banks.value.value, t.psum_banks.value.value},
      Relation{t.dma_completion_increments.value == t.dma_engines.value,
               "dma_completion_increments must equal dma_engines: each engine counts once",
               t.dma_completion_increments.value, t.dma_engines.value},
      Relation{t.psum_partitions.value <= t.sbuf_partitions.value,
               "psum_partitions must not exceed sbuf_partitions", t.psum_partitions.value.value,
               t.sbuf_partitions.value.value},
  };
  for (const Relation& relation : relations) {
    if (!relation.holds)
      return fmt::format("{}: {} and {}", relation.text, relation.left, relation.right);
  }
  return {};
}

BankCount UsablePsumBanks(const Target& target) {
  return target.psum_banks.value - target.psum_transpose_banks.value;
}

std::vector<Partition> LegalStartPartitions(PartitionCount n) {
  std::vector<Partition> starts;
  if (n.value < 1 || n.value > 128) return starts;
  const int step = n.value <= 32 ? 32 : n.value <= 64 ? 64 : 128;
  for (int start = 0; start < 128; start += step) starts.emplace_back(start);
  return starts;
}

}  // namespace spillway
