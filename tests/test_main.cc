// The entry point of every test executable, and the sc_main that libsystemc asks for.
#include <gtest/gtest.h>

// libsystemc's own main would call this; the tests have their own main and never do.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
