#include "properties/judge.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/alloc/check/dataflow.h"
#include "model/alloc/check/equations.h"
#include "model/alloc/check/placement_checker.h"
#include "model/alloc/check/races.h"
#include "model/alloc/check/reaching_writers.h"
#include "model/alloc/ir/linear_kernel.h"
#include "properties/allocation_problem.h"
#include "properties/placed_run.h"
#include "properties/played_case.h"
#include "properties/property_table.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/inputs.h"
#include "sim/values/reference_interpreter.h"

namespace spillway {
namespace {

constexpr std::uint64_t kInputSeed = 1;
constexpr int kRandomPlans = 4;

struct JudgeRow {
  JudgeId id;
  std::string_view name;
  bool is_static;
};
constexpr std::array kJudges = {
    JudgeRow{JudgeId::kLegality, "legality", true},
    JudgeRow{JudgeId::kOverlap, "overlap", true},
    JudgeRow{JudgeId::kDataflow, "dataflow", true},
    JudgeRow{JudgeId::kEquations, "equations", true},
    JudgeRow{JudgeId::kRaces, "races", true},
    JudgeRow{JudgeId::kReachingWriter, "reaching-writer", false},
    JudgeRow{JudgeId::kExecution, "execution", false},
    JudgeRow{JudgeId::kStreaming, "streaming", false},
    JudgeRow{JudgeId::kShadow, "shadow", false},
    JudgeRow{JudgeId::kTiming, "timing", false},
    JudgeRow{JudgeId::kRelations, "relations", false},
    JudgeRow{JudgeId::kProgress, "progress", true},
};

const JudgeRow& RowOf(JudgeId judge) {
  for (const JudgeRow& row : kJudges) {
    if (row.id == judge) return row;
  }
  SPILLWAY_CHECK(false, "every judge has a row");
  return kJudges[0];
}

std::string OperationAt(const LinearKernel& linear, PointId point) {
  const Instruction& instruction = linear.instruction(point);
  switch (instruction.spill) {
    case SpillRole::kSave: return instruction.op + " (save)";
    case SpillRole::kReload: return instruction.op + " (reload)";
    case SpillRole::kNone: break;
  }
  return instruction.op;
}

// The memory, and the first and last instruction that touch the violation's tensors while it lasts.
std::string SiteOf(const Violation& violation, const LinearKernel& linear) {
  std::string site(violation.space ? SpaceName(*violation.space) : "");
  if (!violation.time) return site;
  const auto is_concerned = [&](PointId point) {
    return std::any_of(
        linear.accesses[point].begin(), linear.accesses[point].end(), [&](const Access& access) {
          const std::string& name = linear.kernel.tensors[access.tensor].name;
          return std::find(violation.tensors.begin(), violation.tensors.end(), name) !=
                 violation.tensors.end();
        });
  };
  std::optional<PointId> first;
  std::optional<PointId> last;
  for (PointId p = violation.time->begin;
       p <= violation.time->end && p.value < linear.point_count(); p = PointId(p.value + 1)) {
    if (!linear.IsInstruction(p) || !is_concerned(p)) continue;
    if (!first) first = p;
    last = p;
  }
  if (!first) return site;
  return site + " " + OperationAt(linear, *first) + " .. " + OperationAt(linear, *last);
}

}  // namespace

std::string_view JudgeName(JudgeId judge) { return RowOf(judge).name; }
bool IsStatic(JudgeId judge) { return RowOf(judge).is_static; }

const std::vector<JudgeId>& AllJudges() {
  static const std::vector<JudgeId> all = [] {
    std::vector<JudgeId> ids;
    for (const JudgeRow& row : kJudges) {
      if (row.id != JudgeId::kRelations && row.id != JudgeId::kProgress) ids.push_back(row.id);
    }
    return ids;
  }();
  return all;
}

const std::vector<JudgeId>& NamedJudges() {
  static const std::vector<JudgeId> named = [] {
    std::vector<JudgeId> ids = AllJudges();
    ids.push_back(JudgeId::kRelations);
    return ids;
  }();
  return named;
}

struct JudgedCase::Parts {
  Allocated of;
  std::optional<LinearKernel> linear;
  std::optional<std::vector<CheckResult>> placement;
  std::optional<Inputs> inputs;
  std::optional<Result<LoweredKernel>> lowered;
  std::optional<InterpreterReport> reference;

  const LinearKernel& Linear() {
    if (!linear) linear = Linearize(*of.kernel);
    return *linear;
  }
  const std::vector<CheckResult>& PlacementResults() {
    if (!placement) {
      placement = CheckPlacement(Linear(), *of.placement, *of.target,
                                 {.sbuf_bytes = of.sbuf_bytes, .psum_banks = of.psum_banks});
    }
    return *placement;
  }
  const Inputs& TheInputs() {
    if (!inputs) {
      Result<Inputs> made = GenerateInputs(*of.original, kInputSeed);
      SPILLWAY_CHECK(made.has_value(), "a kernel under test has inputs of a size that fits");
      inputs = std::move(*made);
    }
    return *inputs;
  }

  /// What the kernel itself computes, with tags as values.
  const InterpreterReport& Reference() {
    if (!reference) {
      Result<InterpreterReport> made = Interpret(*of.original, ValueMode::kTags, TheInputs());
      SPILLWAY_CHECK(made.has_value(), "a kernel with its inputs runs");
      reference = std::move(*made);
    }
    return *reference;
  }
  /// The program that the machine plays; an error where there can't be one.
  const Result<LoweredKernel>& Lowered() {
    if (!lowered) lowered = LowerKernel(*of.kernel, *of.placement, *of.target);
    return *lowered;
  }

  void Add(std::vector<Finding>& findings, JudgeId judge, const CheckResult& result) {
    for (const Violation& v : result.violations) {
      findings.push_back(
          {judge, v.kind, v.tensors.empty() ? "" : v.tensors.front(), v.text, SiteOf(v, Linear())});
    }
  }
  std::vector<Finding> Placed(JudgeId judge, bool overlap) {
    std::vector<Finding> findings;
    for (const CheckResult& result : PlacementResults()) {
      if ((result.name == "overlap") == overlap) Add(findings, judge, result);
    }
    return findings;
  }
  std::vector<Finding> Dataflow() {
    std::vector<Finding> findings;
    Add(findings, JudgeId::kDataflow,
        CheckDataflow(*of.original, Linear(), *of.placement, *of.target));
    return findings;
  }
  std::vector<Finding> Equations() {
    std::vector<Finding> findings;
    Add(findings, JudgeId::kEquations,
        CheckEquations(*of.original, Linear(), *of.placement, *of.target));
    return findings;
  }
  // Of a judge that looks at the lowered program: `look` gives its violations.
  template <class Look>
  std::vector<Finding> OfProgram(JudgeId judge, Look look) {
    std::vector<Finding> findings;
    if (const Result<LoweredKernel>& program = Lowered()) {
      Add(findings, judge, {"", 0, look(*program)});
    } else {
      findings.push_back({judge, program.error().kind, "", program.error().ToString()});
    }
    return findings;
  }
  std::vector<Finding> Races() {
    return OfProgram(JudgeId::kRaces, [&](const LoweredKernel& played) {
      return CheckRaces(
                 {*of.kernel, played.program, Placement{played.memory.addresses}, *of.target})
          .violations;
    });
  }
  std::vector<Finding> ReachingWriters() {
    return OfProgram(JudgeId::kReachingWriter, [&](const LoweredKernel& played) {
      return CheckReachingWriters(*of.original, *of.kernel, Placement{played.memory.addresses})
          .violations;
    });
  }
  // Of a judge that plays it: `play` is given a player, kept from case to case, and the case.
  template <class Play>
  std::vector<Finding> OfRun(JudgeId judge, Play play) {
    static thread_local CasePlayer player;
    return OfProgram(judge, [&](const LoweredKernel& played) {
      return play(player,
                  PlayedCase{*of.kernel, played, *of.target, TheInputs(), Reference().dram});
    });
  }
  std::vector<Finding> Execution() {
    return OfRun(JudgeId::kExecution,
                 [](CasePlayer& player, const PlayedCase& played) { return player.Play(played); });
  }
  std::vector<Finding> Streaming() {
    return OfRun(JudgeId::kStreaming, [](CasePlayer& player, const PlayedCase& played) {
      return player.PlayStreaming(played);
    });
  }
  std::vector<Finding> Timing() {
    return OfRun(JudgeId::kTiming, [](CasePlayer& player, const PlayedCase& played) {
      return player.PlayAtOtherTimes(played, kRandomPlans, kInputSeed);
    });
  }
  std::vector<Finding> Shadow();
  std::vector<Finding> Relations() const;
};

std::vector<Finding> JudgedCase::Parts::Shadow() {
  std::vector<Finding> findings;
  const PlacedRun run =
      RunPlaced(*of.kernel, *of.placement, of.sbuf_bytes, of.target->sbuf_granule, TheInputs());
  for (const std::string& fault : run.faults) {
    findings.push_back({JudgeId::kShadow, Kind::kWrongValue, "", fault});
  }
  for (const auto& [name, data] : run.outputs) {
    if (Reference().dram.at(name).bytes == data.bytes) continue;
    findings.push_back({JudgeId::kShadow, Kind::kDataMismatch, name, name + " differs"});
  }
  return findings;
}

std::vector<Finding> JudgedCase::Parts::Relations() const {
  std::vector<Finding> findings;
  // The relations are of kernels whose author placed nothing.
  const bool placed = std::any_of(of.original->tensors.begin(), of.original->tensors.end(),
                                  [](const Tensor& tensor) { return !tensor.at.empty(); });
  if (placed) return findings;
  const std::uint64_t seed =
      1009 * of.original->instructions.size() + static_cast<std::uint64_t>(of.sbuf_bytes.value);
  const RelationCase c{*of.original, of.sbuf_bytes, *of.target, ClosedFormFor(*of.target), seed};
  for (const PropertyRow& row : AllProperties()) {
    if (row.kind == PropertyKind::kPass) continue;
    for (const std::string& fault : row.of_case(c).faults) {
      findings.push_back({JudgeId::kRelations, Kind::kWrongValue, std::string(row.name), fault});
    }
  }
  return findings;
}

JudgedCase::JudgedCase(const Allocated& allocated) : parts_(std::make_unique<Parts>()) {
  SPILLWAY_CHECK(allocated.sbuf_bytes <= allocated.target->sbuf_usable_bytes.value,
                 "a case has no more memory than its target");
  parts_->of = allocated;
}
JudgedCase::~JudgedCase() = default;

std::vector<Finding> JudgedCase::Ask(JudgeId judge) {
  switch (judge) {
    case JudgeId::kLegality: return parts_->Placed(judge, false);
    case JudgeId::kOverlap: return parts_->Placed(judge, true);
    case JudgeId::kDataflow: return parts_->Dataflow();
    case JudgeId::kEquations: return parts_->Equations();
    case JudgeId::kReachingWriter: return parts_->ReachingWriters();
    case JudgeId::kRaces: return parts_->Races();
    case JudgeId::kExecution: return parts_->Execution();
    case JudgeId::kStreaming: return parts_->Streaming();
    case JudgeId::kTiming: return parts_->Timing();
    case JudgeId::kShadow: return parts_->Shadow();
    case JudgeId::kRelations: return parts_->Relations();
    case JudgeId::kProgress: break;
  }
  SPILLWAY_CHECK(false, "this judge isn't asked");
  return {};
}

}  // namespace spillway
