// What model/hw/rtl/dma_queue_engine.sv does, said another way.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>
#include <vector>

namespace spillway::detail {

/// Works out by division, when a descriptor starts, in which cycle each beat is due and how many
/// cycles it takes; then it only counts the cycles in which the memory kept up.
class DmaQueueEngineTwin : public sc_core::sc_module {
 public:
  static constexpr int kBeat = 32;
  static constexpr int kSemaphoreBits = 8;
  struct Shape {
    int ring = 8;
  };
  using Data = sc_dt::sc_bv<8 * kBeat>;

  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<bool> rst{"rst"};
  sc_core::sc_in<std::uint32_t> time_credit{"time_credit"};
  sc_core::sc_in<std::uint32_t> time_byte{"time_byte"};
  sc_core::sc_in<std::uint32_t> time_fixed{"time_fixed"};
  sc_core::sc_in<std::uint32_t> time_floor{"time_floor"};
  sc_core::sc_in<std::uint32_t> time_issue{"time_issue"};
  sc_core::sc_in<bool> slot_valid{"slot_valid"};
  sc_core::sc_in<std::uint32_t> slot_index{"slot_index"};
  sc_core::sc_in<std::uint32_t> slot_bytes{"slot_bytes"};
  sc_core::sc_in<std::uint32_t> slot_source{"slot_source"};
  sc_core::sc_in<std::uint32_t> slot_destination{"slot_destination"};
  sc_core::sc_in<bool> slot_last{"slot_last"};
  sc_core::sc_in<bool> doorbell_valid{"doorbell_valid"};
  sc_core::sc_in<std::uint32_t> doorbell_tail{"doorbell_tail"};
  sc_core::sc_out<std::uint32_t> head{"head"};
  sc_core::sc_out<bool> read_valid{"read_valid"};
  sc_core::sc_in<bool> read_ready{"read_ready"};
  sc_core::sc_out<std::uint32_t> read_address{"read_address"};
  sc_core::sc_out<std::uint32_t> read_bytes{"read_bytes"};
  sc_core::sc_in<Data> read_data{"read_data"};
  sc_core::sc_out<bool> write_valid{"write_valid"};
  sc_core::sc_in<bool> write_ready{"write_ready"};
  sc_core::sc_out<std::uint32_t> write_address{"write_address"};
  sc_core::sc_out<std::uint32_t> write_bytes{"write_bytes"};
  sc_core::sc_out<Data> write_data{"write_data"};
  sc_core::sc_out<bool> active{"active"};
  sc_core::sc_out<std::uint32_t> semaphore_value{"semaphore_value"};
  sc_core::sc_out<bool> fault_doorbell{"fault_doorbell"};
  sc_core::sc_out<bool> fault_poison{"fault_poison"};

  DmaQueueEngineTwin(const sc_core::sc_module_name& name, Shape shape);

 private:
  struct Descriptor {
    std::int64_t bytes;
    std::uint32_t source;
    std::uint32_t destination;
    bool last;
  };
  /// The descriptor in work; cycles are counted from its start.
  struct Work {
    Descriptor descriptor;
    std::int64_t payload_cycles;  ///< to pay for, without those in which the memory stalled
    std::int64_t payload_paid = 0;
    std::int64_t elapsed = 0;
    std::int64_t beats_read = 0;
  };
  /// What waits for the write port: a beat, or the end of a transfer behind its beats.
  struct Beat {
    std::uint32_t address;
    std::uint32_t bytes;
    Data data;
    std::uint64_t transfer;
  };
  struct Times {
    std::int64_t credit = 1, byte = 0, fixed = 0, floor = 0, issue = 0;
  };

  void Clock();
  void Reset();
  bool BeatDue() const;
  std::uint32_t BeatBytes() const;
  bool Reads() const { return BeatDue() && beats_.size() < 2; }
  void TakeDescriptor(std::int64_t now);
  std::uint64_t TailAfterDoorbell();
  void ShowOutputs();

  Shape shape_;
  std::vector<Descriptor> ring_;
  std::uint64_t head_ = 0;  ///< descriptors taken since reset
  std::uint64_t tail_ = 0;  ///< descriptors announced since reset
  Times times_;
  std::optional<Work> work_;
  std::deque<Beat> beats_;
  std::int64_t now_ = 0;
  std::int64_t next_issue_ = 0;
  bool in_transfer_ = false;                 ///< the next descriptor continues a transfer
  std::uint64_t transfer_ = 0;               ///< number of the transfer in work
  std::optional<std::uint64_t> completing_;  ///< has used its time, may still have beats to write
  std::uint32_t semaphore_ = 0;
  bool bad_doorbell_ = false;
  bool poisoned_ = false;
};

}  // namespace spillway::detail
