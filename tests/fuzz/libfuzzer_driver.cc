// Any harness under libFuzzer, and under AFL++, which takes the same entry point.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string objection;
  try {
    objection = spillway::FuzzOne({data, size});
  } catch (const std::exception& bug) {
    objection = std::string("thrown: ") + bug.what();
  }
  if (objection.empty()) return 0;
  std::fprintf(stderr, "objection: %s\n", objection.c_str());
  std::abort();
}

// libsystemc asks for it: its own main would call it, and libFuzzer has another.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
