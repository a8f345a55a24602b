#include "model/alloc/baseline/orphan_guard.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace spillway {
namespace {

// No groups have these numbers.
constexpr pid_t kAllIsWell = 0;  // the holder has cleaned up itself
constexpr pid_t kNoGroup = -1;

ssize_t ReadNumber(pid_t& number) {
  while (true) {
    const ssize_t count = read(STDIN_FILENO, &number, sizeof number);
    if (count >= 0 || errno != EINTR) return count;
  }
}

// Only calls that are safe in a signal handler, since other threads of the holder may have locks.
[[noreturn]] void Watch(int told, const char* folder) {
  // Out of the reach of an interrupt from the terminal.
  setpgid(0, 0);
  dup2(told, STDIN_FILENO);
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  // The holder's files must not stay open because of this, least of all the ends of other guards.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  pid_t group = 0;
  pid_t number = 0;
  // Each number is a packet.
  while (ReadNumber(number) == static_cast<ssize_t>(sizeof number)) {
    if (number == kAllIsWell) _exit(0);
    group = number;
  }
  if (group > 0) kill(-group, SIGKILL);
  if (*folder == '\0') _exit(0);
  const std::array<const char*, 5> remove = {"/bin/rm", "-rf", "--", folder, nullptr};
  execv(remove[0], const_cast<char* const*>(remove.data()));
  _exit(1);
}

// Signals that a terminal or a service sends: one that comes before the guard has left the group
// must not end it.
sigset_t Interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  return signals;
}

void Tell(int file, pid_t number) {
  // Without a signal where the guard is gone.
  while (send(file, &number, sizeof number, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace

OrphanGuard::OrphanGuard(const std::string& folder) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  const sigset_t interrupts = Interrupts();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &interrupts, &before);
  guard_ = fork();
  if (guard_ == 0) {
    close(ends[1]);
    Watch(ends[0], folder.c_str());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[0]);
  tell_ = ends[1];
}

OrphanGuard::~OrphanGuard() {
  if (guard_ > 0) Tell(tell_, kAllIsWell);
  if (tell_ >= 0) close(tell_);
  while (guard_ > 0 && waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void OrphanGuard::TellGroup() const { Tell(tell_, getpid()); }
void OrphanGuard::ForgetGroup() const { Tell(tell_, kNoGroup); }

}  // namespace spillway
