include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds a test that runs pytest on <path>, a file or a folder, and writes <testname>.xunit.xml. Without pytest, it warns
# and adds nothing. Arguments: testname path [SKIP_TEST] [PYTHON_EXECUTABLE program] [RUNNER file] [TIMEOUT seconds]
# [WORKING_DIRECTORY folder] [WERROR ON|OFF] [ENV VARIABLE=value...] [APPEND_ENV VARIABLE=value...]
# [APPEND_LIBRARY_DIRS folders...]
function(ament_add_pytest_test testname path)
  cmake_parse_arguments(ARG "SKIP_TEST" "PYTHON_EXECUTABLE;RUNNER;TIMEOUT;WERROR;WORKING_DIRECTORY"
    "APPEND_ENV;APPEND_LIBRARY_DIRS;ENV" ${ARGN})
  ament_core_no_more_arguments(ament_add_pytest_test ${ARG_UNPARSED_ARGUMENTS})
  ament_core_source_path(path "${path}")
  if(NOT EXISTS "${path}" AND NOT ARG_SKIP_TEST)
    message(FATAL_ERROR "ament_add_pytest_test(): '${path}' of the test '${testname}' does not exist")
  endif()
  if(NOT ARG_PYTHON_EXECUTABLE)
    set(ARG_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  endif()
  ament_has_pytest(has_pytest PYTHON_EXECUTABLE "${ARG_PYTHON_EXECUTABLE}")
  if(NOT has_pytest)
    message(WARNING "pytest was not found, so the test '${testname}' is left out. Install python3-pytest.")
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  ament_core_test_result(result "${testname}" ".xunit.xml")
  ament_core_python_test(command "${ARG_PYTHON_EXECUTABLE}" pytest)
  list(APPEND command "${path}"
    -o "cache_dir=${CMAKE_CURRENT_BINARY_DIR}/ament_cmake_pytest/${testname}/.cache"
    "--junit-xml=${result}" "--junit-prefix=${PROJECT_NAME}")
  if(ARG_WERROR)
    list(APPEND command -W error)
  endif()
  ament_core_test_options(options ARG)
  ament_add_test("${testname}" COMMAND ${command} RESULT_FILE "${result}" ${options})
  if(BUILD_TESTING)
    set_tests_properties("${testname}" PROPERTIES LABELS pytest)
  endif()
endfunction()

# Sets <var> to TRUE if Python has pytest. Arguments: var [QUIET] [PYTHON_EXECUTABLE program]
function(ament_has_pytest var)
  _ament_has_python_module(result pytest ${ARGN})
  set(${var} ${result} PARENT_SCOPE)
endfunction()

# Sets <var> to TRUE if Python has pytest-cov. Arguments: var [QUIET] [PYTHON_EXECUTABLE program]
function(ament_has_pytest_cov var)
  _ament_has_python_module(result pytest_cov ${ARGN})
  set(${var} ${result} PARENT_SCOPE)
endfunction()

# Sets <var> to the version of pytest, or to FALSE. Arguments: var [PYTHON_EXECUTABLE program]
function(ament_get_pytest_version var)
  cmake_parse_arguments(ARG "QUIET" "PYTHON_EXECUTABLE" "" ${ARGN})
  if(NOT ARG_PYTHON_EXECUTABLE)
    set(ARG_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  endif()
  set(${var} FALSE PARENT_SCOPE)
  if(ARG_PYTHON_EXECUTABLE)
    execute_process(COMMAND "${ARG_PYTHON_EXECUTABLE}" -m pytest --version
      OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
    if(code EQUAL 0 AND output MATCHES "pytest (version )?([0-9.]+)")
      set(${var} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Sets <var> to TRUE if Python can import <module>. Each interpreter is asked once.
function(_ament_has_python_module var module)
  cmake_parse_arguments(ARG "QUIET" "PYTHON_EXECUTABLE" "" ${ARGN})
  if(NOT ARG_PYTHON_EXECUTABLE)
    set(ARG_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  endif()
  get_property(known GLOBAL PROPERTY "AMENT_PYTHON_${ARG_PYTHON_EXECUTABLE}_${module}")
  if("${known}" STREQUAL "")
    set(known FALSE)
    if(ARG_PYTHON_EXECUTABLE)
      execute_process(COMMAND "${ARG_PYTHON_EXECUTABLE}" -c "import ${module}"
        RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
      if(code EQUAL 0)
        set(known TRUE)
      endif()
    endif()
    set_property(GLOBAL PROPERTY "AMENT_PYTHON_${ARG_PYTHON_EXECUTABLE}_${module}" ${known})
  endif()
  set(${var} ${known} PARENT_SCOPE)
endfunction()
