// Plays one program in a process of its own and prints the hash of its times.
#include <cstdlib>
#include <iostream>

#include "model/hw/systemc/machine.h"
#include "properties/program_choices.h"
#include "tests/property/times_hash.h"

// libsystemc asks for it.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: fresh_run SEED SIZE\n";
    return 2;
  }
  const spillway::ProgramCase c = spillway::ProgramCaseFromSeed(
      std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
  std::cout << spillway::HashOfTimes(
                   spillway::Machine::Instance().Run(c.Program(), c.RatesOf(), {}, nullptr))
            << "\n";
}
