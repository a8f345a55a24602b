// RapidCheck generators over choices: for users' own suites.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "properties/kernel_choices.h"
#include "properties/random_kernel.h"

namespace spillway {

/// Any bytes, whatever the size: `inRange` alone would keep them small in early cases.
inline rc::Gen<std::uint8_t> AnyByte() {
  return rc::gen::resize(100, rc::gen::map(rc::gen::inRange(0, 256),
                                           [](int b) { return static_cast<std::uint8_t>(b); }));
}

inline rc::Gen<std::vector<std::uint8_t>> AnyBytes(int most) {
  return rc::gen::resize(most, rc::gen::container<std::vector<std::uint8_t>>(AnyByte()));
}

/// A kernel of up to `most` choices, and how much memory it gets. Shrinks by leaving out choices,
/// then towards smaller bytes.
struct KernelCase {
  std::vector<Choice> choices;
  std::uint8_t tightness = 0;  ///< 0: room for the peak; 255: for the largest instruction alone

  Kernel Decode(const RandomKernelOptions& options = {}) const {
    return DecodeKernel(BytesOf(choices), options);
  }
  /// Bytes between what the largest instruction and what the peak needs.
  Bytes Between(Bytes least, Bytes most) const {
    const std::int64_t room = std::max<std::int64_t>(0, (most - least).value);
    return least + Bytes(room * (255 - tightness) / 255);
  }
};

inline void showValue(const KernelCase& value, std::ostream& out) {
  out << "tightness " << static_cast<int>(value.tightness) << ", choices "
      << ShowChoices(BytesOf(value.choices));
}

inline rc::Gen<Choice> AnyChoice(rc::Gen<std::uint8_t> kind) {
  return rc::gen::build<Choice>(
      rc::gen::set(&Choice::kind, std::move(kind)), rc::gen::set(&Choice::first, AnyByte()),
      rc::gen::set(&Choice::second, AnyByte()), rc::gen::set(&Choice::height, AnyByte()),
      rc::gen::set(&Choice::size, AnyByte()), rc::gen::set(&Choice::region, AnyByte()),
      rc::gen::set(&Choice::detail, AnyByte()), rc::gen::set(&Choice::guard, AnyByte()));
}

inline rc::Gen<KernelCase> AnyKernel(int most = 40) {
  const auto tightness =
      rc::gen::weightedOneOf<std::uint8_t>({{2, rc::gen::just<std::uint8_t>(255)}, {3, AnyByte()}});
  return rc::gen::build<KernelCase>(
      rc::gen::set(
          &KernelCase::choices,
          rc::gen::resize(most, rc::gen::container<std::vector<Choice>>(AnyChoice(AnyByte())))),
      rc::gen::set(&KernelCase::tightness, tightness));
}

}  // namespace spillway

template <>
struct rc::Arbitrary<spillway::KernelCase> {
  static rc::Gen<spillway::KernelCase> arbitrary() { return spillway::AnyKernel(); }
};
