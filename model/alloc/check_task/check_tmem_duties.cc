#include "model/alloc/check_task/check_tmem_duties.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "model/alloc/task/capacities.h"

namespace spillway::task {
namespace {

/// Allocation, deallocation and the permit: what one warp issues.
bool IsInstruction(TmemEventKind kind) {
  return kind != TmemEventKind::kBarrier && kind != TmemEventKind::kUse;
}

std::string TextOf(const TmemEvent& event) {
  std::string text(TmemEventKindName(event.kind));
  if (!event.name.empty()) text += " " + event.name;
  return fmt::format("CTA {}, warp {}: {}", event.cta, event.warp, text);
}

/// One CTA's events in order.
class CtaWalk {
 public:
  CtaWalk(std::int64_t cta, const TmemDuties& duties, std::vector<TmemFinding>& findings)
      : cta_(cta), duties_(duties), findings_(findings) {}

  void Run() {
    for (const TmemEvent& event : duties_.events) {
      if (event.cta == cta_) LookAt(event);
    }
    for (const auto& [name, live] : live_) {
      Report(Code::kTmemNotDeallocated,
             fmt::format("CTA {}: {}: expected a deallocation of {} columns before the end, found "
                         "none",
                         cta_, name, live.columns.value));
    }
    if (warp_ && has_allocated_ && !has_permit_given_up_) {
      Report(Code::kTmemPermitKept,
             fmt::format("CTA {}: expected the permit to be given up after the last allocation, "
                         "found it kept to the end; other CTAs of the core can't allocate",
                         cta_));
    }
  }

 private:
  struct Live {
    Columns columns;
    bool is_visible = false;
    bool is_in_use = false;
  };

  void Report(Code code, std::string text) { findings_.push_back({code, std::move(text)}); }

  void LookAt(const TmemEvent& event) {
    if (IsInstruction(event.kind)) LookAtWarp(event);
    switch (event.kind) {
      case TmemEventKind::kAllocate: Allocate(event); break;
      case TmemEventKind::kBarrier:
        for (auto& [name, live] : live_) {
          live.is_visible = true;
          live.is_in_use = false;
        }
        break;
      case TmemEventKind::kUse: Use(event); break;
      case TmemEventKind::kDeallocate: Deallocate(event); break;
      case TmemEventKind::kGiveUpPermit: has_permit_given_up_ = true; break;
    }
  }

  void LookAtWarp(const TmemEvent& event) {
    const std::int64_t threads = TheGpuRules().warp_threads.value;
    if (event.active_threads && *event.active_threads != threads) {
      Report(Code::kTmemPartialWarp,
             fmt::format("{}: expected all {} threads of the warp active, found {}", TextOf(event),
                         threads, *event.active_threads));
    }
    if (!warp_) warp_ = event.warp;
    if (*warp_ == event.warp) return;
    Report(Code::kTmemWarp, fmt::format("{}: expected warp {}, which issued the first one, found "
                                        "warp {}",
                                        TextOf(event), *warp_, event.warp));
  }

  void Allocate(const TmemEvent& event) {
    const GpuRules& rules = TheGpuRules();
    const Columns least = rules.smallest_tmem_request;
    const Columns most = rules.largest_tmem_request;
    has_allocated_ = true;
    if (has_permit_given_up_) {
      Report(Code::kTmemAfterPermit,
             fmt::format("{}: expected before the permit is given up, found behind it",
                         TextOf(event)));
    }
    if (event.columns < least || event.columns > most ||
        !std::has_single_bit(static_cast<std::uint64_t>(event.columns.value))) {
      Report(Code::kTmemRequest,
             fmt::format("{}: expected a power of two from {} to {} columns, found {}",
                         TextOf(event), least.value, most.value, event.columns.value));
    }
    if (live_.contains(event.name)) {
      Report(Code::kTmemAllocatedTwice,
             fmt::format("{}: expected a deallocation of its {} columns first, found none",
                         TextOf(event), live_.at(event.name).columns.value));
      return;
    }
    live_.emplace(event.name, Live{event.columns});
    Columns all;
    for (const auto& [name, live] : live_) all += live.columns;
    if (all > most) {
      Report(Code::kCapacity, fmt::format("{}: expected at most {} columns at a time, found {}",
                                          TextOf(event), most.value, all.value));
    }
    most_columns_ = std::max(most_columns_, all);
  }

  void Use(const TmemEvent& event) {
    const auto at = live_.find(event.name);
    if (at == live_.end()) {
      Report(Code::kTmemNotAllocated,
             fmt::format("{}: expected allocated columns, found none of that name then",
                         TextOf(event)));
      return;
    }
    if (!at->second.is_visible) {
      Report(Code::kTmemNotVisible,
             fmt::format("{}: expected a barrier of the CTA between the allocation and the first "
                         "use, found none; other warps may read the base's slot too early",
                         TextOf(event)));
      at->second.is_visible = true;  // once
    }
    at->second.is_in_use = true;
    if (duties_.layout_columns && most_columns_ < *duties_.layout_columns && !is_too_small_) {
      is_too_small_ = true;
      Report(Code::kTmemRequestTooSmall,
             fmt::format("{}: expected at least {} allocated columns, which the layout needs, "
                         "found {}",
                         TextOf(event), duties_.layout_columns->value, most_columns_.value));
    }
  }

  void Deallocate(const TmemEvent& event) {
    const auto at = live_.find(event.name);
    if (at == live_.end()) {
      Report(Code::kTmemNotAllocated,
             fmt::format("{}: expected allocated columns, found none of that name then",
                         TextOf(event)));
      return;
    }
    if (at->second.is_in_use) {
      Report(Code::kTmemInUse,
             fmt::format("{}: expected a barrier of the CTA behind the last use, found none",
                         TextOf(event)));
    }
    if (at->second.columns != event.columns) {
      Report(Code::kTmemColumns,
             fmt::format("{}: expected the {} columns of its allocation, found "
                         "{}",
                         TextOf(event), at->second.columns.value, event.columns.value));
    }
    live_.erase(at);
  }

  std::int64_t cta_;
  const TmemDuties& duties_;
  std::vector<TmemFinding>& findings_;
  std::map<std::string, Live> live_;
  std::optional<std::int64_t> warp_;
  Columns most_columns_;
  bool has_allocated_ = false;
  bool has_permit_given_up_ = false;
  bool is_too_small_ = false;
};

/// The instructions of one CTA of a pair.
std::vector<const TmemEvent*> Instructions(const TmemDuties& duties, std::int64_t cta) {
  std::vector<const TmemEvent*> instructions;
  for (const TmemEvent& event : duties.events) {
    if (event.cta == cta && IsInstruction(event.kind)) instructions.push_back(&event);
  }
  return instructions;
}

void ComparePair(const TmemDuties& duties, std::vector<TmemFinding>& findings) {
  const std::vector<const TmemEvent*> first = Instructions(duties, 0);
  const std::vector<const TmemEvent*> second = Instructions(duties, 1);
  const auto described = [](const std::vector<const TmemEvent*>& list, std::size_t i) {
    if (i >= list.size()) return std::string("nothing more");
    return fmt::format("{} of {} columns", TextOf(*list[i]), list[i]->columns.value);
  };
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size() && i < second.size() && first[i]->kind == second[i]->kind &&
        first[i]->name == second[i]->name && first[i]->columns == second[i]->columns &&
        first[i]->warp == second[i]->warp)
      continue;
    findings.push_back(
        {Code::kTmemPair,
         fmt::format("instruction {} of the pair: expected the same one from warps of the same "
                     "number in both CTAs, found {} and {}",
                     i + 1, described(first, i), described(second, i))});
    return;  // what follows is shifted
  }
}

}  // namespace

std::string_view TmemEventKindName(TmemEventKind kind) {
  switch (kind) {
    case TmemEventKind::kAllocate: return "allocate";
    case TmemEventKind::kBarrier: return "barrier";
    case TmemEventKind::kUse: return "use";
    case TmemEventKind::kDeallocate: return "deallocate";
    case TmemEventKind::kGiveUpPermit: return "give-up-permit";
  }
  return "";
}

std::vector<TmemFinding> CheckTmemDuties(const TmemDuties& duties) {
  std::vector<TmemFinding> findings;
  std::set<std::int64_t> ctas;
  for (const TmemEvent& event : duties.events) ctas.insert(event.cta);
  for (const std::int64_t cta : ctas) CtaWalk(cta, duties, findings).Run();
  if (duties.is_pair) ComparePair(duties, findings);
  return findings;
}

}  // namespace spillway::task
