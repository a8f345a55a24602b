#include "model/alloc/rings/find_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/alloc/check/byte_plane.h"
#include "model/hw/fault.h"

namespace spillway::rings {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// Who wrote some bytes last, and who has read them since.
struct History {
  struct Toucher {
    std::uint32_t instance = kNobody;
    UnitId unit;
  };
  Toucher writer;
  std::vector<Toucher> readers;
};

/// What has surely happened when an instance starts: how many instances of each stream have been
/// issued, and how many of each stream in order have ended.
struct Clock {
  std::vector<std::uint32_t> issued;
  std::vector<std::uint32_t> ended;
};

void Join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

class Finder {
 public:
  Finder(const StreamWork& work, const UnitPlan& plan, const WaitOptions& options)
      : work_(work),
        plan_(plan),
        options_(options),
        now_(work.streams.size(), Clock{std::vector<std::uint32_t>(work.streams.size(), 0),
                                        std::vector<std::uint32_t>(work.streams.size(), 0)}),
        at_start_(work.instances.size()),
        position_(work.instances.size(), 0),
        waiters_(work.instances.size()) {}

  Result<Waits> Run() {
    waits_.first.push_back(0);
    for (std::uint32_t i = 0; i < work_.instances.size(); ++i) {
      found_.clear();
      Touchers(i);
      if (looks_ > kMaxDependences) {
        return Fail({Kind::kLimit, "ring-limit",
                     fmt::format("dependences: expected at most {} pairs of accesses, found more; "
                                 "fewer trips show the same",
                                 kMaxDependences),
                     "", 0});
      }
      Keep(i);
      waits_.first.push_back(static_cast<std::uint32_t>(waits_.producers.size()));
    }
    return std::move(waits_);
  }

 private:
  void Touchers(std::uint32_t i) {
    const WorkInstance& instance = work_.instances[i];
    for (std::uint32_t t = 0; t < instance.touch_count; ++t) {
      const std::uint32_t touch = instance.first_touch + t;
      const UnitId unit = plan_.unit_of[touch];
      check::BytePlane<History>& memory =
          memories_[{plan_.units[unit].memory, options_.across_units ? 0 : unit.value + 1}];
      const std::size_t runs = work_.shapes[work_.touches[touch].shape].runs.size();
      for (std::size_t run = 0; run < runs; ++run) {
        const Rectangle where = plan_.Where(work_, touch, run);
        if (work_.touches[touch].is_write) {
          memory.Replace(where, History{{i, unit}, {}},
                         [&](const History& before, const Rectangle&) {
                           Note(before.writer, i, unit);
                           for (const History::Toucher& reader : before.readers)
                             Note(reader, i, unit);
                         });
        } else {
          memory.ForEach(where, [&](History& history, const Rectangle&) {
            Note(history.writer, i, unit);
            if (SPILLWAY_FAULT(N72, true, false)) AddReader(history.readers, {i, unit});
          });
        }
      }
    }
  }

  // A stream in order is represented by its latest reader.
  void AddReader(std::vector<History::Toucher>& readers, History::Toucher reader) const {
    const std::uint32_t stream = work_.instances[reader.instance].stream;
    if (work_.streams[stream].kind != task::SideKind::kDma) {
      std::erase_if(readers, [&](const History::Toucher& other) {
        return work_.instances[other.instance].stream == stream && other.unit == reader.unit;
      });
    }
    readers.push_back(reader);
  }

  void Note(const History::Toucher& earlier, std::uint32_t i, UnitId unit) {
    ++looks_;
    if (earlier.instance == kNobody || earlier.instance == i) return;
    if (earlier.unit == unit && plan_.units[unit].ring) return;
    found_.push_back(earlier.instance);
  }

  void Keep(std::uint32_t i) {
    std::sort(found_.begin(), found_.end(), std::greater<>());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    const std::uint32_t stream = work_.instances[i].stream;
    Clock& clock = now_[stream];
    position_[i] = clock.issued[stream]++;
    if (work_.streams[stream].kind == task::SideKind::kThread) clock.ended[stream] = position_[i];
    // Latest first: what a late instance waited for needs no wait of its own.
    for (const std::uint32_t producer : found_) {
      const std::uint32_t from = work_.instances[producer].stream;
      const bool in_order = work_.streams[from].kind != task::SideKind::kDma;
      if ((from == stream && in_order) || Ended(producer, clock)) continue;
      waits_.producers.push_back(producer);
      Join(clock.issued, at_start_[producer].issued);
      Join(clock.ended, at_start_[producer].ended);
      if (in_order) {
        clock.ended[from] = std::max(clock.ended[from], position_[producer] + 1);
      } else {
        waiters_[producer].push_back(i);
      }
    }
    at_start_[i] = clock;
  }

  bool Ended(std::uint32_t producer, const Clock& clock) const {
    const std::uint32_t from = work_.instances[producer].stream;
    if (work_.streams[from].kind != task::SideKind::kDma)
      return clock.ended[from] > position_[producer];
    // A transfer has ended if some instance that waited for it has been issued.
    return std::any_of(waiters_[producer].begin(), waiters_[producer].end(),
                       [&](std::uint32_t waiter) {
                         return clock.issued[work_.instances[waiter].stream] > position_[waiter];
                       });
  }

  const StreamWork& work_;
  const UnitPlan& plan_;
  const WaitOptions options_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, check::BytePlane<History>> memories_;
  std::vector<Clock> now_;
  std::vector<Clock> at_start_;
  std::vector<std::uint32_t> position_;  ///< in its stream
  std::vector<std::vector<std::uint32_t>> waiters_;
  std::vector<std::uint32_t> found_;
  std::int64_t looks_ = 0;
  Waits waits_;
};

}  // namespace

Result<Waits> FindWaits(const StreamWork& work, const UnitPlan& plan, const WaitOptions& options) {
  return Finder(work, plan, options).Run();
}

}  // namespace spillway::rings
