#include "model/alloc/nki/decorators.h"

#include "model/alloc/nki/guards.h"

namespace spillway::nki {
namespace {

const CompileOpts* OptsOf(const Decorable& func) {
  if (const JitKernel* kernel = std::get_if<JitKernel>(&func)) return &kernel->opts();
  const std::optional<CompileOpts>& opts = std::get<PlainObject>(func).opts();
  return opts ? &*opts : nullptr;
}

Result<JitKernel> Updated(const Decorable& func, const std::vector<Attr>& fields) {
  const JitKernel* kernel = std::get_if<JitKernel>(&func);
  if (kernel == nullptr) return Fail(NotAKernel());
  Result<CompileOpts> opts = Replace(kernel->opts(), fields);
  if (!opts) return Fail(std::move(opts.error()));
  return CopyKernel(*kernel, *std::move(opts));
}

}  // namespace

Decorator UpdateCompileOpts(std::vector<Attr> fields) {
  return [fields = std::move(fields)](const Decorable& func) { return Updated(func, fields); };
}

Result<JitKernel> SkipMiddleEndTransformations(const Decorable& func) {
  return Updated(func, {{"skip_middle_end", true}});
}

Decorator SkipMiddleEndTransformations() {
  return [](const Decorable& func) { return SkipMiddleEndTransformations(func); };
}

Result<JitKernel> OverridePlatformTargetForTest(const Decorable& func,
                                                const std::optional<std::string>& platform_target) {
  return Updated(
      func, {{"platform_target", platform_target ? AttrValue(*platform_target) : AttrValue()}});
}

Decorator OverridePlatformTargetForTest(std::optional<std::string> platform_target) {
  return [target = std::move(platform_target)](const Decorable& func) {
    return OverridePlatformTargetForTest(func, target);
  };
}

Result<JitKernel> ForceAutoAlloc(const Decorable& func) {
  const JitKernel* kernel = std::get_if<JitKernel>(&func);
  if (kernel == nullptr) return Fail(NotAKernel());
  if (const std::optional<AllocatorType> set = kernel->opts().allocator_class())
    return Fail(ForceAutoAllocWithAllocator(*set));
  return Updated(func, {{"force_auto_alloc", true}});
}

Decorator ForceAutoAlloc() {
  return [](const Decorable& func) { return ForceAutoAlloc(func); };
}

Decorator UpdateAllocator(AllocatorType allocator_type) {
  return [allocator_type](const Decorable& func) -> Result<JitKernel> {
    const CompileOpts* opts = OptsOf(func);
    if (opts == nullptr) return Fail(NoOpts(std::get<PlainObject>(func).name()));
    if (opts->allocator_type() && *opts->allocator_type() != allocator_type)
      return Fail(AllocatorAlreadySet(*opts->allocator_type()));
    if (opts->force_auto_alloc()) return Fail(AllocatorWithForceAutoAlloc(allocator_type));
    if (opts->opt_level() != OptLevel::kSkipMiddleEnd) return Fail(AllocatorWithoutSkipMiddleEnd());
    return Updated(func, {{"allocator_type", std::string(AllocatorTypeName(allocator_type))},
                          {"skip_allocators", true}});
  };
}

Result<JitKernel> EnableStackAllocator(const Decorable& func, int log_level) {
  return EnableStackAllocator(log_level)(func);
}

Decorator EnableStackAllocator(int /*log_level*/) { return UpdateAllocator(AllocatorType::kStack); }

Result<JitKernel> Stack(const std::vector<Decorator>& decorators, const Decorable& func) {
  Decorable decorated = func;
  for (auto decorator = decorators.rbegin(); decorator != decorators.rend(); ++decorator) {
    SPILLWAY_CHECK(*decorator != nullptr, "a stack holds decorators");
    Result<JitKernel> kernel = (*decorator)(decorated);
    if (!kernel) return kernel;
    decorated = *std::move(kernel);
  }
  if (JitKernel* kernel = std::get_if<JitKernel>(&decorated)) return std::move(*kernel);
  return Fail(NotAKernel());
}

}  // namespace spillway::nki
