// Every rule of time that the machine plays, as a row that a person can read.
#pragma once

#include <string>
#include <vector>

#include "model/hw/target.h"

namespace spillway {

/// One rule on one generation. Numbers in `expression` come from the rows of the target and of the
/// cost table, so the row always says what is played.
struct TimingRule {
  std::string generation;  ///< "trn2"
  std::string resource;    ///< an engine, "dma engine", "psum bank", …
  std::string rule;        ///< what it gives the time of
  std::string expression;  ///< N: elements per partition, B: bytes of a descriptor
  std::string unit;
  std::string source;
  Confidence confidence = Confidence::kAssumed;
};

/// The rules of `target`, in the order: streams, engines, ports, PSUM, DMA, instructions.
std::vector<TimingRule> TimingRules(const Target& target);

}  // namespace spillway
