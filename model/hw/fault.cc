#include "model/hw/fault.h"

#ifdef SPILLWAY_FAULTS

#include <charconv>
#include <cstdlib>
#include <string>

namespace spillway {
namespace {

std::string& ActiveName() {
  static std::string name;
  return name;
}

const char* FromEnvironment() {
  const char* id = std::getenv("SPILLWAY_FAULT");
  return id == nullptr ? "" : id;
}

}  // namespace

namespace fault {

std::uint64_t active = 0;
int variant = -1;
std::uint64_t reached = 0;

namespace {
const bool planted_at_start = (PlantFault(FromEnvironment()), true);
}  // namespace

}  // namespace fault

std::string_view ActiveFault() { return ActiveName(); }

void PlantFault(std::string_view id) {
  ActiveName() = id;
  const std::size_t dot = id.find('.');
  fault::active = id.empty() ? 0 : fault::NumberOf(id.substr(0, dot));
  fault::variant = -1;
  fault::reached = 0;
  if (dot == std::string_view::npos) return;
  std::from_chars(id.data() + dot + 1, id.data() + id.size(), fault::variant);
}

}  // namespace spillway

#endif
