include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Adds a test of GoogleTest: an executable <target> from the sources, and a test of the same name. Without GoogleTest,
# it warns and adds nothing. A macro, because ament_find_gtest() sets variables of the caller. Arguments:
# target sources... [SKIP_LINKING_MAIN_LIBRARIES] [SKIP_TEST] [RUNNER file] [TIMEOUT seconds] [WORKING_DIRECTORY folder]
# [ENV VARIABLE=value...] [APPEND_ENV VARIABLE=value...] [APPEND_LIBRARY_DIRS folders...]
macro(ament_add_gtest target)
  ament_core_split_test_arguments(_ament_sources _ament_options ${ARGN})
  ament_add_gtest_executable(${target} ${_ament_sources})
  if(GTEST_FOUND)
    ament_add_gtest_test(${target} ${_ament_options})
  endif()
endmacro()

# Adds only the executable. Arguments: target sources... [SKIP_LINKING_MAIN_LIBRARIES]
macro(ament_add_gtest_executable target)
  ament_find_gtest()
  if(GTEST_FOUND)
    ament_core_test_executable(${target} "${GTEST_MAIN_LIBRARIES}" "${GTEST_LIBRARIES}" ${ARGN})
  endif()
endmacro()

# Adds only the test, for an executable of ament_add_gtest_executable(). Arguments: target [TEST_NAME name] and the
# options of ament_add_gtest() that do not concern the executable.
function(ament_add_gtest_test target)
  if(TARGET ${target} OR GTEST_FOUND)
    ament_core_googletest_test(ament_add_gtest_test gtest ${target} ${ARGN})
  endif()
endfunction()
