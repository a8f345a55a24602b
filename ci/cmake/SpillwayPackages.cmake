# Every dependency is a Debian package; CONTRIBUTING.md says why each was chosen.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(RapidJSON REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SystemC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(Zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(Xxhash REQUIRED IMPORTED_TARGET libxxhash)
# The tool alone allocates with it; sanitizers bring an allocator of their own.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  find_package(mimalloc REQUIRED)
endif()
if(SPILLWAY_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT})
  find_package(ZLIB REQUIRED)
endif()

add_library(spillway_rapidjson INTERFACE)
target_include_directories(spillway_rapidjson SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIRS} ${RapidJSON_INCLUDE_DIRS})
if(SPILLWAY_FUZZ)
  target_compile_options(spillway_rapidjson INTERFACE
    "-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/ignorelist.txt")
endif()

# Debian's library is built as C++17; the define lets C++20 code link it.
add_library(spillway_systemc_library INTERFACE)
target_link_libraries(spillway_systemc_library INTERFACE PkgConfig::SystemC)
target_compile_definitions(spillway_systemc_library INTERFACE SC_CPLUSPLUS=201703L)
