#include "tests/mutation/process.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "model/hw/error.h"

namespace spillway {
namespace {

constexpr rlim_t kMemory = rlim_t{4} << 30;
constexpr int kThrew = 3;
constexpr const char* kException = "crash: an exception";

void WriteAll(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

// False at the end of the file.
bool ReadSome(int file, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(file, buffer.data(), buffer.size());
  if (got <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

struct Child {
  pid_t pid = 0;
  int file = -1;
};

template <class Body>
Child Fork(Body body) {
  int ends[2];
  SPILLWAY_CHECK(pipe(ends) == 0, "a pipe");
  std::fflush(nullptr);
  const pid_t pid = fork();
  SPILLWAY_CHECK(pid >= 0, "a process");
  if (pid == 0) {
    close(ends[0]);
    body(ends[1]);
    // Nothing of the parent's is to be torn down twice.
    _exit(0);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

/// Waits for its end and gives its status.
int WaitFor(const Child& child) {
  close(child.file);
  int status = 0;
  waitpid(child.pid, &status, 0);
  return status;
}

std::string FailureOf(int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGALRM || signal == SIGPROF) return "hang: no answer in time";
  if (signal != 0) return std::string("crash: ") + strsignal(signal);
  return WEXITSTATUS(status) == 0 ? "" : kException;
}

}  // namespace

ProcessEnd RunForked(int seconds,
                     const std::function<void(const std::function<void(const std::string&)>&,
                                              const std::function<void()>&)>& body) {
  const Child child = Fork([&](int file) {
    const rlimit limit{kMemory, kMemory};
    setrlimit(RLIMIT_AS, &limit);
    // Processor time, since others may need the machine; the wall clock is for what only waits.
    std::signal(SIGPROF, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    constexpr int kWaiting = 20;
    const auto restart = [&] {
      const itimerval timer{{0, 0}, {seconds, 0}};
      setitimer(ITIMER_PROF, &timer, nullptr);
      alarm(static_cast<unsigned>(seconds * kWaiting));
    };
    restart();
    try {
      body([&](const std::string& text) { WriteAll(file, text); }, restart);
    } catch (const std::exception& bug) {
      WriteAll(file, std::string("threw\t") + bug.what() + "\n");
      _exit(kThrew);
    }
  });
  ProcessEnd end;
  while (ReadSome(child.file, end.output)) {
  }
  end.failure = FailureOf(WaitFor(child));
  return end;
}

ProcessEnd RunShell(const std::string& command, int& status) {
  ProcessEnd end;
  FILE* pipe = popen(command.c_str(), "r");
  SPILLWAY_CHECK(pipe != nullptr, "a shell");
  while (ReadSome(fileno(pipe), end.output)) {
  }
  const int raw = pclose(pipe);
  constexpr int kTimedOut = 124;
  constexpr int kSignalled = 128;
  // A shell gives the signal that ended its command on top of that; this one is ulimit's.
  constexpr int kOutOfTime = kSignalled + SIGXCPU;
  status = WIFEXITED(raw) ? WEXITSTATUS(raw) : kSignalled;
  if (status >= kSignalled) end.failure = "crash: a signal";
  if (status == kTimedOut || status == kOutOfTime) end.failure = "hang: no answer in time";
  return end;
}

std::vector<ProcessEnd> MapForked(std::size_t items, int jobs,
                                  const std::function<std::string(std::size_t)>& work) {
  SPILLWAY_CHECK(jobs >= 1, "somebody works");
  std::vector<ProcessEnd> ends(items);
  std::vector<std::pair<std::size_t, Child>> running;
  std::size_t next = 0;
  while (next < items || !running.empty()) {
    while (next < items && running.size() < static_cast<std::size_t>(jobs)) {
      const std::size_t item = next++;
      running.emplace_back(item, Fork([&](int file) {
                             try {
                               WriteAll(file, work(item));
                             } catch (const std::exception& bug) {
                               WriteAll(file, bug.what());
                               _exit(kThrew);
                             }
                           }));
    }
    std::vector<pollfd> files;
    for (const auto& [item, child] : running) files.push_back({child.file, POLLIN, 0});
    poll(files.data(), files.size(), -1);
    for (std::size_t r = running.size(); r-- > 0;) {
      if (files[r].revents == 0) continue;
      ProcessEnd& end = ends[running[r].first];
      if (ReadSome(running[r].second.file, end.output)) continue;
      end.failure = FailureOf(WaitFor(running[r].second));
      if (end.failure == kException) end.failure += ": " + std::exchange(end.output, "");
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(r));
    }
  }
  return ends;
}

}  // namespace spillway
