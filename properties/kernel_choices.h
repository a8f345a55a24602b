// A kernel as a flat list of small, independent choices: what shrinks well and what fuzzers mutate.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillway {

/// What one choice adds to the kernel. Simplest first, so that shrinking a byte simplifies.
enum class ChoiceKind : std::uint8_t {
  kLoad,     ///< a new tensor from an input
  kCompute,  ///< a new tensor from two others
  kStore,    ///< a tensor, or a part of it, to an output
  kOpenLoop,
  kCloseLoop,
  kUpdate,      ///< writes a part of what it reads
  kOverwrite,   ///< writes a part, or everything, without reading it
  kPieces,      ///< a new tensor, written in two halves
  kCopy,        ///< a new tensor as a copy of another
  kBlocks,      ///< a new tensor with blocks, all of them written
  kRotate,      ///< a new tensor with blocks, of which each iteration writes or updates one
  kMatmul,      ///< a new PSUM tensor, overwritten by a product
  kAccumulate,  ///< another product onto a PSUM tensor or a part of it
  kEvacuate,    ///< a new SBUF tensor from PSUM
  kEither,      ///< a new tensor, written by one of two instructions under opposite predicates
  kColumns,     ///< a new tensor, written column by column in a loop of its own
  kShift,       ///< two indices into one tensor's blocks, which may name one block
  kComb,        ///< every other element of a long tensor, in more runs than are followed
  kReopen,      ///< a product overwrites a part of a PSUM tensor
  kPsumBlocks,  ///< a new PSUM tensor with blocks, all of them opened, or one an iteration
  kLongLoop,    ///< a tensor in whose elements or blocks more than a hundred trips take turns
};
inline constexpr int kChoiceKinds = 21;

/// One choice. Any values are legal: the decoder reduces each to what is possible where it stands.
struct Choice {
  std::uint8_t kind = 0;    ///< modulo kChoiceKinds
  std::uint8_t first = 0;   ///< a visible tensor, counted back from the newest
  std::uint8_t second = 0;  ///< another one
  std::uint8_t height = 0;  ///< partitions of a new tensor, or trip count
  std::uint8_t size = 0;    ///< free elements and type of a new tensor, or a loop's shape
  std::uint8_t region = 0;  ///< how much of a tensor, and where
  std::uint8_t detail = 0;  ///< offsets, block indices
  std::uint8_t guard = 0;   ///< predicate; mostly none

  friend bool operator==(const Choice&, const Choice&) = default;
};
inline constexpr std::size_t kChoiceBytes = 8;

/// Eight bytes a choice; the last ones may be missing and are 0 then.
std::vector<Choice> ChoicesOf(std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> BytesOf(std::span<const Choice> choices);

/// `count` choices from a seed: a fixed sequence, the same on every machine. Odd seeds favour a few
/// kinds of choices that they draw first.
std::vector<std::uint8_t> ChoiceBytesFromSeed(std::uint64_t seed, std::size_t count);

/// C++ source of the bytes, to paste into a test: "{3, 0, 1, …}".
std::string ShowChoices(std::span<const std::uint8_t> bytes);

}  // namespace spillway
