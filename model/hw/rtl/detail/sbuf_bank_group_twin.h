// What model/hw/rtl/sbuf_bank_group.sv does, said another way.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>
#include <vector>

namespace spillway::detail {

/// One flat array of words, a waiting request and a queue of answers per port, and per bank the
/// order in which ports have their turn: who won goes to its end with all that stood before it.
class SbufBankGroupTwin : public sc_core::sc_module {
 public:
  static constexpr int kPorts = 5;
  static constexpr int kBytes = 4;
  static constexpr int kDataPins = kPorts * kBytes * 8;
  struct Shape {
    int banks = 4;
    int rows = 64;
    std::size_t answers = 2;  ///< that a port holds while nobody takes them
  };

  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};
  sc_core::sc_in<std::uint32_t> request_valid{"request_valid"};
  sc_core::sc_out<std::uint32_t> request_ready{"request_ready"};
  sc_core::sc_in<std::uint32_t> request_write{"request_write"};
  sc_core::sc_in<std::uint64_t> request_address{"request_address"};
  sc_core::sc_in<std::uint32_t> request_strobe{"request_strobe"};
  sc_core::sc_in<sc_dt::sc_bv<kDataPins>> request_data{"request_data"};
  sc_core::sc_out<std::uint32_t> port_stalled{"port_stalled"};
  sc_core::sc_out<std::uint32_t> response_valid{"response_valid"};
  sc_core::sc_in<std::uint32_t> response_ready{"response_ready"};
  sc_core::sc_out<sc_dt::sc_bv<kDataPins>> response_data{"response_data"};

  SbufBankGroupTwin(const sc_core::sc_module_name& name, Shape shape);

 private:
  struct Request {
    bool write;
    std::uint32_t address;
    std::uint32_t strobe;
    std::uint32_t data;
  };
  struct Port {
    std::optional<Request> waiting;
    std::deque<std::uint32_t> answers;
  };

  void Clock();
  void Reset();
  /// The port that each bank serves in this cycle.
  std::vector<std::optional<int>> Winners() const;
  std::uint32_t Access(const Request& request);
  Request RequestOf(int port) const;
  void ShowOutputs();

  Shape shape_;
  int address_bits_;
  std::vector<std::uint32_t> words_;
  std::vector<Port> ports_;
  std::vector<std::deque<int>> turns_;
  int rows_to_poison_ = 0;
};

}  // namespace spillway::detail
