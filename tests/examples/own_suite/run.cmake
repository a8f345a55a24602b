# Installs Spillway below SCRATCH and builds and runs the example against what is there alone.
# Variables: SPILLWAY_BUILD, EXAMPLE, SCRATCH, GENERATOR, COMPILER, LAUNCHER, FLAGS, BUILD_TYPE.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# Headers that are gone from the tree must not be found where an earlier run left them.
file(REMOVE_RECURSE "${SCRATCH}/installed" "${SCRATCH}/build")
run(${CMAKE_COMMAND} --install "${SPILLWAY_BUILD}" --prefix "${SCRATCH}/installed")
run(${CMAKE_COMMAND} -S "${EXAMPLE}" -B "${SCRATCH}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${SCRATCH}/installed" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}")
run(${CMAKE_COMMAND} --build "${SCRATCH}/build")
run("${SCRATCH}/build/own_suite" --gtest_brief=1)
message("${said}")
run("${SCRATCH}/installed/bin/spillway" --version)
message("installed tool: ${said}")
