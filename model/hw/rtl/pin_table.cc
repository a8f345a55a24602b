#include "model/hw/rtl/detail/pin_table.h"

#include "model/hw/error.h"

namespace spillway::detail {
namespace {

using sc_core::sc_in;
using sc_core::sc_module;
using sc_core::sc_object;
using sc_core::sc_out;
using sc_core::sc_signal;

template <int width>
using Wide = sc_dt::sc_bv<width>;

void Assign(bool& pin, const Bits& value) { pin = value.word(0) != 0; }
void Assign(std::uint32_t& pin, const Bits& value) { pin = value.word(0); }
void Assign(std::uint64_t& pin, const Bits& value) { pin = value.Field(0, 64); }
template <int width>
void Assign(Wide<width>& pin, const Bits& value) {
  for (int i = 0; i < width / 32; ++i) pin.set_word(i, value.word(i));
}

Bits ToBits(std::uint64_t pin) { return Bits(pin); }
template <int width>
Bits ToBits(const Wide<width>& pin) {
  Bits value;
  for (int i = 0; i < width / 32; ++i) value.set_word(i, pin.get_word(i));
  return value;
}

template <class T>
class InputLink : public PinLink {
 public:
  InputLink(sc_in<T>& rtl, sc_in<T>& twin) {
    rtl.bind(signal_);
    twin.bind(signal_);
  }
  void Drive(const Bits& value) override {
    T pin{};
    Assign(pin, value);
    signal_.write(pin);
  }
  Bits Rtl() const override { return ToBits(signal_.read()); }
  Bits Twin() const override { return Rtl(); }

 private:
  sc_signal<T> signal_;
};

template <class T>
class OutputLink : public PinLink {
 public:
  OutputLink(sc_out<T>& rtl, sc_out<T>& twin) {
    rtl.bind(rtl_);
    twin.bind(twin_);
  }
  void Drive(const Bits& /*value*/) override { SPILLWAY_CHECK(false, "nobody drives an output"); }
  Bits Rtl() const override { return ToBits(rtl_.read()); }
  Bits Twin() const override { return ToBits(twin_.read()); }

 private:
  sc_signal<T> rtl_;
  sc_signal<T> twin_;
};

template <class T>
std::unique_ptr<PinLink> JoinInput(sc_object* rtl, sc_object* twin) {
  auto* a = dynamic_cast<sc_in<T>*>(rtl);
  auto* b = dynamic_cast<sc_in<T>*>(twin);
  if (a == nullptr || b == nullptr) return nullptr;
  return std::make_unique<InputLink<T>>(*a, *b);
}

template <class T>
std::unique_ptr<PinLink> JoinOutput(sc_object* rtl, sc_object* twin) {
  auto* a = dynamic_cast<sc_out<T>*>(rtl);
  auto* b = dynamic_cast<sc_out<T>*>(twin);
  if (a == nullptr || b == nullptr) return nullptr;
  return std::make_unique<OutputLink<T>>(*a, *b);
}

// Verilator's types for ports of 1, up to 32, up to 64 and more bits; of the last, the widths that
// the modules have.
template <class... T>
std::unique_ptr<PinLink> JoinAny(sc_object* rtl, sc_object* twin, bool* is_input) {
  std::unique_ptr<PinLink> link;
  *is_input = ((link = JoinInput<T>(rtl, twin)) || ...);
  if (!*is_input) static_cast<void>(((link = JoinOutput<T>(rtl, twin)) || ...));
  return link;
}

std::map<std::string, sc_object*> PortsOf(const sc_module& module) {
  std::map<std::string, sc_object*> ports;
  for (sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<sc_core::sc_port_base*>(child) != nullptr) ports[child->basename()] = child;
  }
  return ports;
}

}  // namespace

PinTable::PinTable(sc_module& rtl, sc_module& twin) {
  const std::map<std::string, sc_object*> rtl_ports = PortsOf(rtl);
  const std::map<std::string, sc_object*> twin_ports = PortsOf(twin);
  for (const auto& [name, port] : twin_ports) {
    SPILLWAY_CHECK(rtl_ports.contains(name), "the RTL has the twin's pin " + name);
  }
  for (const auto& [name, port] : rtl_ports) {
    const auto other = twin_ports.find(name);
    SPILLWAY_CHECK(other != twin_ports.end(), "the twin has the RTL's pin " + name);
    bool is_input = false;
    std::unique_ptr<PinLink> link =
        JoinAny<bool, std::uint32_t, std::uint64_t, Wide<160>, Wide<256>>(port, other->second,
                                                                          &is_input);
    SPILLWAY_CHECK(link != nullptr, "both sides of " + name +
                                        " have one direction and one type of those listed here");
    (is_input ? inputs_ : outputs_)[name].link = std::move(link);
  }
}

const Bits& PinTable::Output(std::string_view name) const {
  const auto pin = outputs_.find(name);
  SPILLWAY_CHECK(pin != outputs_.end(), "there is an output " + std::string(name));
  return pin->second.value;
}

Bits& PinTable::Input(std::string_view name) {
  const auto pin = inputs_.find(name);
  SPILLWAY_CHECK(pin != inputs_.end(), "there is an input " + std::string(name));
  return pin->second.value;
}

void PinTable::Restart() {
  for (auto& [name, pin] : inputs_) pin.value = Bits();
  ForgetTransactions();
}

void PinTable::Drive() {
  for (auto& [name, pin] : inputs_) pin.link->Drive(pin.value);
}

void PinTable::Sample() {
  for (auto& [name, pin] : outputs_) pin.value = pin.link->Rtl();
}

std::vector<std::string> PinTable::Differing() const {
  std::vector<std::string> names;
  for (const auto& [name, pin] : outputs_) {
    if (pin.link->Rtl() != pin.link->Twin()) names.push_back(name);
  }
  return names;
}

}  // namespace spillway::detail
