// The six decorators that choose a kernel's compile options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/alloc/nki/jit_kernel.h"

namespace spillway::nki {

/// A function or object that @nki.jit didn't make. Some have an attribute `opts` all the same.
class PlainObject {
 public:
  explicit PlainObject(std::string name, std::optional<CompileOpts> opts = std::nullopt)
      : name_(std::move(name)), opts_(std::move(opts)) {}
  const std::string& name() const { return name_; }
  const std::optional<CompileOpts>& opts() const { return opts_; }

 private:
  std::string name_;
  std::optional<CompileOpts> opts_;
};

/// What may stand below a decorator; all but a kernel is refused there.
using Decorable = std::variant<JitKernel, PlainObject>;

/// Gives a new kernel and leaves its argument as it is.
using Decorator = std::function<Result<JitKernel>(const Decorable&)>;

// Four decorators have two forms, `Deco(kernel)` and `Deco()(kernel)`, with the same result. (The
// seed's listing, taken by the letter, would hand the function to the factory
// `update_compile_opts`, which takes none; its text and the two public forms are what counts.)

/// Replaces the named fields.
/// Errors: nki-not-a-kernel before anything else, then those of `Replace`.
/// Source: seed 000 §2.
Decorator UpdateCompileOpts(std::vector<Attr> fields);

/// Sets skip_middle_end, and opt_level with it: what `UpdateAllocator` asks for.
/// Errors: nki-not-a-kernel. Source: seed 000 §3.1.
Result<JitKernel> SkipMiddleEndTransformations(const Decorable& func);
Decorator SkipMiddleEndTransformations();

/// Sets platform_target; nothing, the default, is the kernel's own target again.
/// Errors: nki-not-a-kernel, nki-empty-target. Source: seed 000 §3.2; the default is inferred
/// there.
Result<JitKernel> OverridePlatformTargetForTest(
    const Decorable& func, const std::optional<std::string>& platform_target = std::nullopt);
Decorator OverridePlatformTargetForTest(std::optional<std::string> platform_target = std::nullopt);

/// Sets force_auto_alloc: addresses inside the kernel are ignored.
/// Errors: nki-not-a-kernel, nki-force-auto-alloc-with-allocator. Source: seed 000 §3.3.
Result<JitKernel> ForceAutoAlloc(const Decorable& func);
Decorator ForceAutoAlloc();

/// Sets allocator_type and skip_allocators. The same allocator may be set twice.
/// Errors, in this order: nki-no-opts, nki-allocator-already-set,
/// nki-allocator-with-force-auto-alloc, nki-allocator-without-skip-middle-end, nki-not-a-kernel.
/// The guards read options before anybody asks whether this is a kernel.
/// Source: seed 000 §4.
Decorator UpdateAllocator(AllocatorType allocator_type);

/// Python's logging.CRITICAL; the seed's text calls it WARNING, which is 30. Source:
/// nki_surface.md.
inline constexpr int kDefaultLogLevel = 50;

/// `UpdateAllocator(AllocatorType::kStack)`. `log_level` has no effect.
/// Errors: those of `UpdateAllocator`. Source: seed 000 §5.
Result<JitKernel> EnableStackAllocator(const Decorable& func, int log_level = kDefaultLogLevel);
Decorator EnableStackAllocator(int log_level = kDefaultLogLevel);

/// `func` under a stack of decorators as it stands above a Python function: outermost first. The
/// innermost is applied first, and each sees the options that those below it set.
/// Errors: the first decorator's that refuses; nki-not-a-kernel where there is no decorator and
/// `func` isn't a kernel.
/// Source: seed 000 §6.
Result<JitKernel> Stack(const std::vector<Decorator>& decorators, const Decorable& func);

}  // namespace spillway::nki
