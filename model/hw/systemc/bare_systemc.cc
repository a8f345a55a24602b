#include "model/hw/systemc/bare_systemc.h"

#include <array>
#include <string>

#include <systemc>

#include "model/hw/error.h"
#include "model/hw/systemc/machine.h"

namespace spillway {
namespace {

class BareStream : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BareStream);
  explicit BareStream(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(Step);
    sensitive << event_;
    dont_initialize();
  }

  void Start(std::span<const std::int64_t> durations) {
    durations_ = durations;
    Next();
  }

 private:
  void Step() { Next(); }

  void Next() {
    if (durations_.empty()) return;
    event_.notify(sc_core::sc_time::from_value(
        static_cast<sc_core::sc_time::value_type>(durations_.front())));
    durations_ = durations_.subspan(1);
  }

  sc_core::sc_event event_;
  std::span<const std::int64_t> durations_;
};

}  // namespace

struct BareSystemC::Streams {
  std::array<std::unique_ptr<BareStream>, kStreams> all;
};

BareSystemC::BareSystemC() : streams_(std::make_unique<Streams>()) {
  SPILLWAY_CHECK(sc_core::sc_get_status() == sc_core::SC_ELABORATION,
                 "SystemC elaborates once: the yardstick comes before the machine");
  for (int s = 0; s < kStreams; ++s) {
    streams_->all[static_cast<std::size_t>(s)] =
        std::make_unique<BareStream>(("bare" + std::to_string(s)).c_str());
  }
  Machine::Instance();
}

BareSystemC::~BareSystemC() = default;

BareSystemC& BareSystemC::Instance() {
  static BareSystemC* const streams = new BareSystemC();
  return *streams;
}

std::int64_t BareSystemC::Run(std::span<const std::vector<std::int64_t>> durations) {
  SPILLWAY_CHECK(durations.size() <= kStreams, "no more lists than streams");
  const auto begin = sc_core::sc_time_stamp().value();
  for (std::size_t s = 0; s < durations.size(); ++s) streams_->all[s]->Start(durations[s]);
  sc_core::sc_start();
  return static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - begin);
}

}  // namespace spillway
