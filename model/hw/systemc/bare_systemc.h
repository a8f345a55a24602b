// The least that SystemC must do for a simulation of some size: a yardstick for benchmarks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spillway {

/// Streams of timed events without any rules: one SC_METHOD and one event a stream.
class BareSystemC {
 public:
  static constexpr int kStreams = 21;

  /// Elaborates the streams and the machine, in one elaboration.
  /// Throws ContractViolation if the process has used the machine before.
  static BareSystemC& Instance();
  BareSystemC(const BareSystemC&) = delete;
  BareSystemC& operator=(const BareSystemC&) = delete;

  /// Lets every stream wait for its durations (picoseconds, > 0) one after the other; gives the
  /// time of the last event. At most kStreams lists.
  std::int64_t Run(std::span<const std::vector<std::int64_t>> durations);

 private:
  BareSystemC();
  ~BareSystemC();
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace spillway
