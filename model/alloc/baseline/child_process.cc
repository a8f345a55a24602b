#include "model/alloc/baseline/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace spillway {
namespace {

using Clock = std::chrono::steady_clock;

// How long a poll may take before the child's end is looked for again.
constexpr int kPollMilliseconds = 5;
constexpr int kExecFailed = 127;

Error NotStarted(const std::string& path, int error) {
  return {Kind::kAllocator, "process-not-started",
          fmt::format("{} can't be started: {}", path, std::strerror(error)), "", 0};
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// This process's environment with `additions` in place of what has their names: of two of one name
// some programs take the first and some the last.
std::vector<std::string> EnvironmentWith(const std::vector<std::string>& additions) {
  std::vector<std::string> all = additions;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool is_replaced =
        std::any_of(additions.begin(), additions.end(),
                    [&](const std::string& addition) { return addition.starts_with(name); });
    if (!is_replaced) all.emplace_back(text);
  }
  return all;
}

void Limit(__rlimit_resource_t resource, std::int64_t most) {
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  setrlimit(resource, &limit);
}

// Between fork and exec only calls that are safe in a signal handler: other threads may hold locks.
[[noreturn]] void BecomeChild(char* const* arguments, char* const* environment, int output,
                              const ChildLimits& limits, const OrphanGuard& guard) {
  setpgid(0, 0);
  guard.TellGroup();
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, static_cast<std::int64_t>(std::ceil(limits.seconds)) + 1);
  Limit(RLIMIT_AS, limits.megabytes * 1024 * 1024);
  if (limits.file_bytes > 0) Limit(RLIMIT_FSIZE, limits.file_bytes);
  execve(arguments[0], arguments, environment);
  _exit(kExecFailed);
}

// Keeps the end of a stream of bytes.
class Tail {
 public:
  explicit Tail(std::size_t most) : most_(most) {}

  void Add(std::string_view text) {
    bytes_ += text;
    if (bytes_.size() <= 2 * most_) return;
    Cut();
  }
  void MoveTo(ChildOutcome& outcome) {
    if (bytes_.size() > most_) Cut();
    outcome.output = std::move(bytes_);
    outcome.output_cut = cut_;
  }

 private:
  void Cut() {
    bytes_.erase(0, bytes_.size() - most_);
    cut_ = true;
  }

  std::size_t most_;
  std::string bytes_;
  bool cut_ = false;
};

// A running child: its group dies with this.
class Child {
 public:
  Child(pid_t pid, int output, std::size_t output_bytes)
      : pid_(pid), output_(output), tail_(output_bytes) {}
  ~Child() { close(output_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ChildOutcome WaitUntil(Clock::time_point deadline) {
    ChildOutcome outcome;
    while (!HasEnded()) {
      if (Clock::now() >= deadline) {
        outcome.end = ChildEnd::kTimedOut;
        break;
      }
      pollfd ready{output_, POLLIN, 0};
      // An output that was closed is ready for ever, so the wait is on no file then.
      poll(&ready, is_open_ ? 1 : 0, kPollMilliseconds);
      Drain();
    }
    // With all that it started and left behind. Until it is waited for, nobody else gets its
    // number.
    kill(-pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    Drain();
    tail_.MoveTo(outcome);
    if (outcome.end == ChildEnd::kTimedOut) return outcome;
    const bool exited = WIFEXITED(status);
    outcome.end = exited ? ChildEnd::kExited : ChildEnd::kSignalled;
    outcome.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
    return outcome;
  }

 private:
  bool HasEnded() const {
    siginfo_t info{};
    const int asked = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return asked == 0 && info.si_pid == pid_;
  }

  // At most a bounded piece, so that a child that never stops writing can't hold up the clock.
  void Drain() {
    std::array<char, 65536> piece;
    for (int i = 0; i < 16 && is_open_; ++i) {
      const ssize_t count = read(output_, piece.data(), piece.size());
      if (count == 0) is_open_ = false;
      if (count <= 0) return;
      tail_.Add({piece.data(), static_cast<std::size_t>(count)});
    }
  }

  pid_t pid_;
  int output_;
  bool is_open_ = true;
  Tail tail_;
};

}  // namespace

Result<ChildOutcome> RunChild(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const ChildLimits& limits, const OrphanGuard& guard) {
  SPILLWAY_CHECK(!arguments.empty(), "a process has a path");
  std::array<int, 2> ends{};
  // Closed on exec, so that children of other threads don't keep this one's output open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(NotStarted(arguments[0], errno));
  const std::vector<std::string> all = EnvironmentWith(environment);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(all);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limits.seconds));
  const pid_t pid = guard.IsWatching() ? fork() : -1;
  if (pid == 0) BecomeChild(argv.data(), envp.data(), ends[1], limits, guard);
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return Fail(NotStarted(arguments[0], error));
  }
  // In both processes, since either may come first.
  setpgid(pid, pid);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildOutcome outcome = Child(pid, ends[0], limits.output_bytes).WaitUntil(deadline);
  guard.ForgetGroup();
  return outcome;
}

Result<ChildOutcome> RunChild(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const ChildLimits& limits) {
  return RunChild(arguments, environment, limits, OrphanGuard(""));
}

}  // namespace spillway
