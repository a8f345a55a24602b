// What the columns of TryPipelines say of one case each.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace spillway {

/// Case `number` with `fault` planted, for one column: what it objects to; nothing: no objection.
/// What it looks at is drawn, laid out and unrolled before anything is planted.
using PipelineColumn = std::optional<std::string> (*)(std::int64_t number,
                                                      const std::string& fault);

/// Layouts of memory and barriers against a plain recount of ts_pipelines.md §2 and §5; a second
/// layout is refused.
std::optional<std::string> RecountLayouts(std::int64_t number, const std::string& fault);
/// Layouts against what any algorithm owes: nothing shares a place that isn't declared to, and one
/// more registration behind all others moves none of them.
std::optional<std::string> CheckLayoutLaws(std::int64_t number, const std::string& fault);
/// Engine 1 against engine 2 and the definitions by the letter; engine 3 against the latter.
std::optional<std::string> CompareEngines(std::int64_t number, const std::string& fault);
/// Engine 4 against the static verdict; the rings of kernels, played.
std::optional<std::string> CompareReplay(std::int64_t number, const std::string& fault);
/// Runs against each other: what is accepted gives the same data with aliasing and without, and
/// barriers end as their arrivals say.
std::optional<std::string> CompareReplayData(std::int64_t number, const std::string& fault);
/// Rings of kernels against the closed form of their depth and the lifetimes of their tiles.
std::optional<std::string> CompareRings(std::int64_t number, const std::string& fault);

/// What `make` draws with case `number` as the seed.
template <class Make>
auto DrawnFor(std::int64_t number, Make make) {
  constexpr int kSize = 100;
  return rc::gen::exec(std::move(make))(rc::Random(static_cast<std::uint64_t>(number)), kSize)
      .value();
}

}  // namespace spillway
