include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Adds a test of GoogleMock, like ament_add_gtest() and with its arguments.
macro(ament_add_gmock target)
  ament_core_split_test_arguments(_ament_sources _ament_options ${ARGN})
  ament_add_gmock_executable(${target} ${_ament_sources})
  if(GMOCK_FOUND)
    ament_add_gmock_test(${target} ${_ament_options})
  endif()
endmacro()

# Adds only the executable. Arguments: target sources... [SKIP_LINKING_MAIN_LIBRARIES]
macro(ament_add_gmock_executable target)
  ament_find_gmock()
  if(GMOCK_FOUND)
    ament_core_test_executable(${target} "${GMOCK_MAIN_LIBRARIES}" "${GMOCK_LIBRARIES};${GTEST_LIBRARIES}" ${ARGN})
  endif()
endmacro()

# Adds only the test, for an executable of ament_add_gmock_executable(). Arguments: those of ament_add_gtest_test()
function(ament_add_gmock_test target)
  if(TARGET ${target} OR GMOCK_FOUND)
    ament_core_googletest_test(ament_add_gmock_test gmock ${target} ${ARGN})
  endif()
endfunction()
