include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Benchmarks take long and need a quiet machine, so tests of them are skipped unless this is ON.
option(AMENT_RUN_PERFORMANCE_TESTS "Run benchmarks in tests" OFF)

# Finds Google Benchmark once. Sets GOOGLE_BENCHMARK_FOUND.
macro(ament_find_google_benchmark)
  if(NOT DEFINED GOOGLE_BENCHMARK_FOUND)
    find_package(benchmark QUIET)
    set(GOOGLE_BENCHMARK_FOUND FALSE)
    if(TARGET benchmark::benchmark_main)
      set(GOOGLE_BENCHMARK_FOUND TRUE)
    else()
      message(STATUS "Google Benchmark was not found, so benchmarks are left out. Install libbenchmark-dev.")
    endif()
  endif()
endmacro()

# Adds a benchmark: an executable <target> from the sources, and a test of the same name.
# Arguments: those of ament_add_gtest()
macro(ament_add_google_benchmark target)
  ament_core_split_test_arguments(_ament_sources _ament_options ${ARGN})
  ament_add_google_benchmark_executable(${target} ${_ament_sources})
  if(GOOGLE_BENCHMARK_FOUND)
    ament_add_google_benchmark_test(${target} ${_ament_options})
  endif()
endmacro()

# Adds only the executable. Arguments: target sources... [SKIP_LINKING_MAIN_LIBRARIES]
macro(ament_add_google_benchmark_executable target)
  ament_find_google_benchmark()
  if(GOOGLE_BENCHMARK_FOUND)
    ament_core_test_executable(${target} benchmark::benchmark_main benchmark::benchmark ${ARGN})
  else()
    # Packages link libraries to the target without asking whether it exists. Nothing builds it.
    ament_core_test_executable(${target} "" "" ${ARGN})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
endmacro()

# Adds only the test, for an executable of ament_add_google_benchmark_executable(). It writes the measurements to
# <name>.google_benchmark.json. Arguments: those of ament_add_gtest_test()
function(ament_add_google_benchmark_test target)
  if(NOT TARGET ${target} OR NOT GOOGLE_BENCHMARK_FOUND)
    return()
  endif()
  ament_core_parse_test(ament_add_google_benchmark_test ${target} options ${ARGN})
  if(NOT AMENT_RUN_PERFORMANCE_TESTS)
    list(APPEND options SKIP_TEST)
  endif()
  ament_core_test_result(json "${ARG_TEST_NAME}" ".google_benchmark.json")
  ament_core_test_result(result "${ARG_TEST_NAME}" ".google_benchmark.xml")
  ament_add_test("${ARG_TEST_NAME}" COMMAND "$<TARGET_FILE:${target}>" "--benchmark_out_format=json"
    "--benchmark_out=${json}" RESULT_FILE "${result}" GENERATE_RESULT_FOR_RETURN_CODE_ZERO ${options})
  if(BUILD_TESTING)
    set_tests_properties("${ARG_TEST_NAME}" PROPERTIES LABELS "google_benchmark;performance")
  endif()
endfunction()
