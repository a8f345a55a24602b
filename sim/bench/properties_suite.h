// Random kernels a second through generator, allocator and judges, stage by stage.
#pragma once

#include <string>
#include <vector>

namespace spillway {

/// One stage, or several in a row.
struct PropertyFigure {
  std::string name;
  double cases_per_second = 0;  ///< of processor time, one thread
  double bar = 0;               ///< what it should reach; 0: none
  double to_yardstick = 0;      ///< cases in the time that the yardstick takes

  bool MeetsBar() const { return bar == 0 || cases_per_second >= bar; }
};

struct PropertyReport {
  std::int64_t cases = 0;
  std::int64_t judged = 0;       ///< those that weren't refused; the rates of judges count them
  double instructions = 0;       ///< of one of them, on average, as allocated
  double yardstick_seconds = 0;  ///< sorting a million fixed keys
  std::vector<PropertyFigure> figures;
};

/// Takes a fixed run of problems (properties/allocation_problem.h) through every stage, several
/// rounds, and keeps each stage's best. Throws ContractViolation where a judge objects.
PropertyReport RunPropertiesSuite();

/// A table; figures that don't meet their bar say so.
std::string ToText(const PropertyReport& report);

}  // namespace spillway
