#include "properties/campaign_workers.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <exception>
#include <new>
#include <thread>

#include "model/hw/fault.h"
#include "properties/die_with_parent.h"

namespace spillway {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t Milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

// Processor time of that process so far; 0 where it has ended.
std::int64_t ProcessorMilliseconds(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return std::int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000;
}

// A case with findings, in memory that processes share.
struct Failing {
  std::uint64_t index = 0;
  std::array<char, 504> first{};  // a text, cut where it is longer
};

// One worker's page. The atomics are read while it works, the counts once it has ended.
struct Board {
  std::atomic<std::uint64_t> current = 0;
  std::atomic<std::int64_t> started = 0;      ///< milliseconds; when the current case began
  std::atomic<std::int64_t> used_before = 0;  ///< milliseconds of processor time by then
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint32_t> failing_count = 0;
  std::array<Failing, 256> failing{};
  CampaignCounts counts;
};

class Boards {
 public:
  explicit Boards(std::size_t count) : count_(count) {
    memory_ = mmap(nullptr, count * sizeof(Board), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    SPILLWAY_CHECK(memory_ != MAP_FAILED, "a few pages can be shared");
    for (std::size_t b = 0; b < count; ++b) new (&board(b)) Board();
  }
  ~Boards() { munmap(memory_, count_ * sizeof(Board)); }
  Boards(const Boards&) = delete;
  Boards& operator=(const Boards&) = delete;

  Board& board(std::size_t b) { return static_cast<Board*>(memory_)[b]; }
  std::size_t size() const { return count_; }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

// Every n-th case on average, and as many for every worker: the multiplier spreads them.
bool IsRare(const CampaignOptions& options, std::uint64_t index) {
  return (index * 0x9e3779b97f4a7c15u >> 32) % options.rare_every == 0;
}

// Judges one case and counts it.
void WorkOn(const CampaignOptions& options, std::uint64_t index, Board& board) {
  const auto start = Clock::now();
  const AllocationProblem problem = CampaignProblem(options.seed, index);
  const std::chrono::duration<double> decoding = Clock::now() - start;
  const ProblemOutcome outcome = JudgeProblem(problem, options.allocate, JudgesFor(options, index));
  CampaignCounts& counts = board.counts;
  ++counts.cases;
  counts.judged += outcome.was_judged ? 1 : 0;
  counts.refused += outcome.refusal ? 1 : 0;
  counts.rare_cases += outcome.was_judged && IsRare(options, index) ? 1 : 0;
  counts.coverage.Add(outcome.bins);
  counts.decode_seconds += decoding.count();
  counts.allocate_seconds += outcome.allocate_seconds;
  for (std::size_t j = 0; j < outcome.judge_seconds.size(); ++j) {
    counts.judge_seconds[j] += outcome.judge_seconds[j];
  }
  if (outcome.findings.empty()) return;
  const std::uint32_t known = board.failing_count.load();
  if (known < board.failing.size()) {
    const Finding& first = outcome.findings.front();
    const std::string text = KeyOf(first) + ": " + first.text;
    Failing& failing = board.failing[known];
    failing.index = index;
    failing.first[text.copy(failing.first.data(), failing.first.size() - 1)] = '\0';
    board.failing_count.store(known + 1);
  }
}

class Crew {
 public:
  explicit Crew(const CampaignOptions& options)
      : options_(options),
        boards_(static_cast<std::size_t>(std::max(options.workers, 1))),
        next_(boards_.size()),
        processes_(boards_.size(), 0) {
    for (std::size_t w = 0; w < boards_.size(); ++w) {
      next_[w] = options.first + SPILLWAY_FAULT(E7, w, fault::variant == 1 ? 0 : w);
    }
  }

  CampaignRun Run() {
    for (std::size_t w = 0; w < boards_.size(); ++w) Start(w);
    while (Working()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (std::size_t w = 0; w < boards_.size(); ++w) Look(w);
      if (options_.progress) options_.progress(Done());
      if (Failing() >= options_.most_failures) StopAll();
    }
    CampaignRun run;
    for (std::size_t w = 0; w < boards_.size(); ++w) {
      Board& board = boards_.board(w);
      run.counts.Add(board.counts);
      for (std::uint32_t f = 0; f < board.failing_count.load(); ++f) {
        run.failing.push_back({board.failing[f].index, board.failing[f].first.data()});
      }
    }
    run.lost = std::move(lost_);
    std::sort(run.failing.begin(), run.failing.end(),
              [](const FailedCase& a, const FailedCase& b) { return a.index < b.index; });
    std::sort(run.lost.begin(), run.lost.end(),
              [](const LostCase& a, const LostCase& b) { return a.index < b.index; });
    return run;
  }

 private:
  std::uint64_t End() const { return options_.first + options_.cases; }

  void Start(std::size_t w) {
    if (next_[w] >= End()) return;
    if (SPILLWAY_FAULT(E7, false, fault::variant == 0 && w > 0 && w + 1 == boards_.size())) return;
    Board& board = boards_.board(w);
    board.current.store(next_[w]);
    board.started.store(Milliseconds());
    board.used_before.store(0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    SPILLWAY_CHECK(child >= 0, "a worker can be forked");
    if (child != 0) {
      processes_[w] = child;
      return;
    }
    DieWithParent(parent);
    try {
      for (std::uint64_t index = next_[w]; index < End(); index += boards_.size()) {
        board.current.store(index);
        board.started.store(Milliseconds());
        board.used_before.store(ProcessorMilliseconds(getpid()));
        WorkOn(options_, index, board);
        board.done.fetch_add(1);
      }
    } catch (const std::exception&) {
      // A case that can't even be decoded: the parent finds the index on the board.
      abort();
    }
    _exit(0);
  }

  // Whether worker `w` has ended, hangs or works.
  void Look(std::size_t w) {
    if (processes_[w] == 0) return;
    int status = 0;
    if (waitpid(processes_[w], &status, WNOHANG) == processes_[w]) {
      processes_[w] = 0;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      Lose(w, false);
      return;
    }
    // Processor time, since on a busy machine any case may take long; what sleeps forever is found
    // later, and not before an allocator that is a process has had its own time.
    constexpr double kSleeping = 10;
    const Board& board = boards_.board(w);
    const auto spent =
        static_cast<double>(ProcessorMilliseconds(processes_[w]) - board.used_before.load());
    const auto passed = static_cast<double>(Milliseconds() - board.started.load());
    const double most = options_.case_seconds * 1000;
    if (spent < most && passed < kSleeping * most + options_.allocator_seconds * 1000) return;
    Kill(w);
    Lose(w, true);
  }

  void Lose(std::size_t w, bool hung) {
    const std::uint64_t index = boards_.board(w).current.load();
    lost_.push_back({index, hung});
    next_[w] = index + boards_.size();
    if (Failing() < options_.most_failures) Start(w);
  }

  void Kill(std::size_t w) {
    kill(processes_[w], SIGKILL);
    while (waitpid(processes_[w], nullptr, 0) < 0 && errno == EINTR) {
    }
    processes_[w] = 0;
  }
  void StopAll() {
    for (std::size_t w = 0; w < boards_.size(); ++w) {
      if (processes_[w] != 0) Kill(w);
    }
  }

  bool Working() const {
    return std::any_of(processes_.begin(), processes_.end(), [](pid_t p) { return p != 0; });
  }
  std::uint64_t Done() {
    std::uint64_t done = 0;
    for (std::size_t w = 0; w < boards_.size(); ++w) done += boards_.board(w).done.load();
    return done;
  }
  std::size_t Failing() {
    std::size_t failing = lost_.size();
    for (std::size_t w = 0; w < boards_.size(); ++w) {
      failing += boards_.board(w).failing_count.load();
    }
    return failing;
  }

  const CampaignOptions& options_;
  Boards boards_;
  std::vector<std::uint64_t> next_;
  std::vector<pid_t> processes_;
  std::vector<LostCase> lost_;
};

}  // namespace

void CampaignCounts::Add(const CampaignCounts& other) {
  cases += other.cases;
  judged += other.judged;
  refused += other.refused;
  rare_cases += other.rare_cases;
  coverage.Add(other.coverage);
  decode_seconds += other.decode_seconds;
  allocate_seconds += other.allocate_seconds;
  for (std::size_t j = 0; j < kMostJudges; ++j) judge_seconds[j] += other.judge_seconds[j];
}

std::vector<JudgeId> JudgesFor(const CampaignOptions& options, std::uint64_t index) {
  std::vector<JudgeId> judges = options.judges;
  if (IsRare(options, index)) {
    judges.insert(judges.end(), options.rare_judges.begin(), options.rare_judges.end());
  }
  return judges;
}

CampaignRun RunWorkers(const CampaignOptions& options) {
  SPILLWAY_CHECK(options.rare_every > 0, "every case, every second one, …");
  SPILLWAY_CHECK(options.cases <= ~std::uint64_t{0} - options.first, "the last case has an index");
  SPILLWAY_CHECK(options.judges.size() + options.rare_judges.size() <= kMostJudges,
                 "so many judges are counted");
  return Crew(options).Run();
}

}  // namespace spillway
