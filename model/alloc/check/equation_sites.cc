#include "model/alloc/check/equation_sites.h"

#include <algorithm>

namespace spillway::check::backward {
namespace {

using Addresses = Interval<std::int64_t>;

enum Memory : std::uint32_t { kSbufMemory, kPsumMemory, kDramMemory, kFirstOwnMemory };

struct Hull {
  Interval<Partition> partitions;
  Interval<ByteOffset> bytes;
};

Hull HullOf(const PlaneSet& plane) {
  const std::vector<PlaneSet::Band>& bands = plane.bands();
  Hull hull{{bands.front().partitions.begin, bands.back().partitions.end},
            {bands.front().runs.front().begin, bands.front().runs.back().end}};
  for (const PlaneSet::Band& band : bands) {
    hull.bytes.begin = std::min(hull.bytes.begin, band.runs.front().begin);
    hull.bytes.end = std::max(hull.bytes.end, band.runs.back().end);
  }
  return hull;
}

bool InFirstPartition(const Hull& hull) {
  return hull.partitions.begin == Partition(0) && hull.partitions.end <= Partition(1);
}

// Calls `visit(partition, run, first address)` for every run of every partition.
template <class Visit>
void ForEachRow(const SitedBytes& flat, Visit visit) {
  for (const PlaneSet::Band& band : flat.bytes.bands()) {
    for (Partition p = band.partitions.begin; p < band.partitions.end; p = p + PartitionCount(1)) {
      for (const Interval<ByteOffset>& run : band.runs) {
        visit(p, run, flat.site.first + p.value * flat.site.second + run.begin.value);
      }
    }
  }
}

Addresses AddressHull(const SitedBytes& flat, const Hull& hull) {
  const std::int64_t rows[] = {hull.partitions.begin.value * flat.site.second,
                               (hull.partitions.end.value - 1) * flat.site.second};
  return {flat.site.first + std::min(rows[0], rows[1]) + hull.bytes.begin.value,
          flat.site.first + std::max(rows[0], rows[1]) + hull.bytes.end.value};
}

// Whether equal coordinates, and no others, have equal addresses at both.
bool SameCoordinates(const SitedBytes& a, const Hull& hull_a, const SitedBytes& b,
                     const Hull& hull_b) {
  if (a.site.first != b.site.first) return false;
  if (InFirstPartition(hull_a) && InFirstPartition(hull_b)) return true;
  const auto within_row = [&](const Hull& hull) {
    return hull.bytes.begin >= ByteOffset(0) && hull.bytes.end.value <= a.site.second;
  };
  return a.site.second == b.site.second && within_row(hull_a) && within_row(hull_b);
}

PlaneSet Row(Partition partition, std::int64_t begin, std::int64_t end) {
  return PlaneSet({partition, partition + PartitionCount(1)},
                  {{ByteOffset(begin), ByteOffset(end)}});
}

Site Shifted(Site site, std::int64_t partitions, std::int64_t bytes) {
  if (site.form == Site::Form::kPlane) {
    site.first += partitions;
    site.second += bytes;
  } else {
    site.first += partitions * site.second + bytes;
  }
  return site;
}

PlaneSet SharedFlat(const SitedBytes& of, const Hull& hull_of, const SitedBytes& with,
                    const Hull& hull_with) {
  if (!Overlap(AddressHull(of, hull_of), AddressHull(with, hull_with))) return {};
  if (SameCoordinates(of, hull_of, with, hull_with)) {
    PlaneSet shared = of.bytes;
    shared.IntersectWith(with.bytes);
    return shared;
  }
  std::vector<Addresses> taken;
  ForEachRow(with, [&](Partition, const Interval<ByteOffset>& run, std::int64_t address) {
    taken.push_back({address, address + (run.end - run.begin).value});
  });
  PlaneSet shared;
  ForEachRow(of, [&](Partition p, const Interval<ByteOffset>& run, std::int64_t address) {
    for (const Addresses& other : taken) {
      const Addresses both =
          Intersect(Addresses{address, address + (run.end - run.begin).value}, other);
      if (both.empty()) continue;
      const std::int64_t back = run.begin.value - address;
      shared.Unite(Row(p, both.begin + back, both.end + back));
    }
  });
  return shared;
}

}  // namespace

Site SiteOf(const Kernel& kernel, const Placement& placement, TensorId id, std::int64_t block) {
  const Tensor& tensor = kernel.tensors[id];
  const bool is_flat = tensor.space == Space::kDram;
  const Site::Form form = is_flat ? Site::Form::kFlat : Site::Form::kPlane;
  if (placement.addresses.contains(id) &&
      block < static_cast<std::int64_t>(placement.addresses[id].size())) {
    const Address& at = placement.addresses[id][static_cast<std::size_t>(block)];
    if (is_flat) return {form, kDramMemory, at.byte.value, 0};
    return {form, tensor.space == Space::kSbuf ? kSbufMemory : kPsumMemory, at.partition.value,
            at.byte.value};
  }
  const std::uint32_t memory = kFirstOwnMemory + id.value;
  if (is_flat) return {form, memory, block * BlockBytes(tensor).value, 0};
  return {form, memory, block * Partitions(tensor).value, 0};
}

bool SamePlaces(const PlaneSet& bytes, const Site& a, const Site& b) {
  if (a == b) return true;
  return a.form == Site::Form::kFlat && b.form == Site::Form::kFlat && a.memory == b.memory &&
         a.first == b.first && !bytes.empty() && InFirstPartition(HullOf(bytes));
}

PlaneSet SharedBytes(const SitedBytes& of, const SitedBytes& with) {
  const Site& a = of.site;
  const Site& b = with.site;
  if (a.form != b.form || a.memory != b.memory || a.form == Site::Form::kLost) return {};
  if (of.bytes.empty() || with.bytes.empty()) return {};
  const Hull hull_of = HullOf(of.bytes);
  const Hull hull_with = HullOf(with.bytes);
  if (a.form == Site::Form::kFlat) return SharedFlat(of, hull_of, with, hull_with);
  const PartitionCount down(b.first - a.first);
  const Bytes right(b.second - a.second);
  const Interval<Partition> partitions{hull_with.partitions.begin + down,
                                       hull_with.partitions.end + down};
  const Interval<ByteOffset> bytes{hull_with.bytes.begin + right, hull_with.bytes.end + right};
  if (!Overlap(partitions, hull_of.partitions) || !Overlap(bytes, hull_of.bytes)) return {};
  PlaneSet shared = of.bytes;
  if (down == PartitionCount(0) && right == Bytes(0)) {
    shared.IntersectWith(with.bytes);
  } else {
    shared.IntersectWith(with.bytes.Shifted(down, right));
  }
  return shared;
}

std::vector<SitedBytes> BeforeMove(const SitedBytes& of, const Move& move) {
  const Site& at = of.site;
  const Site& to = move.to;
  if (at.form == Site::Form::kPlane) {
    return {{of.bytes, Shifted(move.from, at.first - to.first, at.second - to.second)}};
  }
  const SitedBytes target{move.bytes, move.to};
  if (SameCoordinates(of, HullOf(of.bytes), target, HullOf(move.bytes))) {
    return {{of.bytes, move.from}};
  }
  std::vector<SitedBytes> before;
  ForEachRow(of, [&](Partition p, const Interval<ByteOffset>& run, std::int64_t address) {
    ForEachRow(target, [&](Partition q, const Interval<ByteOffset>& other, std::int64_t there) {
      const Addresses both = Intersect(Addresses{address, address + (run.end - run.begin).value},
                                       Addresses{there, there + (other.end - other.begin).value});
      if (both.empty()) return;
      const std::int64_t begin = both.begin - address + run.begin.value;
      const std::int64_t moved = both.begin - there + other.begin.value;
      before.push_back({Row(p, begin, begin + both.end - both.begin),
                        Shifted(move.from, q.value - p.value, moved - begin)});
    });
  });
  return before;
}

}  // namespace spillway::check::backward
