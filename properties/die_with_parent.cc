#include "properties/die_with_parent.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace spillway {

void DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before we asked.
  if (getppid() != parent) _exit(1);
}

}  // namespace spillway
