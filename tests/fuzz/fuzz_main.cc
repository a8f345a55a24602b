// Any harness without a fuzzer: on given files and folders, on its own seeds, or to write those.
// usage: HARNESS FILE_OR_FOLDER... | HARNESS --seeds | HARNESS --write-seeds FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

std::vector<std::uint8_t> BytesOfFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  return {bytes.begin(), bytes.end()};
}

// Whether the harness had nothing to object to.
bool Try(const std::string& name, const std::vector<std::uint8_t>& bytes) {
  std::string objection;
  try {
    objection = FuzzOne(bytes);
  } catch (const std::exception& bug) {
    objection = std::string("thrown: ") + bug.what();
  }
  if (!objection.empty()) std::cout << name << ": " << objection << "\n";
  return objection.empty();
}

int TryFiles(std::span<char*> arguments) {
  int tried = 0;
  int failed = 0;
  const auto try_file = [&](const std::filesystem::path& path) {
    ++tried;
    if (!Try(path.string(), BytesOfFile(path))) ++failed;
  };
  for (const char* argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      try_file(argument);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argument)) {
      if (entry.is_regular_file()) try_file(entry.path());
    }
  }
  std::cout << tried << " inputs, " << failed << " objections\n";
  return tried == 0 || failed > 0 ? 1 : 0;
}

int TrySeeds() {
  int failed = 0;
  const std::vector<std::vector<std::uint8_t>> seeds = Seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (!Try("seed " + std::to_string(i), seeds[i])) ++failed;
  }
  std::cout << seeds.size() << " seeds, " << failed << " objections\n";
  return seeds.empty() || failed > 0 ? 1 : 0;
}

int WriteSeeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<std::vector<std::uint8_t>> seeds = Seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream out(folder / ("seed-" + std::to_string(i)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seeds[i].data()),
              static_cast<std::streamsize>(seeds[i].size()));
    if (!out.flush()) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace spillway

// libsystemc asks for it: its own main would call it, and this program has another.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv + 1, static_cast<std::size_t>(argc) - 1);
  const std::string first = arguments.empty() ? "" : arguments[0];
  if (first == "--seeds") return spillway::TrySeeds();
  if (first == "--write-seeds" && argc == 3) return spillway::WriteSeeds(argv[2]);
  return spillway::TryFiles(arguments);
}
