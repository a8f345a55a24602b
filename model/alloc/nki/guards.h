// What the option decorators refuse. The texts are NKI's own, since people search for them.
#pragma once

#include <string_view>

#include "model/alloc/nki/compile_opts.h"

namespace spillway::nki {

/// Code nki-not-a-kernel.
Error NotAKernel();
/// Code nki-no-opts: a guard wants to read options, and `name` has none.
Error NoOpts(std::string_view name);
/// Code nki-allocator-already-set; `set` is the one that the kernel has.
Error AllocatorAlreadySet(AllocatorType set);
/// Code nki-allocator-with-force-auto-alloc; `wanted` came second.
Error AllocatorWithForceAutoAlloc(AllocatorType wanted);
/// Code nki-force-auto-alloc-with-allocator; `set` came first.
Error ForceAutoAllocWithAllocator(AllocatorType set);
/// Code nki-allocator-without-skip-middle-end.
Error AllocatorWithoutSkipMiddleEnd();

}  // namespace spillway::nki
