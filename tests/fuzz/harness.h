// What each harness of this folder is: a function of bytes, and seeds from the generators. The
// drivers are libFuzzer, AFL++ and fuzz_main.cc, which the suite runs over the seeds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillway {

/// What is wrong with how `bytes` were treated; empty: nothing. What it throws is wrong too.
std::string FuzzOne(std::span<const std::uint8_t> bytes);

/// Inputs to begin with, since fuzzers find little from nothing; the same on every call. In a file
/// of their own, so that a fuzzer builds no more than what it tests.
std::vector<std::vector<std::uint8_t>> Seeds();

}  // namespace spillway
