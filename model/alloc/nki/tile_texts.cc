#include "model/alloc/nki/tile_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::nki {
namespace {

std::string Name(const Kernel& kernel, const TileUse& use) {
  return TileName(kernel.tensors[use.tensor], use.block);
}

std::string Place(const TileFault& fault) {
  return fmt::format("bytes [{}, {}) of partitions [{}, {}) of {}", fault.where.bytes.begin.value,
                     fault.where.bytes.end.value, fault.where.partitions.begin.value,
                     fault.where.partitions.end.value, SpaceName(fault.space));
}

std::string Plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The clobbering write, then the read that suffers.
std::string Clobber(const Kernel& kernel, const TileFault& fault) {
  const std::string victim = Name(kernel, fault.read);
  if (!fault.clobber)
    return fmt::format("{} and what holds its value from the start share {}", victim, Place(fault));
  const std::string other = Name(kernel, *fault.clobber);
  if (fault.clobber->instance == fault.read.instance) {
    return fmt::format("{} reads {} and writes {} on the same {}: it writes while it still reads",
                       DescribeUse(kernel, fault.read), victim, other, Place(fault));
  }
  return fmt::format(
      "{} is overwritten before its last read: {} puts {} on {}, and {} then reads "
      "{}{}",
      victim, DescribeUse(kernel, *fault.clobber), other, Place(fault),
      DescribeUse(kernel, fault.read), victim,
      fault.written ? fmt::format(", written by {}", DescribeUse(kernel, *fault.written)) : "");
}

std::string Unloaded(const Kernel& kernel, const TileFault& fault) {
  const Tensor& tensor = kernel.tensors[fault.read.tensor];
  std::string text =
      fmt::format("{} reads {} at {} before anything filled it", DescribeUse(kernel, fault.read),
                  Name(kernel, fault.read), Place(fault));
  if (fault.clobber) {
    text += fmt::format(": it gets what {} wrote for {}", DescribeUse(kernel, *fault.clobber),
                        Name(kernel, *fault.clobber));
  }
  if (fault.too_late) {
    return text + fmt::format(". The first write of these bytes comes later, by {}",
                              DescribeUse(kernel, *fault.too_late));
  }
  for (const Instruction& instruction : kernel.instructions) {
    for (const Access& access : AccessesOf(instruction)) {
      if (!access.is_write || access.tensor != fault.read.tensor) continue;
      return text + fmt::format(". No iteration fills them; {}, which writes {}, would have to",
                                instruction.src.empty()
                                    ? instruction.op
                                    : fmt::format("{} ({})", instruction.op, instruction.src),
                                tensor.name);
    }
  }
  return text + fmt::format(". Nothing writes {} at all", tensor.name);
}

std::string Describe(const Kernel& kernel, const Target& target, const WayOut& way_out) {
  const auto name = [&](TensorId id) { return kernel.tensors[id].name; };
  const Space space = kernel.tensors[way_out.tried.front()].space;
  if (way_out.place) {
    const FreePlace& place = *way_out.place;
    std::string text = fmt::format("{} would fit at partition {}, byte {}", name(place.tensor),
                                   place.at.partition.value, place.at.byte.value);
    if (space == Space::kPsum)
      text += fmt::format(" (bank {})", place.at.byte.value / target.psum_bank_bytes.value.value);
    return text + fmt::format(": bytes [{}, {}) of {} are free as long as it lives",
                              place.bytes.begin.value, place.bytes.end.value, SpaceName(space));
  }
  if (way_out.enough) {
    return fmt::format("{} of {} would do: {}", Plural(way_out.enough->counts.tiles, "tile"),
                       name(*way_out.ring),
                       DescribeEnough(kernel.tensors[*way_out.ring], *way_out.enough));
  }
  if (!way_out.complete) return "Whether they would fit elsewhere wasn't found within the limits";
  std::vector<std::string> names;
  for (const TensorId id : way_out.tried) names.push_back(name(id));
  return fmt::format("Nothing in the window of {} bytes of {} is free for {} as long as {}",
                     WindowOf(target, space).value, SpaceName(space), fmt::join(names, " or for "),
                     names.size() == 1 ? "it lives" : "they live");
}

}  // namespace

std::string DescribeEnough(const Tensor& tensor, const EnoughTiles& enough) {
  std::string text = fmt::format(
      "{}=({}{}), {} bytes [{}, {})",
      tensor.space == Space::kPsum ? "num_bank_tiles" : "num_free_tiles",
      fmt::join(enough.counts.counts, ", "), enough.counts.counts.size() == 1 ? "," : "",
      SpaceName(tensor.space), enough.bytes.begin.value, enough.bytes.end.value);
  if (!enough.fits())
    text += fmt::format(", which doesn't fit: the memory ends at byte {}", enough.limit.value);
  if (!enough.in_the_way.empty())
    text += fmt::format(", once {} made room", fmt::join(enough.in_the_way, " and "));
  if (!enough.is_proven) text += ", as far as was looked";
  return text;
}

std::string DescribeFinding(const Kernel& kernel, const Target& target,
                            const TileFinding& finding) {
  const TileFault& fault = finding.fault;
  const Tensor& tensor = kernel.tensors[fault.read.tensor];
  std::string text =
      fault.kind == TileFaultKind::kUnloaded ? Unloaded(kernel, fault) : Clobber(kernel, fault);
  if (fault.kind == TileFaultKind::kTooFewTiles) {
    text += fmt::format(". {} has {} for {}; ", tensor.name, Plural(finding.tiles_there, "tile"),
                        Plural(BlockCount(tensor), "block"));
    text += finding.enough ? fmt::format("{} would do: {}", finding.enough->counts.tiles,
                                         DescribeEnough(tensor, *finding.enough))
                           : "how many would do wasn't found within the limits of the search";
  }
  if (fault.kind == TileFaultKind::kOverlap)
    text += ". " + (finding.way_out ? Describe(kernel, target, *finding.way_out)
                                    : "Whether they would fit elsewhere wasn't looked for");
  if (fault.count > 1)
    text += fmt::format(". {} more such read{}", fault.count - 1, fault.count == 2 ? "" : "s");
  return text;
}

std::string DescribeWait(const Kernel& kernel, const TileWaitNote& note) {
  const Tensor& tensor = kernel.tensors[note.tensor];
  std::string text = fmt::format(
      "{} has {}: {} can't write {} before {} has read {}, which was filled just before it, so "
      "writes and reads of its tiles take turns",
      tensor.name, Plural(note.tiles_there, "tile"), DescribeUse(kernel, note.wait.write),
      Name(kernel, note.wait.write), DescribeUse(kernel, note.wait.read),
      Name(kernel, note.wait.read));
  if (note.enough) {
    text +=
        fmt::format("; {} would let them overlap: {}", Plural(note.enough->counts.tiles, "tile"),
                    DescribeEnough(tensor, *note.enough));
  }
  return text;
}

}  // namespace spillway::nki
