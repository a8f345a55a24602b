#include "sim/tool/kernel_plan.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "model/alloc/baseline/find_allocator.h"
#include "model/alloc/nki/compile_plan.h"
#include "model/alloc/nki/opts_json.h"

namespace spillway {
namespace {

bool IsBase64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

// JSON of options begins with a brace, and no JSON but a number or a word as base64 does.
Result<nki::CompileOpts> ReadOpts(const std::string& path) {
  const auto named = [&](Error error) {
    error.file = path;
    return Fail(std::move(error));
  };
  std::ifstream file(path, std::ios::binary);
  std::string text;
  // One byte too many is enough to see that it's too long, and nothing larger is held.
  text.resize(2 * nki::kMaxOptsJsonBytes + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.eof() && text.empty()) {
    return named({Kind::kFile, "opts-not-read",
                  "expected a file of compile options, found none that can be read", path, 0});
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && IsBase64(text[first])) {
    // Tools that encode break lines.
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    const auto config = nki::DecodeBackendConfig(text);
    if (!config) return named(config.error());
    return config->opts;
  }
  Result<nki::CompileOpts> opts = nki::CompileOptsFromJson(text);
  if (!opts) return named(opts.error());
  return opts;
}

std::string AllocatorOf(nki::PlannedAllocator planned) {
  switch (planned) {
    case nki::PlannedAllocator::kStack: return "stack";
    case nki::PlannedAllocator::kLinearScan: return "linear-scan";
    case nki::PlannedAllocator::kColoring:
    case nki::PlannedAllocator::kAuthor: break;
  }
  return std::string(kDefaultAllocator);
}

}  // namespace

Result<KernelPlan> PlanKernel(const Kernel& kernel, const ToolOptions& options) {
  const Result<nki::CompileOpts> opts =
      options.opts.empty() ? nki::Replace({}, kernel.opts, "opts.") : ReadOpts(options.opts);
  if (!opts) return Fail(opts.error());
  const Result<nki::CompilePlan> compile = nki::PlanCompile(*opts);
  if (!compile) return Fail(compile.error());

  KernelPlan plan;
  plan.target = compile->target.value_or(kernel.target);
  plan.allocator = AllocatorOf(compile->allocator);
  plan.reallocate = compile->ignore_at || options.reallocate;
  plan.author_places = compile->allocator == nki::PlannedAllocator::kAuthor;
  if (compile->ignore_at)
    plan.notes.emplace_back("by its option force_auto_alloc, the kernel's addresses are ignored");
  if (!options.target.empty()) {
    if (compile->target)
      plan.notes.push_back(fmt::format("--target {} stands in for the option platform_target {}",
                                       options.target, *compile->target));
    plan.target = options.target;
  }
  if (options.allocator != kDefaultAllocator) {
    if (plan.author_places || plan.allocator != kDefaultAllocator)
      plan.notes.push_back(
          fmt::format("--allocator {} stands in for what the options ask for", options.allocator));
    plan.allocator = options.allocator;
    plan.author_places = false;
  }
  if (plan.author_places && options.reallocate) {
    plan.notes.emplace_back("--reallocate brings back the allocators that skip_allocators skips");
    plan.author_places = false;
  }
  if (options.best_of > 1 && plan.allocator != kDefaultAllocator) {
    plan.notes.push_back(
        fmt::format("--best-of {} changes nothing: by its options, the allocator {} "
                    "stands in for the colourer",
                    options.best_of, plan.allocator));
  }
  return plan;
}

}  // namespace spillway
