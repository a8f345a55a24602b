#include "model/alloc/declared/check_declared_tasks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/alloc/check_task/iteration_cut_off.h"
#include "model/alloc/task/codes.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/system_of_tasks.h"
#include "model/alloc/task/unroll.h"

namespace spillway::task {
namespace {

bool HasOperations(const TaskUse& use) {
  const TaskSchedule& schedule = use.schedule;
  return !schedule.head.empty() || !schedule.loop.empty() || !schedule.tail.empty();
}

bool IsEndless(const TaskUse& use) {
  return !use.schedule.loop.empty() && !use.schedule.iterations;
}

struct Declared {
  PipelineSystem system;
  std::optional<std::int64_t> assumed_iterations;
};

Result<Declared> SystemToProve(const DeclaredTasks& declared) {
  if (std::none_of(declared.tasks.begin(), declared.tasks.end(), HasOperations)) {
    return Fail(MakeError(Code::kLifecycle,
                          "declared tasks: expected operations in the schedule of at least one, "
                          "found none, which proves nothing"));
  }
  Result<PipelineSystem> once = SystemOfTasks(declared);
  if (!once) return Fail(std::move(once.error()));
  if (std::none_of(declared.tasks.begin(), declared.tasks.end(), IsEndless))
    return Declared{std::move(*once), std::nullopt};
  const Result<std::int64_t> iterations = IterationCutOff(*once);
  if (!iterations) return Fail(iterations.error());
  SystemOfTasksOptions options;
  options.iterations = *iterations;
  Result<PipelineSystem> system = SystemOfTasks(declared, options);
  if (!system) return Fail(std::move(system.error()));
  return Declared{std::move(*system), *iterations};
}

Result<std::vector<TmemFinding>> DutyFindings(const DeclaredTasks& declared, TmemDuties duties) {
  if (!duties.layout_columns && declared.allocators.tmem != nullptr) {
    const Result<Columns> total = declared.allocators.tmem->Total();
    if (!total) return Fail(total.error());
    duties.layout_columns = *total;
  }
  return CheckTmemDuties(duties);
}

}  // namespace

Result<DeclaredVerdict> CheckDeclaredTasks(const DeclaredTasks& declared,
                                           const DeclaredChecks& checks) {
  Result<Declared> proved = SystemToProve(declared);
  if (!proved) return Fail(std::move(proved.error()));
  PipelineSystem* const system = &proved->system;
  const Result<SystemLayout> layout = LayOutSystem(*system);
  if (!layout) return Fail(layout.error());
  Result<Program> program = Unroll(*system, *layout);
  if (!program) return Fail(std::move(program.error()));
  Result<Verdict> verdict = CheckSystem(*system, *program);
  if (!verdict) return Fail(std::move(verdict.error()));
  Result<std::vector<Finding>> findings =
      DescribeVerdict(*system, *program, *verdict, checks.max_witnesses);
  if (!findings) return Fail(std::move(findings.error()));
  if (!checks.registers.empty()) {
    if (const Result<void> fit = CheckRegisters(checks.registers); !fit)
      findings->push_back({fit.error().kind, fit.error().code, fit.error().message, std::nullopt});
  }
  if (checks.tmem_duties) {
    const auto duties = DutyFindings(declared, *checks.tmem_duties);
    if (!duties) return Fail(duties.error());
    for (const TmemFinding& finding : *duties) {
      findings->push_back({RowOf(finding.code).kind, std::string(CodeName(finding.code)),
                           finding.text, std::nullopt});
    }
  }
  return DeclaredVerdict{std::move(*system), proved->assumed_iterations, std::move(*program),
                         std::move(*verdict), std::move(*findings)};
}

DeclaredTasksValidator DeclaredTasksProof(DeclaredChecks checks) {
  return [checks = std::move(checks)](const DeclaredTasks& declared) {
    std::vector<Error> errors;
    Result<DeclaredVerdict> judged = CheckDeclaredTasks(declared, checks);
    if (!judged) {
      errors.push_back(std::move(judged.error()));
      return errors;
    }
    for (Finding& finding : judged->findings)
      errors.push_back({finding.kind, std::move(finding.code), std::move(finding.text), "", 0});
    return errors;
  };
}

}  // namespace spillway::task
