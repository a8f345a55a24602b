// The tool's entry point.
#include <exception>
#include <iostream>

#include "sim/tool/bench_command.h"
#include "sim/tool/campaign_command.h"
#include "sim/tool/gen_command.h"
#include "sim/tool/hwm_command.h"
#include "sim/tool/kernel_commands.h"
#include "sim/tool/options.h"
#include "sim/tool/pipeline_command.h"
#include "sim/tool/shrink_command.h"
#include "sim/tool/targets_command.h"

// libsystemc asks for it; the tool has its own main and never calls it.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  const spillway::ParsedArguments parsed = spillway::ParseArguments(argc, argv);
  if (parsed.stop) {
    (parsed.exit_code == 0 ? std::cout : std::cerr) << parsed.text;
    return parsed.exit_code;
  }
  try {
    switch (parsed.options.command) {
      case spillway::Command::kTargets: return spillway::TargetsCommand(parsed.options);
      case spillway::Command::kHwm: return spillway::HwmCommand(parsed.options);
      case spillway::Command::kBench: return spillway::BenchCommand(parsed.options);
      case spillway::Command::kGen: return spillway::GenCommand(parsed.options);
      case spillway::Command::kShrink: return spillway::ShrinkCommand(parsed.options);
      case spillway::Command::kCampaign: return spillway::CampaignCommand(parsed.options);
      case spillway::Command::kPipeline: return spillway::PipelineCommand(parsed.options);
      default: return spillway::KernelCommand(parsed.options);
    }
  } catch (const std::exception& bug) {
    std::cerr << "spillway: a bug of this tool: " << bug.what()
              << "\nPlease report it with the kernel file.\n";
    return 1;
  }
}
