#include "model/alloc/check/reaching_writers.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "model/alloc/check/byte_origins.h"
#include "model/alloc/check/element_moves.h"
#include "model/alloc/check/instance_walk.h"
#include "model/alloc/check/rules.h"
#include "model/alloc/ir/footprint.h"

namespace spillway {
namespace check {
namespace {

constexpr std::size_t kMaxRuns = std::size_t{1} << 18;

// Every block of every tensor side by side, each from partition 0 on.
Placement Apart(const Kernel& kernel) {
  Placement places;
  ByteOffset next[3];
  for (const Tensor& tensor : kernel.tensors) {
    std::vector<Address>& addresses =
        places.addresses[places.addresses.push_back(std::vector<Address>{})];
    ByteOffset& byte = next[static_cast<std::size_t>(tensor.space)];
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      addresses.push_back({Partition(0), byte});
      byte = byte + BlockBytes(tensor);
    }
  }
  return places;
}

std::map<std::string, std::uint64_t, std::less<>> DramNumbers(const Kernel& kernel) {
  std::map<std::string, std::uint64_t, std::less<>> numbers;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space == Space::kDram) numbers.emplace(tensor.name, t);
  }
  return numbers;
}

std::int64_t ByteAt(const Origin& origin, Partition row) {
  return origin.base + row.value * origin.row_step;
}

/// One run of a kernel that stops at each instance that isn't a move.
class Side {
 public:
  Side(const Kernel& kernel, const Placement& places,
       const std::map<std::string, std::uint64_t, std::less<>>& dram)
      : kernel_(kernel), walk_(kernel), origins_(kernel, places, dram) {
    for (const Instruction& instruction : kernel.instructions) {
      accesses_.push_back(AccessesOf(instruction));
      moves_.push_back(IsMove(kernel, instruction));
    }
  }

  /// Runs moves up to the next instance of another kind; false at the end.
  bool Next() {
    while (walk_.Next()) {
      ++number_;
      if (!moves_[walk_.instruction()]) return true;
      origins_.Move(kernel_.instructions[walk_.instruction()], walk_.values());
    }
    return false;
  }
  void WriteOutputs(std::uint64_t pair) {
    std::uint64_t output = 0;
    for (const Access& access : accesses()) {
      if (access.is_write) origins_.Write(access, walk_.values(), OutputOf(pair, output++));
    }
  }

  const Kernel& kernel() const { return kernel_; }
  const std::vector<Access>& accesses() const { return accesses_[walk_.instruction()]; }
  const Instruction& instruction() const { return kernel_.instructions[walk_.instruction()]; }
  InstructionId id() const { return walk_.instruction(); }
  Footprint FootprintOfAccess(std::size_t access) const {
    return FootprintOf(kernel_, accesses()[access], walk_.values(), kMaxRuns);
  }
  const ByteOrigins& origins() const { return origins_; }
  std::string Label() const { return walk_.Label(number_ - 1); }

 private:
  const Kernel& kernel_;
  InstanceWalk walk_;
  ByteOrigins origins_;
  IdVector<InstructionId, std::vector<Access>> accesses_;
  IdVector<InstructionId, bool> moves_;
  std::size_t number_ = 0;
};

struct Mismatch {
  Kind kind = Kind::kWrongValue;
  std::string reader;
  TensorId tensor;
  std::int64_t block = 0;
  Rectangle where;  ///< in the block
  Origin expected;
  Origin found;
  std::int64_t count = 0;
};

class Judge {
 public:
  Judge(const Kernel& original, const Kernel& allocated, const Placement& places)
      : apart_(Apart(original)),
        dram_(DramNumbers(original)),
        expected_(original, apart_, dram_),
        found_(allocated, places, dram_),
        result_{"reaching-writer", 0, {}} {}

  CheckResult Run() {
    for (std::uint64_t pair = 0;; ++pair) {
      const bool more = expected_.Next();
      if (more != found_.Next()) return OtherInstances(more);
      if (!more) break;
      if (expected_.instruction().op != found_.instruction().op ||
          expected_.accesses().size() != found_.accesses().size()) {
        return OtherInstances(true);
      }
      for (std::size_t a = 0; a < expected_.accesses().size(); ++a) {
        if (!expected_.accesses()[a].is_write) CompareRead(a);
      }
      expected_.WriteOutputs(pair);
      found_.WriteOutputs(pair);
    }
    CompareOutputs();
    Report();
    return std::move(result_);
  }

 private:
  CheckResult OtherInstances(bool more) {
    Violation violation;
    violation.kind = Kind::kWrongValue;
    violation.text =
        fmt::format("the allocated kernel doesn't run the kernel's instructions: where that {}",
                    more ? "runs " + expected_.Label() + ", it doesn't" : "ends, it goes on");
    result_.violations.push_back(std::move(violation));
    return std::move(result_);
  }

  void CompareRead(std::size_t access) {
    const Footprint wanted = expected_.FootprintOfAccess(access);
    const Footprint actual = found_.FootprintOfAccess(access);
    const Reader reader{found_.id(), access};
    const std::int64_t first = std::max<std::int64_t>(wanted.block, 0);
    const std::int64_t blocks =
        wanted.block < 0 ? BlockCount(expected_.kernel().tensors[wanted.tensor]) : 1;
    const std::int64_t other = std::max<std::int64_t>(actual.block, 0);
    for (std::int64_t b = 0; b < blocks; ++b) {
      if (!found_.origins().HasPlace(actual.tensor, other + b)) continue;
      const std::size_t runs = std::min(wanted.runs.size(), actual.runs.size());
      for (std::size_t r = 0; r < runs; ++r) {
        Compare(reader, wanted.tensor, first + b, {wanted.partitions, wanted.runs[r]},
                actual.tensor, other + b, {actual.partitions, actual.runs[r]});
      }
    }
  }

  void CompareOutputs() {
    const Kernel& kernel = found_.kernel();
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const Tensor& tensor = kernel.tensors[TensorId(t)];
      const auto same = dram_.find(tensor.name);
      if (tensor.role != Role::kOutput || same == dram_.end()) continue;
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        if (!found_.origins().HasPlace(TensorId(t), block)) continue;
        const Rectangle all{{Partition(0), Partition(1)},
                            {ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)}};
        Compare({InstructionId(kernel.instructions.size()), t}, TensorId(same->second), block, all,
                TensorId(t), block, all);
      }
    }
  }

  /// An instruction and one of its accesses; behind the last instruction: the final outputs.
  using Reader = std::tuple<InstructionId, std::size_t>;

  void Compare(const Reader& reader, TensorId wanted, std::int64_t wanted_block,
               const Rectangle& wanted_where, TensorId actual, std::int64_t actual_block,
               const Rectangle& actual_where) {
    ++result_.checked;
    wanted_parts_.clear();
    actual_parts_.clear();
    expected_.origins().Look(wanted, wanted_block, wanted_where, wanted_parts_);
    found_.origins().Look(actual, actual_block, actual_where, actual_parts_);
    // Both lists go by bytes, and parts of one strip share theirs.
    std::size_t first = 0;
    for (const OriginPart& a : wanted_parts_) {
      while (first < actual_parts_.size() &&
             actual_parts_[first].part.bytes.end <= a.part.bytes.begin) {
        ++first;
      }
      for (std::size_t i = first; i < actual_parts_.size(); ++i) {
        const OriginPart& b = actual_parts_[i];
        if (b.part.bytes.begin >= a.part.bytes.end) break;
        if (!Overlap(a.part, b.part)) continue;
        const Rectangle both{Intersect(a.part.partitions, b.part.partitions),
                             Intersect(a.part.bytes, b.part.bytes)};
        if (Same(a.origin, b.origin, both.partitions)) continue;
        Note(reader, actual, actual_block,
             {{both.partitions.begin + (actual_where.partitions.begin - Partition(0)),
               both.partitions.end + (actual_where.partitions.begin - Partition(0))},
              {both.bytes.begin + (actual_where.bytes.begin - ByteOffset(0)),
               both.bytes.end + (actual_where.bytes.begin - ByteOffset(0))}},
             a.origin, b.origin);
      }
    }
  }

  static bool Same(const Origin& a, const Origin& b, Interval<Partition> rows) {
    if (a.producer == kNothing || a.producer == kAnything || b.producer == kAnything) return true;
    if (a.producer != b.producer || ByteAt(a, rows.begin) != ByteAt(b, rows.begin)) return false;
    return a.row_step == b.row_step || (rows.end - rows.begin).value == 1;
  }

  void Note(const Reader& reader, TensorId tensor, std::int64_t block, const Rectangle& where,
            const Origin& expected, const Origin& found) {
    const Kind kind = found.producer == kNothing ? Kind::kUninitializedRead : Kind::kWrongValue;
    const auto key = std::make_tuple(reader, kind);
    Mismatch& mismatch = mismatches_[key];
    if (mismatch.count++ > 0) return;
    const bool at_end = std::get<0>(reader).value == found_.kernel().instructions.size();
    mismatch = {
        kind, at_end ? "the end of the run" : found_.Label(), tensor, block, where, expected, found,
        1};
    order_of_discovery_.push_back(key);
    Want(expected.producer);
    Want(found.producer);
  }

  static bool IsOutput(Producer producer) { return (producer >> 62) == 1; }
  void Want(Producer producer) {
    if (IsOutput(producer)) labels_[(producer - OutputOf(0, 0)) >> 16];
  }

  // The labels of the instances that made something, in the original's numbering.
  void FindLabels() {
    if (labels_.empty()) return;
    const Kernel& kernel = expected_.kernel();
    InstanceWalk walk(kernel);
    std::uint64_t pair = 0;
    for (std::size_t number = 0; walk.Next(); ++number) {
      if (IsMove(kernel, kernel.instructions[walk.instruction()])) continue;
      const auto wanted = labels_.find(pair++);
      if (wanted != labels_.end()) wanted->second = {walk.Label(number), walk.instruction()};
    }
  }

  std::string Describe(const Origin& origin) const {
    const Kernel& kernel = expected_.kernel();
    if (origin.producer == kNothing) return "what nothing wrote";
    if (!IsOutput(origin.producer)) {
      const std::uint64_t tensor = (origin.producer >> 32) & 0x1FFFFFFF;
      return fmt::format("what {} held at first", kernel.tensors[TensorId(tensor)].name);
    }
    const std::uint64_t code = origin.producer - OutputOf(0, 0);
    const auto& [label, instruction] = labels_.at(code >> 16);
    std::uint64_t output = 0;
    for (const Access& access : AccessesOf(kernel.instructions[instruction])) {
      if (!access.is_write || output++ != (code & 0xFFFF)) continue;
      return fmt::format("what {} wrote to {}", label, kernel.tensors[access.tensor].name);
    }
    return "what " + label + " wrote";
  }

  void Report() {
    FindLabels();
    for (const auto& key : order_of_discovery_) {
      const Mismatch& m = mismatches_.at(key);
      const Tensor& tensor = found_.kernel().tensors[m.tensor];
      const bool elements = m.expected.producer == m.found.producer;
      Violation violation;
      violation.kind = m.kind;
      violation.tensors = {tensor.name};
      violation.space = tensor.space;
      violation.range = m.where.bytes;
      violation.text = fmt::format(
          "{} reads {} at partitions [{}, {}), bytes [{}, {}): expected {}, found {}{}{}", m.reader,
          NameOf(tensor, static_cast<std::size_t>(m.block)), m.where.partitions.begin.value,
          m.where.partitions.end.value, m.where.bytes.begin.value, m.where.bytes.end.value,
          Describe(m.expected), elements ? "other elements of " : "", Describe(m.found),
          m.count > 1 ? fmt::format("; {} more such reads", m.count - 1) : "");
      result_.violations.push_back(std::move(violation));
    }
  }

  using Key = std::tuple<Reader, Kind>;

  Placement apart_;
  std::map<std::string, std::uint64_t, std::less<>> dram_;
  Side expected_;
  Side found_;
  std::vector<OriginPart> wanted_parts_;
  std::vector<OriginPart> actual_parts_;
  std::map<Key, Mismatch> mismatches_;
  std::vector<Key> order_of_discovery_;
  std::map<std::uint64_t, std::pair<std::string, InstructionId>> labels_;
  CheckResult result_;
};

}  // namespace
}  // namespace check

CheckResult CheckReachingWriters(const Kernel& original, const Kernel& allocated,
                                 const Placement& places) {
  return check::Judge(original, allocated, places).Run();
}

}  // namespace spillway
