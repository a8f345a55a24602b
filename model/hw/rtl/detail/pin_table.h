// Signals between the stimulus, an RTL module and its twin.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <systemc>

#include "model/hw/rtl/bits.h"
#include "model/hw/rtl/lockstep.h"

namespace spillway::detail {

/// An input that drives both modules, or an output that each drives for itself.
class PinLink {
 public:
  virtual ~PinLink() = default;
  virtual void Drive(const Bits& value) = 0;
  virtual Bits Rtl() const = 0;
  virtual Bits Twin() const = 0;
};

/// Finds the ports of two modules by their names and joins them. That the pins are the same isn't
/// believed but checked: a name, a direction or a type that only one side has is a
/// ContractViolation.
class PinTable : public Pins {
 public:
  PinTable(sc_core::sc_module& rtl, sc_core::sc_module& twin);

  const Bits& Output(std::string_view name) const override;
  Bits& Input(std::string_view name) override;

  /// All inputs 0, no transaction noted: so that a run depends on nothing before it.
  void Restart();
  /// Gives the inputs to the signals.
  void Drive();
  /// Takes the outputs of the RTL from the signals.
  void Sample();
  /// Names of the outputs that differ.
  std::vector<std::string> Differing() const;
  Bits RtlValue(const std::string& name) const { return outputs_.at(name).link->Rtl(); }
  Bits TwinValue(const std::string& name) const { return outputs_.at(name).link->Twin(); }

 private:
  struct Pin {
    std::unique_ptr<PinLink> link;
    Bits value;
  };
  std::map<std::string, Pin, std::less<>> inputs_;
  std::map<std::string, Pin, std::less<>> outputs_;
};

}  // namespace spillway::detail
