# Compiles `source` with `compiler` and `includes`, without and with FORBIDDEN.
set(ENV{LC_ALL} C)
set(flags -std=c++20 -fsyntax-only -Wall -Wextra -Werror)
foreach(include IN LISTS includes)
  if(include)
    list(APPEND flags "-I${include}")
  endif()
endforeach()

file(STRINGS "${source}" expectations REGEX "^// expect: ")
list(LENGTH expectations count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${source}: one line '// expect: <regular expression>' is needed")
endif()
string(REPLACE "// expect: " "" expectation "${expectations}")

execute_process(COMMAND ${compiler} ${flags} "${source}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${source} must compile without FORBIDDEN:\n${output}")
endif()
execute_process(COMMAND ${compiler} ${flags} -DFORBIDDEN "${source}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${source} compiles with FORBIDDEN, and must not")
endif()
if(NOT output MATCHES "${expectation}")
  message(FATAL_ERROR "${source} fails to compile, but not with '${expectation}':\n${output}")
endif()
