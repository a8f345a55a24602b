#include "model/hw/systemc/measured_cache.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "model/hw/systemc/probe_machine.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMagic = 0x31'52'4F'59'4C'4C'50'53;  // "SPLLYOR1"
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 26;

std::int64_t ChecksumOf(std::span<const std::int64_t> words) {
  return static_cast<std::int64_t>(XXH3_64bits(words.data(), words.size_bytes()));
}

// A target file may have any name; what isn't a letter or a digit doesn't go into a path.
std::string FileName(const std::string& target) {
  std::string name = target.substr(0, 64);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

std::optional<std::vector<std::int64_t>> ReadWords(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error || bytes > kMaxFileBytes || bytes % sizeof(std::int64_t) != 0) return std::nullopt;
  std::vector<std::int64_t> words(bytes / sizeof(std::int64_t));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes));
  if (!in) return std::nullopt;
  return words;
}

// A few probes of each kind.
std::vector<PhaseTimes> Fingerprint(const Target& target) {
  std::vector<PhaseTimes> times;
  for (const std::int64_t bytes : {4, 4096}) {
    times.push_back(ProbeAccess(Space::kSbuf, Bytes(bytes), target));
    times.push_back(ProbeAccess(Space::kPsum, Bytes(bytes), target));
    for (int k = 0; k < kDescriptorKinds; ++k)
      times.push_back(ProbeDma(100, Bytes(bytes), static_cast<DescriptorKind>(k), target));
  }
  const OperandShape data{.name = "data", .partitions = 128, .elements = 500};
  for (const auto& [op, engine] : {std::pair{"nc_transpose", Engine::kPe},
                                   {"activation", Engine::kAct},
                                   {"iota", Engine::kPool},
                                   {"tensor_tensor", Engine::kDve}}) {
    times.push_back(ProbeInstruction(
        {.op = op, .engine = engine, .inputs = {data, data}, .outputs = {data}}, target));
  }
  return times;
}

// Whether every operation of the target has its curve or grid.
bool Fits(const MeasuredTables& tables, const Target& target) {
  const std::vector<PricedOperation> operations = PricedOperations(target);
  if (tables.of.size() != operations.size()) return false;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::size_t count =
        operations[i].engine == Engine::kPe ? tables.products.size() : tables.instructions.size();
    for (const std::uint16_t index : tables.of[i]) {
      if (index >= count) return false;
    }
  }
  return true;
}

}  // namespace

fs::path DefaultCacheDirectory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const fs::path own = variable("SPILLWAY_CACHE_DIR"); !own.empty()) return own;
  if (const fs::path caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return caches / "spillway";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "spillway";
  return {};
}

std::uint64_t MeasurementHash(const Target& target) {
  std::string text = fmt::format("probes {} level {}\n", kProbeVersion, target.architecture_level);
  const auto line = [&text](const auto&... parts) {
    ((text += fmt::format("{} ", parts)), ...);
    text += '\n';
  };
  for (const TargetRow& row : Rows(target)) line(row.key, row.value);
  for (const InstructionCostRow& row : InstructionCostRows()) {
    line(row.op, row.engine ? static_cast<int>(*row.engine) : -1, row.from_level,
         static_cast<int>(row.condition), static_cast<int>(row.formula), row.numerator,
         row.denominator, static_cast<int>(row.extra));
  }
  for (const PhaseTimes& times : Fingerprint(target))
    line(times.read_init.value, times.exec.value, times.write_drain.value);
  return XXH3_64bits(text.data(), text.size());
}

fs::path CacheFile(const fs::path& directory, const Target& target) {
  return directory /
         fmt::format("oracle-{}-{:016x}.bin", FileName(target.name), MeasurementHash(target));
}

// magic, hash, words, checksum of all before it
std::optional<MeasuredTables> LoadTables(const fs::path& file, const Target& target) {
  const std::optional<std::vector<std::int64_t>> words = ReadWords(file);
  if (!words || words->size() < 3) return std::nullopt;
  const std::span<const std::int64_t> sealed(words->data(), words->size() - 1);
  if (sealed[0] != kMagic || sealed[1] != static_cast<std::int64_t>(MeasurementHash(target)) ||
      words->back() != ChecksumOf(sealed)) {
    return std::nullopt;
  }
  std::optional<MeasuredTables> tables = FromWords(sealed.subspan(2));
  if (!tables || !Fits(*tables, target)) return std::nullopt;
  return tables;
}

bool StoreTables(const fs::path& file, const Target& target, const MeasuredTables& tables) {
  std::vector<std::int64_t> words = {kMagic, static_cast<std::int64_t>(MeasurementHash(target))};
  const std::vector<std::int64_t> body = ToWords(tables);
  words.insert(words.end(), body.begin(), body.end());
  words.push_back(ChecksumOf(words));

  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  static std::atomic<int> written = 0;
  const fs::path draft = fmt::format("{}.{}.{}", file.string(), getpid(), written++);
  std::ofstream out(draft, std::ios::binary);
  out.write(reinterpret_cast<const char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(std::int64_t)));
  out.close();
  if (out) fs::rename(draft, file, error);
  const bool stored = out && !error;
  if (!stored) fs::remove(draft, error);
  return stored;
}

}  // namespace spillway
