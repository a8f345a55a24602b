// What model/hw/rtl/psum_bank.sv does, said another way.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>
#include <vector>

namespace spillway::detail {

/// Reads and writes take effect in the order in which they are accepted: the value of a word is
/// computed at once, with the host's float, and only the time at which it becomes visible follows
/// the pipeline. So this has no bypass that could be wrong; the RTL must do without one's absence.
class PsumBankTwin : public sc_core::sc_module {
 public:
  struct Shape {
    int words = 512;
    int adder_cycles = 2;  ///< between the fetch of a word and its sum
  };

  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};
  sc_core::sc_in<bool> write_valid{"write_valid"};
  sc_core::sc_out<bool> write_ready{"write_ready"};
  sc_core::sc_in<bool> write_start{"write_start"};
  sc_core::sc_in<std::uint32_t> write_address{"write_address"};
  sc_core::sc_in<std::uint32_t> write_data{"write_data"};
  sc_core::sc_in<bool> read_valid{"read_valid"};
  sc_core::sc_out<bool> read_ready{"read_ready"};
  sc_core::sc_in<std::uint32_t> read_address{"read_address"};
  sc_core::sc_out<bool> value_valid{"value_valid"};
  sc_core::sc_in<bool> value_ready{"value_ready"};
  sc_core::sc_out<std::uint32_t> value_data{"value_data"};

  PsumBankTwin(const sc_core::sc_module_name& name, Shape shape);

 private:
  struct Write {
    std::uint64_t order;
    std::uint32_t address;
    bool start;
  };
  struct Read {
    std::uint64_t order;
    std::uint32_t address;
    std::uint32_t value;
  };
  struct Sum {
    std::uint32_t address;
    int age;  ///< 1 in the cycle after its word was fetched
  };
  struct Moves {
    bool write = false;    ///< the waiting write fetches its word
    bool read = false;     ///< the waiting read is answered
    bool collide = false;  ///< both wanted the memory's read port
  };

  void Clock();
  void Reset();
  Moves Decide() const;
  bool InAdder(std::uint32_t address) const;
  void ShowOutputs();

  Shape shape_;
  std::vector<std::uint32_t> words_;
  std::uint64_t accepted_ = 0;  ///< a write comes before a read of the same cycle
  std::optional<Write> write_;
  std::optional<Read> read_;
  std::deque<Sum> sums_;
  std::optional<std::uint32_t> answer_;
  bool readers_turn_ = false;
  int to_poison_ = 0;
};

/// a + b as IEEE 754 says, nearest even; every NaN is 0x7FC00000.
std::uint32_t AddFloat32(std::uint32_t a, std::uint32_t b);

}  // namespace spillway::detail
