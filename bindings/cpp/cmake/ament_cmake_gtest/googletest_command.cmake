# What ament_add_gtest(), ament_add_gmock() and ament_add_google_benchmark() have in common.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Splits the arguments of ament_add_gtest(): <sources> gets the sources and SKIP_LINKING_MAIN_LIBRARIES, <options> the
# options of the test.
function(ament_core_split_test_arguments sources options)
  cmake_parse_arguments(ARG "SKIP_TEST" "RUNNER;TIMEOUT;WORKING_DIRECTORY" "APPEND_ENV;APPEND_LIBRARY_DIRS;ENV" ${ARGN})
  ament_core_test_options(test_options ARG)
  set(${sources} "${ARG_UNPARSED_ARGUMENTS}" PARENT_SCOPE)
  set(${options} "${test_options}" PARENT_SCOPE)
endfunction()

# Adds the executable <target> from the sources and links <libraries>, and <main_libraries> before them unless
# SKIP_LINKING_MAIN_LIBRARIES is given. Arguments: target main_libraries libraries sources...
# [SKIP_LINKING_MAIN_LIBRARIES]
function(ament_core_test_executable target main_libraries libraries)
  cmake_parse_arguments(ARG "SKIP_LINKING_MAIN_LIBRARIES" "" "" ${ARGN})
  if("${ARG_UNPARSED_ARGUMENTS}" STREQUAL "")
    message(FATAL_ERROR "The test '${target}' has no source files")
  endif()
  if(NOT ARG_SKIP_LINKING_MAIN_LIBRARIES)
    set(libraries ${main_libraries} ${libraries})
  endif()
  add_executable(${target} ${ARG_UNPARSED_ARGUMENTS})
  # The property, and not target_link_libraries(): so the package may use its plain form as well as its keywords.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${libraries})
endfunction()

# Sets in the caller: ARG_TEST_NAME, by default <target>, and <options> with the options of the test.
# Arguments: command target options arguments...
function(ament_core_parse_test command target options)
  cmake_parse_arguments(ARG "SKIP_TEST" "TEST_NAME;RUNNER;TIMEOUT;WORKING_DIRECTORY"
    "APPEND_ENV;APPEND_LIBRARY_DIRS;ENV" ${ARGN})
  ament_core_no_more_arguments(${command} ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_TEST_NAME)
    set(ARG_TEST_NAME ${target})
  endif()
  ament_core_test_options(test_options ARG)
  set(ARG_TEST_NAME ${ARG_TEST_NAME} PARENT_SCOPE)
  set(${options} "${test_options}" PARENT_SCOPE)
endfunction()

# Adds a test that runs the executable <target> of GoogleTest or GoogleMock and writes <name>.gtest.xml.
# Arguments: command label target, and those of ament_add_gtest_test()
function(ament_core_googletest_test command label target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${command}(): there is no target '${target}'")
  endif()
  ament_core_parse_test(${command} ${target} options ${ARGN})
  ament_core_test_result(result "${ARG_TEST_NAME}" ".gtest.xml")
  ament_add_test("${ARG_TEST_NAME}" COMMAND "$<TARGET_FILE:${target}>" "--gtest_output=xml:${result}"
    RESULT_FILE "${result}" ${options})
  if(BUILD_TESTING)
    set_tests_properties("${ARG_TEST_NAME}" PROPERTIES LABELS "${label}")
  endif()
endfunction()
