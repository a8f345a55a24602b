#include "model/alloc/check_task/check_structure.h"

#include <algorithm>
#include <array>
#include <set>

#include "model/alloc/check_task/structure_parts.h"
#include "model/hw/error.h"

namespace spillway::task {
namespace {

struct CodeRow {
  StructureCode code;
  std::string_view name;
};

constexpr std::array kRows = {
    CodeRow{StructureCode::kNoProducer, "pipeline.no-producer"},
    CodeRow{StructureCode::kUnbalanced, "pipeline.unbalanced"},
    CodeRow{StructureCode::kOutside, "bracket.outside"},
    CodeRow{StructureCode::kUnopened, "bracket.unopened"},
    CodeRow{StructureCode::kTooDeep, "bracket.too-deep"},
    CodeRow{StructureCode::kEarlyRelease, "order.early-release"},
    CodeRow{StructureCode::kPipelineKind, "pipeline.kind"},
    CodeRow{StructureCode::kEdgeUnbacked, "graph.edge-unbacked"},
};
constexpr auto kCodes = [] {
  std::array<StructureCode, kRows.size()> codes{};
  for (std::size_t i = 0; i < kRows.size(); ++i) codes[i] = kRows[i].code;
  return codes;
}();

}  // namespace

std::span<const StructureCode> AllStructureCodes() { return kCodes; }

std::string_view StructureCodeName(StructureCode code) {
  const auto index = static_cast<std::size_t>(code);
  SPILLWAY_CHECK(index < kRows.size() && kRows[index].code == code, "rows stand in enum order");
  return kRows[index].name;
}

void SyncCounts::Add(OperationKind kind) {
  switch (kind) {
    case OperationKind::kAcquire: ++acquires; break;
    case OperationKind::kCommit: ++commits; break;
    case OperationKind::kWait: ++waits; break;
    case OperationKind::kRelease: ++releases; break;
    default: SPILLWAY_CHECK(false, "a part is an acquire, commit, wait or release");
  }
}

IdVector<TaskId, IdVector<PipelineId, SyncCounts>> CountSyncs(const PipelineSystem& system,
                                                              const Program& program) {
  IdVector<TaskId, IdVector<PipelineId, SyncCounts>> counts(
      program.steps.size(), IdVector<PipelineId, SyncCounts>(system.pipelines.size()));
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    for (const Step& step : program.steps[TaskId(t)]) {
      for (const SyncPart& part : program.PartsOf(step))
        counts[TaskId(t)][part.pipeline].Add(part.kind);
    }
  }
  return counts;
}

namespace {

std::vector<const Operation*> Unrolled(const std::vector<Operation>& operations) {
  std::vector<const Operation*> list;
  for (const Operation& operation : operations) {
    if (operation.kind != OperationKind::kLoop) {
      list.push_back(&operation);
      continue;
    }
    if (operation.trips < 1) continue;  // whatever is in it, in any number
    const std::vector<const Operation*> body = Unrolled(operation.body);
    if (body.empty()) continue;  // however often
    for (std::int64_t trip = 0; trip < operation.trips; ++trip)
      list.insert(list.end(), body.begin(), body.end());
  }
  return list;
}

}  // namespace

std::vector<const Operation*> UnrolledOperations(const Task& task) {
  return Unrolled(task.operations);
}

std::vector<StructureFinding> CheckStructure(const PipelineSystem& system, const Program& program) {
  std::vector<StructureFinding> findings;
  for (auto* check : {&CheckBalance, &CheckBrackets, &CheckEarlyReleases, &CheckGraph}) {
    for (StructureFinding& finding : check(system, program)) findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<std::string> StructureCodes(const std::vector<StructureFinding>& findings) {
  std::set<std::string> codes;
  for (const StructureFinding& finding : findings) codes.emplace(StructureCodeName(finding.code));
  return {codes.begin(), codes.end()};
}

}  // namespace spillway::task
