# What `cmake --install` puts where, and the package that find_package(Spillway) then finds:
# libraries and headers of every folder that users may link, the tool, and the package's files.
include(CMakePackageConfigHelpers)

set(SPILLWAY_WITH_RAPIDCHECK OFF)
if(TARGET rapidcheck)
  set(SPILLWAY_WITH_RAPIDCHECK ON)
endif()

install(TARGETS spillway_systemc_library EXPORT SpillwayTargets)
set_target_properties(spillway_systemc_library PROPERTIES EXPORT_NAME systemc_library)
install(TARGETS spillway RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

set(SPILLWAY_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Spillway")
install(EXPORT SpillwayTargets NAMESPACE spillway:: DESTINATION "${SPILLWAY_PACKAGE_DIR}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/ci/cmake/SpillwayConfig.cmake.in" "${PROJECT_BINARY_DIR}/SpillwayConfig.cmake"
  INSTALL_DESTINATION "${SPILLWAY_PACKAGE_DIR}")
# Before 1.0 a minor version may change what a user sees.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SpillwayConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/SpillwayConfig.cmake" "${PROJECT_BINARY_DIR}/SpillwayConfigVersion.cmake"
  DESTINATION "${SPILLWAY_PACKAGE_DIR}")
