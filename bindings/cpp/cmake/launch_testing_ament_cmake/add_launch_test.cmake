include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds a test that runs the launch file <filename>, in the source folder or in its folder test, with launch_testing and
# writes <name>.xunit.xml. The name is TARGET, or <filename> with "_" for "/".
# Arguments: filename [TARGET name] [ARGS arguments...] [LABELS labels...]
# [PYTHON_EXECUTABLE program] [SKIP_TEST] [RUNNER file] [TIMEOUT seconds] [WORKING_DIRECTORY folder]
# [ENV VARIABLE=value...] [APPEND_ENV VARIABLE=value...] [APPEND_LIBRARY_DIRS folders...]
function(add_launch_test filename)
  cmake_parse_arguments(ARG "SKIP_TEST" "PYTHON_EXECUTABLE;RUNNER;TARGET;TIMEOUT;WORKING_DIRECTORY"
    "APPEND_ENV;APPEND_LIBRARY_DIRS;ARGS;ENV;LABELS" ${ARGN})
  ament_core_no_more_arguments(add_launch_test ${ARG_UNPARSED_ARGUMENTS})
  ament_core_source_path(file "${filename}")
  if(NOT EXISTS "${file}" AND NOT IS_ABSOLUTE "${filename}")
    ament_core_source_path(file "test/${filename}")
  endif()
  # A file that is generated is not there yet. Its path is absolute.
  if(NOT EXISTS "${file}" AND NOT IS_ABSOLUTE "${filename}")
    message(FATAL_ERROR "add_launch_test(): the launch file '${file}' does not exist")
  endif()
  if(NOT ARG_TARGET)
    set(ARG_TARGET "${filename}")
    if(IS_ABSOLUTE "${filename}")
      file(RELATIVE_PATH ARG_TARGET "${CMAKE_CURRENT_SOURCE_DIR}" "${filename}")
    endif()
    string(REPLACE "/" "_" ARG_TARGET "${ARG_TARGET}")
  endif()
  if(NOT ARG_PYTHON_EXECUTABLE)
    set(ARG_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  endif()
  if(NOT ARG_PYTHON_EXECUTABLE)
    message(WARNING "Python was not found, so the test '${ARG_TARGET}' is left out")
    return()
  endif()
  ament_core_test_result(result "${ARG_TARGET}" ".xunit.xml")
  ament_core_test_options(options ARG)
  ament_core_python_test(command "${ARG_PYTHON_EXECUTABLE}" launch_testing.launch_test)
  ament_add_test("${ARG_TARGET}"
    COMMAND ${command} "${file}" ${ARG_ARGS}
      "--junit-xml=${result}" "--package-name=${PROJECT_NAME}"
    RESULT_FILE "${result}" ${options})
  if(BUILD_TESTING)
    list(INSERT ARG_LABELS 0 launch_test)
    set_tests_properties("${ARG_TARGET}" PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()
