#include "properties/isolated.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>

#include "model/hw/error.h"
#include "properties/die_with_parent.h"

namespace spillway {
namespace {

constexpr char kDoneMark = 'd';
constexpr char kThrewMark = 't';

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void Child(const std::function<std::string()>& work, const IsolationLimits& limits,
                        int file) {
  if (limits.megabytes > 0) {
    const rlim_t bytes = static_cast<rlim_t>(limits.megabytes) << 20;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  char mark = kDoneMark;
  std::string answer;
  try {
    answer = work();
  } catch (const std::exception& bug) {
    mark = kThrewMark;
    answer = bug.what();
  }
  WriteAll(file, std::string_view(&mark, 1));
  WriteAll(file, answer);
  // Without the parent's exit handlers and buffers.
  _exit(0);
}

// Reads until the child closes its end; false where `seconds` pass first.
bool ReadAll(int file, double seconds, std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::array<char, 1 << 16> buffer;
  while (true) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const double left = seconds - spent.count();
    if (left <= 0) return false;
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left * 1000) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) continue;
    const ssize_t n = read(file, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

Isolated RunIsolated(const std::function<std::string()>& work, const IsolationLimits& limits) {
  std::array<int, 2> ends{};
  SPILLWAY_CHECK(pipe(ends.data()) == 0, "a pipe can be opened");
  const pid_t parent = getpid();
  const pid_t child = fork();
  SPILLWAY_CHECK(child >= 0, "a process can be forked");
  if (child == 0) {
    DieWithParent(parent);
    close(ends[0]);
    Child(work, limits, ends[1]);
  }
  close(ends[1]);
  std::string text;
  const bool in_time = ReadAll(ends[0], limits.seconds, text);
  if (!in_time) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return {Ending::kTimedOut, "", fmt::format("more than {} s", limits.seconds)};
  if (WIFSIGNALED(status)) {
    return {Ending::kCrashed, "",
            fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  }
  if (text.empty() || WEXITSTATUS(status) != 0) {
    return {Ending::kCrashed, "", fmt::format("exit status {}", WEXITSTATUS(status))};
  }
  return {text.front() == kDoneMark ? Ending::kDone : Ending::kThrew, text.substr(1),
          text.front() == kDoneMark ? "" : text.substr(1)};
}

}  // namespace spillway
