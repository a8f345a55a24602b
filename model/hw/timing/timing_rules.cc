#include "model/hw/timing/timing_rules.h"

#include <fmt/format.h>

#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

class Rules {
 public:
  explicit Rules(const Target& target) : t_(target) {}

  std::vector<TimingRule> All() {
    Streams();
    Engines();
    Ports();
    Dma();
    for (const InstructionCostRow& row : InstructionCostRows()) Instruction(row);
    return std::move(rules_);
  }

 private:
  // A rule whose source is the row that it takes its number from.
  template <class Row>
  void Add(std::string resource, std::string rule, std::string expression, std::string unit,
           const Row& row) {
    Add(std::move(resource), std::move(rule), std::move(expression), std::move(unit), row.source,
        row.confidence);
  }
  void Add(std::string resource, std::string rule, std::string expression, std::string unit,
           std::string source, Confidence confidence) {
    rules_.push_back({t_.name, std::move(resource), std::move(rule), std::move(expression),
                      std::move(unit), std::move(source), confidence});
  }

  static double Nanoseconds(Picoseconds time) { return static_cast<double>(time.value) / 1000; }

  void Streams() {
    Add("every stream", "start", "max(waits + semaphore, previous start + interval, ports)", "time",
        "trainium_inferentia2_arch.rst: in-order streams that meet at semaphores",
        Confidence::kDocumented);
    Add("semaphore", "visible after", fmt::format("{:g}", Nanoseconds(t_.semaphore_latency.value)),
        "ns", t_.semaphore_latency);
  }

  void Engines() {
    const std::int64_t drain = t_.static_overhead.value.value;
    Add("act, dve", "latency",
        fmt::format("{} + interval + {}; the next instruction hides {}",
                    t_.access_start.value.value, drain, t_.access_start.value.value + drain),
        "cycles",
        t_.static_overhead.source + "; placed by a chain and a copy that were measured alone",
        Confidence::kDerived);
    Add("pool", "latency", "interval", "cycles", t_.gpsimd_start);
    Add("pe", "latency", "interval; the stationary operand loads behind the product before",
        "cycles", "trainium_inferentia2_arch.rst", Confidence::kDocumented);
    Add("pe", "sustained rate", fmt::format("interval x 100 / {}", t_.pe_rate_percent.value),
        "cycles", t_.pe_rate_percent);
    Add("pe", "float32", fmt::format("{} passes", t_.pe_float32_passes.value), "times",
        t_.pe_float32_passes);
    if (t_.pe_ramp.value > Picoseconds(0)) {
      Add("pe", "ramp",
          fmt::format("from {}% to 100% of the rate over {:g} ns of work; idling takes it back",
                      t_.pe_cold_percent.value, Nanoseconds(t_.pe_ramp.value)),
          "rate", t_.pe_ramp.source + "; linear, and back by idling: assumed",
          Confidence::kAssumed);
    }
    Add("act, dve, pool", "wide strides",
        fmt::format("innermost step above {} B: N x {}", t_.wide_stride_bytes.value.value,
                    t_.wide_stride_factor.value),
        "times", t_.wide_stride_factor);
  }

  template <class Row>
  void Port(const char* resource, const char* engines, const Row& row) {
    Add(resource, engines, row.value != 0 ? "take turns for their intervals" : "run side by side",
        "time", row);
  }

  void Ports() {
    Port("sbuf", "dve and pool", t_.sbuf_shared_by_vector_and_gpsimd);
    Port("psum", "dve and act", t_.psum_shared_by_vector_and_scalar);
    if (t_.psum_shared_by_vector_and_scalar.value == 0) {
      Port("psum bank", "dve and act", t_.psum_bank_shared_by_vector_and_scalar);
    }
    Add("psum", "kept for transposes", fmt::format("{}", t_.psum_transpose_banks.value.value),
        "banks", t_.psum_transpose_banks);
    Add("psum bank", "accumulation", "only onto what a matmul wrote; one open group a bank",
        "check", "nki.isa nc_matmul: undefined onto anything else", Confidence::kDocumented);
  }

  void Dma() {
    const double rate = static_cast<double>(t_.dma_bytes_per_microsecond.value) / 1000;
    const auto payload = [&](Picoseconds floor) {
      return fmt::format("max({:g}, {:g} + B / {:g})", Nanoseconds(floor),
                         Nanoseconds(t_.dma_descriptor_fixed.value), rate);
    };
    Add("dma queue", "trigger to first descriptor",
        fmt::format("{:g}", Nanoseconds(t_.dma_start_latency.value)), "ns", t_.dma_start_latency);
    Add("dma queue", "descriptor to descriptor, one engine", payload(t_.dma_descriptor_floor.value),
        "ns", t_.dma_descriptor_floor);
    Add("dma engine", "descriptor to descriptor, any queues", payload(t_.dma_engine_floor.value),
        "ns", t_.dma_engine_floor);
    Add("dma engine", "strided payload", PerMille(t_.dma_strided_per_mille), "times",
        t_.dma_strided_per_mille);
    Add("dma engine", "transpose with a DRAM side", PerMille(t_.dma_transpose_dram_per_mille),
        "times", t_.dma_transpose_dram_per_mille);
    Add("dma engine", "transpose on chip", PerMille(t_.dma_transpose_chip_per_mille), "times",
        t_.dma_transpose_chip_per_mille);
    Add("dma engine", "order",
        fmt::format("in order within a queue; queues in turn, a packet of {} B each",
                    t_.dma_packet_bytes.value.value),
        "order", "nki-dma-overview.rst: round robin at packet boundaries", Confidence::kDocumented);
    Add("dma engine", "share of a transfer",
        fmt::format("{} rows, next engine after that; {} engines", DescriptorsPerEngine(t_),
                    t_.dma_engines.value),
        "descriptors", t_.dma_engines);
    Add("dma generator", "transfer to transfer",
        t_.dma_generators.value == 0
            ? "0 (static rings)"
            : fmt::format("hwdge {:g}, {} generators; else 0",
                          Nanoseconds(t_.dma_issue_floor.value), t_.dma_generators.value),
        "ns", t_.dma_issue_floor);
    Add("semaphore", "increments of a transfer",
        fmt::format("{}", t_.dma_completion_increments.value), "increments",
        t_.dma_completion_increments);
  }

  static std::string PerMille(std::int64_t value) {
    return fmt::format("{:g}", static_cast<double>(value) / 1000);
  }

  void Instruction(const InstructionCostRow& row) {
    if (row.from_level > t_.architecture_level) return;
    const std::string op = row.op.empty() ? "any other (not priced)" : std::string(row.op);
    Add(row.engine ? std::string(EngineName(*row.engine)) : "any engine", op + Where(row.condition),
        Expression(row), "cycles", std::string(row.source), ConfidenceOf(row, t_));
  }

  static std::string Where(CostCondition condition) {
    switch (condition) {
      case CostCondition::kAlways: return "";
      case CostCondition::kAnyPsum: return ", an operand in PSUM";
      case CostCondition::kPsum16: return ", PSUM, 16 bits, contiguous";
      case CostCondition::kSbuf16: return ", SBUF, 16 bits";
      case CostCondition::kSbuf16Contiguous: return ", SBUF, 16 bits, contiguous";
      case CostCondition::k16: return ", 16 bits";
      case CostCondition::kZero16: return ", zero, 16 bits";
    }
    return "";
  }

  std::string Expression(const InstructionCostRow& row) const {
    const std::int64_t least = t_.min_issue_interval.value.value;
    std::string text;
    switch (row.formula) {
      case CostFormula::kPerElement:
        text = fmt::format("max({}, {}N{})", least,
                           row.numerator == 1 ? "" : std::to_string(row.numerator) + " ",
                           row.denominator == 1 ? "" : " / " + std::to_string(row.denominator));
        break;
      case CostFormula::kMatmul:
        text = fmt::format("max(min({}, N stationary), N moving)", least);
        break;
      case CostFormula::kPeTranspose: text = fmt::format("max(P, min({}, N))", least); break;
    }
    switch (row.extra) {
      case CostExtra::kNone: return text;
      case CostExtra::kReadOut: return fmt::format("{} + {}", text, least);
      case CostExtra::kGpsimdStart:
        return fmt::format("{} + {}", t_.gpsimd_start.value.value, text);
      case CostExtra::kDynamicFloor:
        return fmt::format("max({}, {})", t_.dynamic_address_floor.value.value, text);
    }
    return text;
  }

  const Target& t_;
  std::vector<TimingRule> rules_;
};

}  // namespace

std::vector<TimingRule> TimingRules(const Target& target) { return Rules(target).All(); }

}  // namespace spillway
