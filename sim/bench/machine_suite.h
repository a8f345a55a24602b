// How fast the model is, beside bare SystemC in the same run.
#pragma once

#include <string>
#include <vector>

namespace spillway {

/// One measured speed, or time of a query.
struct MachineFigure {
  std::string group;  ///< what was run
  std::string name;
  double value = 0;
  std::string unit;
  double bar = 0;            ///< what it should reach; 0: none
  bool bar_is_most = false;  ///< the bar mustn't be exceeded
  double to_bare = 0;        ///< value by the yardstick's of the same group; 0: none

  bool MeetsBar() const { return bar == 0 || (bar_is_most ? value <= bar : value >= bar); }
};

/// Measures both players, the payload with data, many short runs and queries of the measured
/// oracle, on trn2. Processor time, best of several rounds; takes some seconds.
/// Throws ContractViolation if the process has used the SystemC machine before.
std::vector<MachineFigure> RunMachineSuite();

/// A table by groups; figures that don't meet their bar say so.
std::string ToText(const std::vector<MachineFigure>& figures);

}  // namespace spillway
