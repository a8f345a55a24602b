#include "model/hw/fault.h"

#ifdef SPILLWAY_FAULTS

#include <cstdlib>
#include <map>
#include <string>

namespace spillway {
namespace fault {
namespace {

// Function-local, since seams in other files may ask before this file's statics exist.
std::map<std::string, int, std::less<>>& Indices() {
  static std::map<std::string, int, std::less<>> indices;
  return indices;
}

std::string& ActiveName() {
  static std::string name;
  return name;
}

}  // namespace

int IndexOf(std::string_view id) {
  const auto [it, added] =
      Indices().emplace(std::string(id), static_cast<int>(Indices().size()) + 1);
  return it->second;
}

int active = [] {
  const char* text = std::getenv("SPILLWAY_FAULT");
  if (text == nullptr || *text == '\0') return 0;
  ActiveName() = text;
  return IndexOf(text);
}();

}  // namespace fault

std::string_view ActiveFault() { return fault::ActiveName(); }

void PlantFault(std::string_view id) {
  fault::ActiveName() = id;
  fault::active = id.empty() ? 0 : fault::IndexOf(id);
}

}  // namespace spillway

#endif
