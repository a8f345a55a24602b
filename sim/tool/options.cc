#include "sim/tool/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <limits>
#include <sstream>

#include "model/alloc/baseline/find_allocator.h"
#include "model/hw/target.h"
#include "sim/tool/oracle.h"
#include "sim/tool/version.h"

namespace spillway {
namespace {

constexpr int kWrongUsage = 2;

// Options as CLI11 fills them in, before they get their types.
struct RawOptions {
  std::int64_t sbuf_bytes = 0;
  std::int64_t psum_banks = 0;
  std::string values = "numeric";
};

// A kernel file's numbers have a sign, so seeds have none of the upper half.
constexpr std::uint64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
// Half of that, so that the sum of two of them is a number, too.
constexpr std::uint64_t kMostCases = kMostSeed / 2;
constexpr std::int64_t kMostAttempts = 10'000;
constexpr std::int64_t kMostUnits = std::numeric_limits<std::int64_t>::max();

// Takes what is written as a number in [least, most] and nothing else: the parser itself would take
// the nearest number that fits.
template <class Number>
CLI::Validator Within(Number least, Number most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return CLI::Validator(
      [=](const std::string& text) {
        Number number{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_all = error == std::errc() && end == text.data() + text.size();
        // Written so that what isn't a number at all lies outside.
        if (is_all && number >= least && number <= most) return std::string();
        return fmt::format("{}: expected a number from {}", text, range);
      },
      range);
}

void AddInputs(CLI::App& app, ToolOptions& options, const std::string& what) {
  app.add_option("kernels", options.files, what)->required()->type_name("FILE");
}

void AddCommon(CLI::App& app, ToolOptions& options, RawOptions& raw) {
  app.add_option("--json", options.json, "write the report as JSON; - for standard output")
      ->type_name("FILE");
  app.add_option("--target", options.target,
                 "trn1, trn2, trn3, inf1 or a target file; default: the kernel's own");
  app.add_option("--sbuf-bytes", raw.sbuf_bytes,
                 "usable SBUF bytes per partition; fewer force spills")
      ->check(Within<std::int64_t>(1, kMostUnits));
  app.add_option("--psum-banks", raw.psum_banks, "PSUM banks to use")
      ->check(Within<std::int64_t>(1, kMostUnits));
}

// What NKI's authors say of their kernels.
void AddNki(CLI::App& app, ToolOptions& options) {
  app.add_option(
         "--opts", options.opts,
         "compile options in place of the kernel's own: JSON, or a call's backend_config in "
         "base64 (docs/nki.md)")
      ->type_name("FILE");
  app.add_flag(
      "--mixing-per-space", options.mixing_per_space,
      "a kernel may allocate SBUF directly and PSUM automatically, or the other way; check "
      "then looks at the one that has places");
}

void AddOracle(CLI::App& app, ToolOptions& options) {
  app.add_option("--oracle", options.oracle,
                 "what prices spills: measured: probes of the simulated machine; closed-form: the "
                 "compiler's formulas; calibrated: the published costs")
      ->check(CLI::IsMember(std::vector<std::string>(kOracleNames.begin(), kOracleNames.end())))
      ->capture_default_str();
}

void AddAllocator(CLI::App& app, ToolOptions& options) {
  std::string allocators;
  for (const AllocatorRow& row : Allocators())
    allocators += fmt::format("{}: {}; ", row.name, row.what);
  app.add_option("--allocator", options.allocator,
                 allocators +
                     "external:COMMAND: your own, by `COMMAND KERNEL_IN PLACED_OUT` "
                     "(docs/external_allocators.md)")
      ->capture_default_str();
  app.add_option("--allocator-seconds", options.allocator_limits.seconds,
                 "time that an external allocator has for a kernel")
      ->check(Within(0.001, 86400.0))
      ->capture_default_str();
  app.add_option("--allocator-megabytes", options.allocator_limits.megabytes,
                 "memory that each process of an external allocator may take")
      ->check(Within(1, 1 << 20))
      ->capture_default_str();
}

void AddReallocate(CLI::App& app, ToolOptions& options) {
  app.add_flag("--reallocate", options.reallocate, "ignore the addresses that the kernel gives");
}

void AddAllocation(CLI::App& app, ToolOptions& options) {
  AddAllocator(app, options);
  AddReallocate(app, options);
  app.add_flag("--stack-log", options.stack_log,
               "print the tree of scopes and tiles of --allocator stack, and its statistics");
  AddOracle(app, options);
  app.add_option("--best-of", options.best_of,
                 "orders that the colourer tries in each iteration; the one whose spills are "
                 "cheapest is kept")
      ->check(Within<std::int64_t>(1, kMostAttempts))
      ->capture_default_str();
}

void AddSimulation(CLI::App& app, ToolOptions& options, RawOptions& raw) {
  app.add_option("--values", raw.values,
                 "numeric: numbers; tags: hashes of inputs, fast; none: timing only")
      ->check(CLI::IsMember({"numeric", "tags", "none"}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the generated inputs")
      ->check(Within<std::uint64_t>(0, kMostSeed))
      ->capture_default_str();
  app.add_option("--report", options.report, "write a self-contained HTML report")
      ->type_name("FILE.html");
  app.add_option("--timeline", options.timeline, "write trace events for Perfetto")
      ->type_name("FILE.json");
  app.add_option("--tables", options.tables, "write CSV tables in the profiler's column names")
      ->type_name("DIR");
  app.add_option("--threads", options.threads, "worker threads; results don't depend on it")
      ->check(Within(1, 256))
      ->capture_default_str();
  app.add_option("--dump", options.dump, "write inputs and outputs as .npy files")
      ->type_name("DIR");
  app.add_option("--inputs", options.inputs, "read inputs from .npy files")->type_name("DIR");
}

void AddJudges(CLI::App& app, ToolOptions& options) {
  app.add_option("--judges", options.judges,
                 "all; static: those that never execute; or names, with commas; relations, of the "
                 "built-in colourer, by name alone")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "wall clock to shrink one failure")
      ->check(Within(0.001, 86400.0))
      ->capture_default_str();
}

CLI::App* AddGen(CLI::App& app, ToolOptions& options) {
  CLI::App* gen = app.add_subcommand("gen", "a random kernel, the same for the same seed and case");
  gen->add_option("--seed", options.seed, "seed of the run")
      ->check(Within<std::uint64_t>(0, kMostSeed))
      ->capture_default_str();
  gen->add_option("--case", options.first, "which case of the run")
      ->check(Within<std::uint64_t>(0, kMostCases))
      ->capture_default_str();
  gen->add_option("-o,--output", options.output,
                  "kernel file to write; .zst compresses; default: standard output")
      ->type_name("FILE");
  return gen;
}

CLI::App* AddShrink(CLI::App& app, ToolOptions& options, RawOptions& raw) {
  CLI::App* shrink = app.add_subcommand(
      "shrink", "the smallest kernel on which the allocator still fails in the same way");
  shrink->add_option("kernel", options.files, "kernel file")
      ->required()
      ->expected(1)
      ->type_name("FILE");
  shrink->add_option("-o,--output", options.output, "where the shrunk kernel goes")
      ->required()
      ->type_name("SHRUNK");
  AddCommon(*shrink, options, raw);
  AddAllocator(*shrink, options);
  AddReallocate(*shrink, options);
  AddJudges(*shrink, options);
  return shrink;
}

CLI::App* AddCampaign(CLI::App& app, ToolOptions& options) {
  CLI::App* campaign = app.add_subcommand(
      "campaign", "very many random kernels through an allocator and all judges");
  campaign->add_option("--seed", options.seed, "seed of the run")
      ->check(Within<std::uint64_t>(0, kMostSeed))
      ->capture_default_str();
  campaign->add_option("--first", options.first, "index of the first case")
      ->check(Within<std::uint64_t>(0, kMostCases))
      ->capture_default_str();
  campaign->add_option("--cases", options.cases, "how many cases")
      ->check(Within<std::uint64_t>(1, kMostCases))
      ->capture_default_str();
  campaign
      ->add_option("--execute-every", options.execute_every,
                   "judges that execute see every n-th case")
      ->check(Within<std::uint64_t>(1, kMostCases))
      ->capture_default_str();
  campaign->add_option("--threads", options.threads, "worker processes; results don't depend on it")
      ->check(Within(1, 256))
      ->capture_default_str();
  campaign->add_option("--corpus", options.corpus, "directory where shrunk failures are kept")
      ->type_name("DIR");
  campaign->add_option("--json", options.json, "write the report as JSON; - for standard output")
      ->type_name("FILE");
  AddAllocator(*campaign, options);
  AddJudges(*campaign, options);
  return campaign;
}

CLI::App* AddPipeline(CLI::App& app, ToolOptions& options) {
  CLI::App* pipeline = app.add_subcommand(
      "pipeline", "task pipelines: layout, races, deadlocks, clobbers, structure, replay");
  pipeline
      ->add_option("systems", options.files,
                   "pipeline files (.pipeline.json), or placed kernels, whose rotating tensors "
                   "become pipelines (.kernel.jsonl, .kernel.jsonl.zst)")
      ->required()
      ->type_name("FILE");
  pipeline->add_option("--json", options.json, "write an object a line; - for standard output")
      ->type_name("FILE");
  pipeline->add_option("--report", options.report, "write a self-contained HTML report")
      ->type_name("FILE.html");
  pipeline
      ->add_option("-o,--output", options.output,
                   "pipeline file to write the system of one placed kernel to")
      ->type_name("SYSTEM");
  pipeline->add_option("--states", options.max_states, "states that the exploration may reach")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  pipeline->add_option("--target", options.target,
                       "whose rates the replay takes: trn1, trn2, trn3, inf1 or a target file; "
                       "default: trn2");
  pipeline->add_option("--seed", options.seed, "seed of the replay's latency jitter")
      ->check(Within<std::uint64_t>(0, kMostSeed))
      ->capture_default_str();
  pipeline->add_flag_callback(
      "--no-replay", [&options] { options.play = false; }, "check without playing on the machine");
  return pipeline;
}

ParsedArguments UsageFailure(const std::string& why) {
  ParsedArguments parsed;
  parsed.stop = true;
  parsed.exit_code = kWrongUsage;
  parsed.text = "spillway: " + why + "\nRun with --help for more information.\n";
  return parsed;
}

std::optional<std::string> UsageError(const ToolOptions& options) {
  if (options.command == Command::kBench) {
    const bool needs_kernels = options.suite == "kernels";
    if (needs_kernels && options.files.empty()) return "bench --suite kernels needs kernel files";
    if (!needs_kernels && !options.files.empty()) {
      return fmt::format("bench --suite {} takes no kernel files", options.suite);
    }
    if (!needs_kernels && (!options.target.empty() || options.sbuf_bytes || options.psum_banks)) {
      return fmt::format("bench --suite {} has targets of its own: no --target and no limits",
                         options.suite);
    }
    if (needs_kernels && !options.json.empty()) {
      return "bench --suite kernels has no --json; the other suites do";
    }
  }
  if (options.best_of > 1 && options.allocator != kDefaultAllocator) {
    return fmt::format("--best-of {} is of the allocator {}; {} was asked for", options.best_of,
                       kDefaultAllocator, options.allocator);
  }
  const auto needs_one = [&](const std::string& value,
                             const char* name) -> std::optional<std::string> {
    if (value.empty() || options.files.size() == 1) return std::nullopt;
    return fmt::format("{} takes one kernel at a time; {} were given", name, options.files.size());
  };
  if (options.command == Command::kPipeline && !options.output.empty()) {
    if (auto error = needs_one(options.output, "--output")) return error;
    if (options.files.front().find(".kernel.jsonl") == std::string::npos)
      return "pipeline --output takes a placed kernel (.kernel.jsonl)";
  }
  if (options.command == Command::kPipeline && !options.of_pipeline_files.empty()) {
    for (const std::string& file : options.files) {
      if (file.find(".kernel.jsonl") == std::string::npos) continue;
      return fmt::format(
          "pipeline {} is for pipeline files, whose states are explored and which are played; {} "
          "is a kernel: write its system with -o first",
          options.of_pipeline_files.front(), file);
    }
  }
  if (auto error = needs_one(options.dump, "--dump")) return error;
  if (auto error = needs_one(options.inputs, "--inputs")) return error;
  if (auto error = needs_one(options.timeline, "--timeline")) return error;
  if (auto error = needs_one(options.tables, "--tables")) return error;
  for (const auto& [path, name] :
       {std::pair{&options.json, "--json"}, std::pair{&options.report, "--report"},
        std::pair{&options.timeline, "--timeline"}, std::pair{&options.output, "--output"}}) {
    const std::filesystem::path folder = std::filesystem::path(*path).parent_path();
    if (*path == "-" && path != &options.json) return fmt::format("{} takes a file, not -", name);
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
      return fmt::format("{} {}: the folder {} doesn't exist", name, *path, folder.string());
    }
  }
  std::error_code ignored;
  if (std::filesystem::exists(options.corpus, ignored) &&
      !std::filesystem::is_directory(options.corpus, ignored)) {
    return fmt::format("--corpus {}: a file; expected a directory", options.corpus);
  }
  if (!options.dump.empty() && options.values == ValueMode::kNone) {
    return "--dump needs data: --values numeric or tags";
  }
  if (const auto allocator = FindAllocator(options.allocator, options.allocator_limits); !allocator)
    return allocator.error().message;
  if (options.target.empty()) return std::nullopt;
  // A name that is neither a target nor a file is a slip of the command line.
  const Result<Target> target = FindTarget(options.target);
  if (!target && target.error().code == "unknown-target") return target.error().message;
  return std::nullopt;
}

ValueMode ParseValueMode(const std::string& name) {
  if (name == "tags") return ValueMode::kTags;
  return name == "none" ? ValueMode::kNone : ValueMode::kNumeric;
}

}  // namespace

std::string_view ValueModeName(ValueMode mode) {
  switch (mode) {
    case ValueMode::kNumeric: return "numeric";
    case ValueMode::kTags: return "tags";
    case ValueMode::kNone: return "none";
  }
  return "unknown";
}

ParsedArguments ParseArguments(int argc, const char* const* argv) {
  ParsedArguments parsed;
  ToolOptions& options = parsed.options;
  RawOptions raw;
  CLI::App app{"Verifies scratchpad allocations of accelerator kernels on a simulated NeuronCore.",
               "spillway"};
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all checks hold; 1 a check failed; 2 wrong usage; 3 a bad input file; 4 it "
      "can't be "
      "allocated. With several inputs, the highest; every input is processed.\n"
      "`spillway COMMAND --help` lists a command's options.");

  CLI::App* run =
      app.add_subcommand("run", "allocate, check, simulate with data, compare with the reference");
  AddInputs(*run, options, "kernel files (.kernel.jsonl, .kernel.jsonl.zst)");
  AddCommon(*run, options, raw);
  AddNki(*run, options);
  AddAllocation(*run, options);
  AddSimulation(*run, options, raw);

  CLI::App* alloc =
      app.add_subcommand("alloc", "only allocate: write the kernel with its places and spill code");
  alloc->add_option("kernel", options.files, "kernel file")
      ->required()
      ->expected(1)
      ->type_name("FILE");
  alloc->add_option("-o,--output", options.output, "placed kernel to write; .zst compresses")
      ->required()
      ->type_name("PLACED");
  AddCommon(*alloc, options, raw);
  AddNki(*alloc, options);
  AddAllocation(*alloc, options);

  CLI::App* check = app.add_subcommand("check", "only the static checkers, on anybody's placement");
  AddInputs(*check, options, "placed kernel files");
  AddCommon(*check, options, raw);
  AddNki(*check, options);

  CLI::App* replay = app.add_subcommand("replay", "simulate placed kernels as they are");
  AddInputs(*replay, options, "placed kernel files");
  AddCommon(*replay, options, raw);
  AddNki(*replay, options);
  AddSimulation(*replay, options, raw);

  CLI::App* targets =
      app.add_subcommand("targets", "every number of the hardware, with source and confidence");
  targets->add_option("--target", options.target, "only this one: a name or a target file");
  targets->add_option("--json", options.json, "write as JSON; - for standard output")
      ->type_name("FILE");

  CLI::App* hwm = app.add_subcommand(
      "hwm", "latencies by the closed form, the calibrated rows and the measured machine");
  hwm->add_option("--target", options.target, "only this one: a name or a target file");
  hwm->add_option("--json", options.json, "write as JSON; - for standard output")
      ->type_name("FILE");

  targets->add_flag("--rules", options.rules,
                    "also every rule of time, with its numbers, source and confidence");

  CLI::App* bench =
      app.add_subcommand("bench", "the figures that the README quotes, beside a yardstick");
  bench->add_option("kernels", options.files, "kernel files, for --suite kernels")
      ->type_name("FILE");
  bench
      ->add_option(
          "--suite", options.suite,
          "kernels: time and memory of the given ones; machine: speed of the model; "
          "published: simulated against measured on hardware; properties: random kernels "
          "a second, by stage; pipelines: events and states a second of the engines that judge "
          "task pipelines")
      ->check(CLI::IsMember({"kernels", "machine", "published", "properties", "pipelines"}))
      ->capture_default_str();
  AddCommon(*bench, options, raw);
  AddOracle(*bench, options);

  CLI::App* gen = AddGen(app, options);
  CLI::App* shrink = AddShrink(app, options, raw);
  CLI::App* campaign = AddCampaign(app, options);
  CLI::App* pipeline = AddPipeline(app, options);

  if (argc > 1 && argv[1][0] != '-') {
    std::string known;
    bool is_known = false;
    for (const CLI::App* command :
         {run, alloc, check, replay, gen, shrink, campaign, pipeline, targets, hwm, bench}) {
      known += (known.empty() ? "" : ", ") + command->get_name();
      is_known = is_known || command->get_name() == argv[1];
    }
    if (!is_known)
      return UsageFailure(fmt::format("unknown command '{}'; expected one of {}", argv[1], known));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    parsed.stop = true;
    parsed.exit_code = code == 0 ? 0 : kWrongUsage;
    parsed.text = code == 0 ? out.str() : err.str();
    return parsed;
  }
  options.command = run->parsed()        ? Command::kRun
                    : alloc->parsed()    ? Command::kAlloc
                    : check->parsed()    ? Command::kCheck
                    : replay->parsed()   ? Command::kReplay
                    : hwm->parsed()      ? Command::kHwm
                    : bench->parsed()    ? Command::kBench
                    : gen->parsed()      ? Command::kGen
                    : shrink->parsed()   ? Command::kShrink
                    : campaign->parsed() ? Command::kCampaign
                    : pipeline->parsed() ? Command::kPipeline
                                         : Command::kTargets;
  for (const char* const name : {"--states", "--target", "--seed", "--no-replay"}) {
    if (pipeline->parsed() && pipeline->count(name) > 0) options.of_pipeline_files.push_back(name);
  }
  if (raw.sbuf_bytes > 0) options.sbuf_bytes = Bytes(raw.sbuf_bytes);
  if (raw.psum_banks > 0) options.psum_banks = BankCount(raw.psum_banks);
  options.values = ParseValueMode(raw.values);
  if (const auto error = UsageError(options)) return UsageFailure(*error);
  return parsed;
}

}  // namespace spillway
