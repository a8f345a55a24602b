// RapidCheck generators over programs of the machine: for users' own suites.
#pragma once

#include <ostream>

#include "properties/program_choices.h"
#include "properties/rapidcheck_kernels.h"

namespace spillway {

inline rc::Gen<ProgramChoice> AnyProgramChoice() {
  return rc::gen::build<ProgramChoice>(
      rc::gen::set(&ProgramChoice::stream, AnyByte()),
      rc::gen::set(&ProgramChoice::time, AnyByte()), rc::gen::set(&ProgramChoice::extra, AnyByte()),
      rc::gen::set(&ProgramChoice::shape, AnyByte()), rc::gen::set(&ProgramChoice::wait, AnyByte()),
      rc::gen::set(&ProgramChoice::second, AnyByte()),
      rc::gen::set(&ProgramChoice::channels, AnyByte()));
}

inline rc::Gen<RateChoice> AnyRates() {
  return rc::gen::build<RateChoice>(rc::gen::set(&RateChoice::start_latency, AnyByte()),
                                    rc::gen::set(&RateChoice::issue_floor, AnyByte()),
                                    rc::gen::set(&RateChoice::generators, AnyByte()),
                                    rc::gen::set(&RateChoice::semaphore_latency, AnyByte()),
                                    rc::gen::set(&RateChoice::ramp, AnyByte()),
                                    rc::gen::set(&RateChoice::engines, AnyByte()));
}

/// A program of up to `most` instances. Shrinks by leaving out instances, then towards small bytes.
inline rc::Gen<ProgramCase> AnyProgram(int most = 60) {
  return rc::gen::build<ProgramCase>(
      rc::gen::set(&ProgramCase::choices,
                   rc::gen::resize(
                       most, rc::gen::container<std::vector<ProgramChoice>>(AnyProgramChoice()))),
      rc::gen::set(&ProgramCase::rates, AnyRates()));
}

inline void showValue(const ProgramCase& value, std::ostream& out) { out << Show(value); }

}  // namespace spillway

template <>
struct rc::Arbitrary<spillway::ProgramCase> {
  static rc::Gen<spillway::ProgramCase> arbitrary() { return spillway::AnyProgram(); }
};
