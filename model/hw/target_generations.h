// The built-in generations, one function and one file each, and how their rows are written.
#pragma once

#include <string>
#include <utility>

#include "model/hw/target.h"

namespace spillway {

/// A number that a public document or public source file of the vendor states.
template <class T>
Sourced<T> Documented(T value, std::string source) {
  return {value, std::move(source), Confidence::kDocumented};
}

/// A number computed from documented ones, or read off a published chart or profile.
template <class T>
Sourced<T> Derived(T value, std::string source) {
  return {value, std::move(source), Confidence::kDerived};
}

/// A number that nothing public states; the source says why this one.
template <class T>
Sourced<T> Assumed(T value, std::string source) {
  return {value, std::move(source), Confidence::kAssumed};
}

/// Inferentia, architecture level 10.
Target MakeInf1();
/// Trainium and Inferentia 2 (NeuronCore-v2), architecture level 20.
Target MakeTrn1();
/// Trainium 2 (NeuronCore-v3), architecture level 30.
Target MakeTrn2();
/// Trainium 3 (NeuronCore-v4), architecture level 40.
Target MakeTrn3();

}  // namespace spillway
