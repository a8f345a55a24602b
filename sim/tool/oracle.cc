#include "sim/tool/oracle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/hw/systemc/measured_hwm.h"
#include "model/hw/timing/calibrated_hwm.h"

namespace spillway {

Result<std::unique_ptr<Hwm>> MakeOracle(std::string_view name, const Target& target) {
  if (name == "closed-form") return MakeClosedFormHwm(target);
  if (name == "calibrated") return MakeCalibratedHwm(target);
  if (name == "measured") return MakeMeasuredHwm(target);
  return Fail(
      {Kind::kUnknownName, "unknown-oracle",
       fmt::format("unknown oracle '{}'; expected one of {}", name, fmt::join(kOracleNames, ", ")),
       "", 0});
}

}  // namespace spillway
