// The rules of direct allocation once more, as plainly as they can be said: numbers instead of
// types, the published formula instead of the project's evaluation. Shares nothing with
// model/alloc/nki but the names of the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spillway::nki::plain {

using Numbers = std::vector<std::int64_t>;
/// Name of the rule, and the block as text; empty for rules of the whole tensor.
using Broken = std::multiset<std::pair<std::string, std::string>>;

struct Machine {
  std::int64_t window;
  std::int64_t align;
  std::int64_t partitions;
  std::int64_t psum_partitions;
  std::int64_t banks;
  std::int64_t bank_bytes;
};

struct Law {
  std::int64_t base_bank, base_addr, base_partition;
  Numbers banks, pars, frees;
};

/// What a function gives for one block; nothing: it throws.
using Tuples = std::vector<std::optional<Numbers>>;

inline std::string Text(const Numbers& block) {
  if (block.empty()) return "()";
  std::string text = "(";
  for (std::size_t i = 0; i < block.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(block[i]);
  return text + (block.size() == 1 ? ",)" : ")");
}

/// All indices of blocks, row-major, by recursion over the dimensions.
inline std::vector<Numbers> Blocks(const Numbers& shape, std::size_t dimension = 0) {
  if (dimension == shape.size()) return {{}};
  std::vector<Numbers> all;
  for (std::int64_t i = 0; i < shape[dimension]; ++i) {
    for (Numbers rest : Blocks(shape, dimension + 1)) {
      rest.insert(rest.begin(), i);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// base + scale * sum over d of (i_d mod n_d) * n_(d+1) * n_(d+2) * …
inline std::int64_t Place(const Numbers& index, Numbers counts, std::int64_t scale,
                          std::int64_t base) {
  if (counts.empty()) counts.assign(index.size(), 1);
  std::int64_t tile = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    std::int64_t weight = 1;
    for (std::size_t after = d + 1; after < counts.size(); ++after) weight *= counts[after];
    tile += index[d] % counts[d] * weight;
  }
  return base + tile * scale;
}

inline void JudgeSbuf(const Machine& m, std::int64_t p, std::int64_t f, const Numbers& tuple,
                      const std::string& block, Broken& broken) {
  if (tuple.size() != 2) {
    broken.emplace("sbuf-tuple", block);
    return;
  }
  const std::int64_t s = tuple[0];
  const std::int64_t b = tuple[1];
  if (s < 0 || s + p > m.partitions) broken.emplace("partition-end", block);
  bool legal = true;
  if (64 < p && p <= 128) legal = s == 0;
  if (32 < p && p <= 64) legal = s == 0 || s == 64;
  if (0 < p && p <= 32) legal = s == 0 || s == 32 || s == 64 || s == 96;
  if (!legal) broken.emplace("sbuf-start-partition", block);
  if (b < 0 || b >= m.window) {
    broken.emplace("sbuf-window", block);
  } else if (b + f > m.window) {
    broken.emplace("sbuf-tile-end", block);
  }
  if (b % m.align != 0) broken.emplace("sbuf-alignment", block);
}

inline void JudgePsum(const Machine& m, std::int64_t p, const Numbers& tuple,
                      const std::string& block, Broken& broken) {
  if (tuple.size() != 3) {
    broken.emplace("psum-tuple", block);
    return;
  }
  if (tuple[0] < 0 || tuple[0] >= m.banks) broken.emplace("psum-bank", block);
  if (tuple[1] < 0 || tuple[1] + p > m.psum_partitions) broken.emplace("partition-end", block);
  if (tuple[1] != 0) broken.emplace("psum-start-partition", block);
  if (tuple[2] != 0) broken.emplace("psum-byte-addr", block);
}

inline void JudgeSize(const Machine& m, bool psum, std::int64_t p, std::int64_t f, Broken& broken) {
  if (p < 1 || p > (psum ? m.psum_partitions : m.partitions)) broken.emplace("partition-count", "");
  if (psum && f > m.bank_bytes) broken.emplace("psum-tile-size", "");
}

inline Broken JudgeTuples(const Machine& m, bool psum, std::int64_t p, std::int64_t f,
                          const Numbers& blocks, const Tuples& tuples) {
  Broken broken;
  JudgeSize(m, psum, p, f, broken);
  const std::vector<Numbers> all = Blocks(blocks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!tuples[i]) {
      broken.emplace("function", Text(all[i]));
    } else if (psum) {
      JudgePsum(m, p, *tuples[i], Text(all[i]), broken);
    } else {
      JudgeSbuf(m, p, f, *tuples[i], Text(all[i]), broken);
    }
  }
  return broken;
}

inline bool Ones(const Numbers& counts) {
  for (const std::int64_t n : counts) {
    if (n != 1) return false;
  }
  return true;
}

inline Broken JudgeLaw(const Machine& m, bool psum, std::int64_t p, std::int64_t f,
                       const Numbers& blocks, const Law& law) {
  Broken broken;
  JudgeSize(m, psum, p, f, broken);
  bool computable = true;
  for (const Numbers* counts : {&law.banks, &law.pars, &law.frees}) {
    if (!counts->empty() && counts->size() != blocks.size()) {
      broken.emplace("tile-counts", "");
      computable = false;
    }
    bool low = false;
    for (const std::int64_t n : *counts) low = low || n < 1;
    if (low) broken.emplace("tile-counts", "");
    computable = computable && !low;
  }
  if (law.base_partition != 0) broken.emplace("base-partition", "");
  if (psum) {
    if (law.base_bank < 0) broken.emplace("base-bank", "");
    if (law.base_addr != 0) broken.emplace("base-addr", "");
    if (!Ones(law.pars)) broken.emplace("psum-par-tiles", "");
    if (!Ones(law.frees)) broken.emplace("psum-free-tiles", "");
    computable = computable && law.base_bank >= 0;
  } else {
    if (law.base_bank != 0) broken.emplace("base-bank", "");
    if (!law.banks.empty()) broken.emplace("base-bank", "");
    if (law.base_addr < 0) broken.emplace("base-addr", "");
    if (!Ones(law.pars) && p >= 64) broken.emplace("par-tiles-height", "");
    computable = computable && law.base_addr >= 0 && law.base_partition >= 0;
  }
  if (!computable) return broken;
  for (const Numbers& block : Blocks(blocks)) {
    if (psum) {
      JudgePsum(m, p, {Place(block, law.banks, 1, law.base_bank), 0, 0}, Text(block), broken);
    } else {
      JudgeSbuf(m, p, f,
                {Place(block, law.pars, p, law.base_partition),
                 Place(block, law.frees, f, law.base_addr)},
                Text(block), broken);
    }
  }
  return broken;
}

}  // namespace spillway::nki::plain
