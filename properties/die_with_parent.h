// Forked workers that don't outlive who forked them.
#pragma once

#include <sys/types.h>

namespace spillway {

/// For the child, right after a fork by a thread of `parent` that lives as long as the child is to:
/// it is killed when that thread ends, however that comes about.
void DieWithParent(pid_t parent);

}  // namespace spillway
