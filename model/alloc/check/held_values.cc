#include "model/alloc/check/held_values.h"

#include <algorithm>

#include "model/hw/fault.h"

namespace spillway::check {
namespace {

constexpr Location kNowhere{~StoreId{0}};

Interval<ByteOffset> HullOf(const PlaneSet& bytes) {
  Interval<ByteOffset> hull{bytes.bands().front().runs.front().begin,
                            bytes.bands().front().runs.back().end};
  for (const PlaneSet::Band& band : bytes.bands()) {
    hull = Hull(hull, {band.runs.front().begin, band.runs.back().end});
  }
  return hull;
}

Interval<Partition> PartitionsOf(const PlaneSet& bytes) {
  return {bytes.bands().front().partitions.begin, bytes.bands().back().partitions.end};
}

Runs Within(const Runs& runs, const Interval<ByteOffset>& window, Bytes shift) {
  Runs inside;
  for (const Interval<ByteOffset>& run : runs) {
    const Interval<ByteOffset> cut = Intersect(run, window);
    if (!cut.empty()) inside.push_back({cut.begin - shift, cut.end - shift});
  }
  return inside;
}

bool Covers(const PlaneSet& all, const PlaneSet& part) {
  if (part.empty()) return true;
  if (all.empty()) return false;
  if (all.bands() == part.bands()) return true;
  if (all.bands().size() == 1 && all.bands()[0].runs.size() == 1) {
    return all.bands()[0].partitions.Covers(PartitionsOf(part)) &&
           all.bands()[0].runs[0].Covers(HullOf(part));
  }
  PlaneSet rest = part;
  rest.Subtract(all);
  return rest.empty();
}

}  // namespace

bool MayShare(const StoreRegion& region, const Location& at, const PlaneSet& bytes) {
  if (bytes.empty() || region.runs.empty()) return false;
  const Interval<ByteOffset> window{region.runs.front().begin, region.runs.back().end};
  const Interval<ByteOffset> hull = HullOf(bytes);
  const Interval<Partition> partitions = PartitionsOf(bytes);
  if (at.linear) {
    const Bytes first(at.byte + partitions.begin.value * at.stride);
    const Bytes last(at.byte + (partitions.end.value - 1) * at.stride);
    return Overlap(window, {hull.begin + first, hull.end + last});
  }
  const PartitionCount down(at.partition);
  return Overlap(region.partitions, {partitions.begin + down, partitions.end + down}) &&
         Overlap(window, {hull.begin + Bytes(at.byte), hull.end + Bytes(at.byte)});
}

PlaneSet BytesIn(const StoreRegion& region, const Location& at, const PlaneSet& bytes) {
  PlaneSet inside;
  if (!MayShare(region, at, bytes)) return inside;
  if (!at.linear) {
    inside = PlaneSet(region.partitions, region.runs)
                 .Shifted(PartitionCount(-at.partition), Bytes(-at.byte));
  } else {
    const Interval<ByteOffset> hull = HullOf(bytes);
    const Interval<Partition> partitions = PartitionsOf(bytes);
    for (Partition p = partitions.begin; p < partitions.end; p = p + PartitionCount(1)) {
      const Bytes start(at.byte + p.value * at.stride);
      inside.Unite(PlaneSet({p, p + PartitionCount(1)},
                            Within(region.runs, {hull.begin + start, hull.end + start}, start)));
    }
  }
  inside.IntersectWith(bytes);
  return inside;
}

HeldValues::HeldValues(const std::vector<PlaneSet>& wholes) : values_(wholes.size()) {
  for (std::size_t i = 0; i < wholes.size(); ++i) values_[i].undefined = wholes[i];
}

PlaneSet HeldValues::MissingAt(ValueId id, const PlaneSet& all, const Location& at) const {
  PlaneSet wanted = all;
  if (SPILLWAY_FAULT(E4, false, fault::variant != 0)) {
    wanted.IntersectWith(PlaneSet({Partition(0), Partition(1)}, {{ByteOffset(0), ByteOffset(1)}}));
  }
  const Value& value = values_[id];
  const auto held = std::find_if(value.held.begin(), value.held.end(),
                                 [&](const Holding& holding) { return holding.at == at; });
  if (held != value.held.end() && Covers(held->bytes, wanted)) return {};
  PlaneSet missing = wanted;
  if (held != value.held.end()) missing.Subtract(held->bytes);
  missing.Subtract(value.undefined);
  return missing;
}

Holding& HeldValues::HoldingAt(ValueId id, const Location& at) {
  Value& value = values_[id];
  for (Holding& holding : value.held) {
    if (holding.at == at) return holding;
  }
  const std::size_t list = ListOf(at.store);
  if ((value.listed >> list & 1) == 0) {
    value.listed = static_cast<std::uint8_t>(value.listed | 1U << list);
    active_[list].push_back(id);
  }
  return value.held.emplace_back(Holding{at, {}});
}

namespace {

// Takes `bytes` out of the holdings at every place but `at`, and notes what became stale.
void MakeStale(std::vector<Holding>& held, std::vector<Holding>& stale, const PlaneSet& bytes,
               const Location& at) {
  for (Holding& holding : held) {
    if (holding.at == at) continue;
    PlaneSet old = holding.bytes;
    old.IntersectWith(bytes);
    if (old.empty()) continue;
    holding.bytes.Subtract(bytes);
    const auto known = std::find_if(stale.begin(), stale.end(),
                                    [&](const Holding& s) { return s.at == holding.at; });
    if (known == stale.end()) {
      stale.push_back({holding.at, std::move(old)});
    } else {
      known->bytes.Unite(old);
    }
  }
  std::erase_if(held, [](const Holding& holding) { return holding.bytes.empty(); });
}

}  // namespace

void HeldValues::Define(ValueId id, const PlaneSet& bytes, const Location& at) {
  Value& value = values_[id];
  if (!value.undefined.empty()) value.undefined.Subtract(bytes);
  if (SPILLWAY_FAULT(E3, true, false)) MakeStale(value.held, value.stale, bytes, at);
  Hold(id, bytes, at);
}

void HeldValues::DefineNowhere(ValueId id, const PlaneSet& bytes) {
  Value& value = values_[id];
  value.undefined.Subtract(bytes);
  MakeStale(value.held, value.stale, bytes, kNowhere);
}

void HeldValues::MayDefine(ValueId id, const PlaneSet& bytes, const Location& at) {
  Value& value = values_[id];
  PlaneSet first = value.undefined;
  first.IntersectWith(bytes);
  MakeStale(value.held, value.stale, bytes, at);
  if (first.empty()) return;
  value.undefined.Subtract(first);
  HoldingAt(id, at).bytes.Unite(first);
}

void HeldValues::Hold(ValueId id, const PlaneSet& bytes, const Location& at) {
  if (bytes.empty()) return;
  Holding& holding = HoldingAt(id, at);
  if (!Covers(holding.bytes, bytes)) holding.bytes.Unite(bytes);
}

void HeldValues::Drop(ValueId id, const PlaneSet& bytes, const Location& at) {
  std::vector<Holding>& held = values_[id].held;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i].at != at) continue;
    held[i].bytes.Subtract(bytes);
    if (held[i].bytes.empty()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void HeldValues::Overwrite(const StoreRegion& region, ValueId id, const Location& at) {
  const std::size_t list = ListOf(region.store);
  std::vector<ValueId>& active = active_[list];
  std::size_t kept = 0;
  for (const ValueId other : active) {
    Value& value = values_[other];
    bool in_list = false;
    for (std::size_t i = 0; i < value.held.size();) {
      Holding& holding = value.held[i];
      const bool spared = other == id && holding.at == at;
      if (!spared && holding.at.store == region.store &&
          MayShare(region, holding.at, holding.bytes)) {
        holding.bytes.Subtract(BytesIn(region, holding.at, holding.bytes));
      }
      if (holding.bytes.empty()) {
        value.held.erase(value.held.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      in_list = in_list || ListOf(holding.at.store) == list;
      ++i;
    }
    if (in_list) {
      active[kept++] = other;
    } else {
      value.listed = static_cast<std::uint8_t>(value.listed & ~(1U << list));
    }
  }
  active.resize(kept);
}

void HeldValues::MeetWith(const HeldValues& other) {
  for (std::size_t id = 0; id < values_.size(); ++id) {
    Value& mine = values_[id];
    const Value& theirs = other.values_[id];
    std::vector<Holding> both;
    const auto meet_at = [&](const Location& at) {
      const auto bytes_of = [&](const Value& value) {
        PlaneSet bytes = value.undefined;
        for (const Holding& holding : value.held) {
          if (holding.at == at) bytes.Unite(holding.bytes);
        }
        return bytes;
      };
      if (std::any_of(both.begin(), both.end(), [&](const Holding& h) { return h.at == at; }))
        return;
      PlaneSet bytes = bytes_of(mine);
      if (SPILLWAY_FAULT(E1, true, false)) {
        bytes.IntersectWith(bytes_of(theirs));
      } else {
        bytes.Unite(bytes_of(theirs));
      }
      both.push_back({at, std::move(bytes)});
    };
    for (const Holding& holding : mine.held) meet_at(holding.at);
    for (const Holding& holding : theirs.held) meet_at(holding.at);
    mine.undefined.IntersectWith(theirs.undefined);
    mine.held.clear();
    for (Holding& holding : both) {
      holding.bytes.Subtract(mine.undefined);
      Hold(static_cast<ValueId>(id), holding.bytes, holding.at);
    }
    for (const Holding& holding : theirs.stale) {
      const auto known = std::find_if(mine.stale.begin(), mine.stale.end(),
                                      [&](const Holding& s) { return s.at == holding.at; });
      if (known == mine.stale.end()) {
        mine.stale.push_back(holding);
      } else {
        known->bytes.Unite(holding.bytes);
      }
    }
  }
}

bool operator==(const HeldValues& a, const HeldValues& b) {
  const auto holds_all = [](const HeldValues::Value& x, const HeldValues::Value& y) {
    return std::all_of(x.held.begin(), x.held.end(), [&](const Holding& holding) {
      return holding.bytes.empty() ||
             std::find(y.held.begin(), y.held.end(), holding) != y.held.end();
    });
  };
  for (std::size_t i = 0; i < a.values_.size(); ++i) {
    const HeldValues::Value& x = a.values_[i];
    const HeldValues::Value& y = b.values_[i];
    if (x.undefined != y.undefined || !holds_all(x, y) || !holds_all(y, x)) return false;
  }
  return true;
}

}  // namespace spillway::check
