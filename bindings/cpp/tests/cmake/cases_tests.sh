# Commands that add tests.

prefixes=$saltus

# Makes stand-ins below $work/modules for the Python module launch_testing and the package benchmark.
make_stand_ins() {
  mkdir -p "$work/modules/launch_testing"
  touch "$work/modules/launch_testing/__init__.py"
  cat > "$work/modules/launch_testing/launch_test.py" <<'END'
import os
import sys

result = [a for a in sys.argv if a.startswith('--junit-xml=')][0].split('=')[1]
assert '--package-name=tests_pkg' in sys.argv
assert os.path.exists(sys.argv[1])
print(sys.argv[2:], 'domain', os.environ.get('ROS_DOMAIN_ID'))
with open(result, 'w') as file:
    file.write('<testsuite tests="1"/>')
END
}

# Runs the tests of tests_pkg and leaves the output in $work/output. Arguments: options of ctest...
run_tests() {
  (cd "$tree" && PYTHONPATH=$work/modules TEST_PATH=/first USER=tester ctest "$@") > "$work/output" 2>&1
}

# Checks the outcome of tests. Arguments: outcome as ctest prints it, names of tests...
outcome() {
  text=$1
  shift
  for test in "$@"; do
    grep -qE "Test +#[0-9]+: $test \.+ *(\*\*\*)? ?$text" "$work/output" || {
      cat "$work/output"
      fail "$test has not the outcome '$text'"
    }
  done
}

passing_tests() {
  make_stand_ins
  build tests_pkg "$work/tests"
  tree=$work/build/$(echo "$work/tests" | tr / _)/tests_pkg
  results=$tree/test_results/tests_pkg
  run_tests || { cat "$work/output"; fail "ctest returned $?"; }
  outcome Passed test_plain test_keyword test_environment test_own_main test_program test_program_again test_mock \
    test_mock_program test_mock_by_hand test_domain test_domain_by_runner test_mock_domain test_domain_program \
    test_mock_domain_program test_domain_command test_domain_python test_command test_arguments test_test_node.launch.py test_test_by_path.launch.py \
    named_launch_test ros_test
  outcome Skipped test_skipped test_skip_code
  exist "$results/test_plain.gtest.xml" "$results/test_mock.gtest.xml" "$results/test_program_again.gtest.xml" \
    "$results/test_test_node.launch.py.xunit.xml" "$results/named_launch_test.xunit.xml" "$tree/test_command.txt"
  contains "$results/test_plain.gtest.xml" 'tests="1"'
  contains "$results/test_skipped.gtest.xml" 'skipped="1"'
  contains "$results/test_skip_code.xml" 'The command returned 7'
  contains "$results/test_command.xml" 'failures="0"'
  contains "$tree/test_command.txt" "[  PASSED  ] 1 test."
  run_tests -V -R 'launch|ros_test'
  contains "$work/output" "'name:=value'"
  grep -q "domain [0-9]" "$work/output" || fail "add_ros_test() sets no ROS_DOMAIN_ID"
  run_tests -L gmock
  outcome Passed test_mock test_mock_program
  run_tests -L extra_label
  outcome Passed test_command
  run_tests -L slow
  outcome Passed named_launch_test
  run_tests -D ExperimentalTest --no-compress-output -V
  exist "$tree"/Testing/*/Test.xml
}
run_case passing_tests "tests: gtest, gmock, commands, launch tests, ROS domains, environment, labels, result files"

failing_tests() {
  build tests_pkg "$work/tests" -DFAILING_TESTS=ON
  tree=$work/build/$(echo "$work/tests" | tr / _)/tests_pkg
  results=$tree/test_results/tests_pkg
  if run_tests -R 'failing|crash|endless|no_result|no_program'; then fail "ctest returned 0"; fi
  outcome Failed test_failing test_crash test_no_result test_no_program
  outcome Timeout test_endless
  for _ in $(seq 50); do
    if ! pgrep -f "$tree/test_endless" > /dev/null; then break; fi
    sleep 0.2
  done
  if pgrep -f "$tree/test_endless" > /dev/null; then fail "the test still runs after its timeout"; fi
  contains "$results/test_failing.gtest.xml" 'failures="1"'
  contains "$results/test_crash.gtest.xml" 'The command left no result file: '
  contains "$results/test_no_result.xml" 'The command succeeded, but left no result file'
  contains "$results/test_no_program.xml" 'The command left no result file: '
}
run_case failing_tests "tests that fail, crash, do not end or leave no result file are failures with a result file"

without_testing() {
  build tests_pkg "$work/without_tests" -DBUILD_TESTING=OFF
  tree=$work/build/$(echo "$work/without_tests" | tr / _)/tests_pkg
  run_tests || true
  if grep -q "Test *#" "$work/output"; then fail "there are tests"; fi
  project testing_off <<'END'
find_package(ament_cmake_gtest REQUIRED)
find_package(ament_cmake_pytest REQUIRED)
find_package(launch_testing_ament_cmake REQUIRED)
ament_add_gtest(one test.cpp TIMEOUT 5)
ament_add_test(two COMMAND true)
ament_add_pytest_test(three test.cpp)
add_launch_test(test.cpp)
ament_package()
END
  touch "$work/src/testing_off/test.cpp"
  configure testing_off -DBUILD_TESTING=OFF
}
run_case without_testing "BUILD_TESTING=OFF adds no tests"

results_folder() {
  project results_folder <<'END'
ament_add_test(one COMMAND true GENERATE_RESULT_FOR_RETURN_CODE_ZERO)
ament_package()
END
  configure results_folder "-DAMENT_TEST_RESULTS_DIR=$work/results"
  (cd "$work/build/results_folder" && ctest)
  exist "$work/results/results_folder/one.xml"
}
run_case results_folder "AMENT_TEST_RESULTS_DIR moves the result files"

googletest_sources() {
  project from_sources <<'END'
set(CMAKE_DISABLE_FIND_PACKAGE_GTest TRUE)
find_package(ament_cmake_gmock REQUIRED)
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror)
ament_add_gmock(test_mock "${TEST_SOURCES}/test_mock.cpp")
ament_package()
END
  configure from_sources "-DTEST_SOURCES=$here/packages/tests_pkg/test"
  cmake --build "$work/build/from_sources"
  (cd "$work/build/from_sources" && ctest --output-on-failure)
  configure from_sources -DAMENT_GOOGLETEST_SOURCES=/nowhere "-DTEST_SOURCES=$here/packages/tests_pkg/test"
  contains "$work/output" "Install libgtest-dev"
}
run_case googletest_sources "GoogleTest and GoogleMock from /usr/src/googletest; a warning when there is none"

benchmarks() {
  folder=$work/benchmark/lib/cmake/benchmark
  mkdir -p "$folder"
  cat > "$folder/benchmarkConfig.cmake" <<'END'
add_library(benchmark::benchmark INTERFACE IMPORTED)
add_library(benchmark::benchmark_main INTERFACE IMPORTED)
END
  prefixes=$saltus:$work/benchmark
  project benchmarks <<'END'
find_package(ament_cmake_google_benchmark REQUIRED)
ament_add_google_benchmark(fast main.cpp TIMEOUT 10)
ament_package()
END
  echo 'int main() { return 0; }' > "$work/src/benchmarks/main.cpp"
  configure benchmarks
  cmake --build "$work/build/benchmarks"
  (cd "$work/build/benchmarks" && ctest) | tee "$work/output"
  outcome Skipped fast
  cmake -DAMENT_RUN_PERFORMANCE_TESTS=ON "$work/build/benchmarks"
  (cd "$work/build/benchmarks" && ctest) | tee "$work/output"
  outcome Passed fast
  prefixes=$saltus
  echo 'target_link_libraries(fast m)' >> "$work/src/benchmarks/CMakeLists.txt"
  echo 'ament_add_google_benchmark_executable(slow main.cpp)' >> "$work/src/benchmarks/CMakeLists.txt"
  echo 'ament_add_google_benchmark_test(slow)' >> "$work/src/benchmarks/CMakeLists.txt"
  configure benchmarks -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=TRUE -DAMENT_RUN_PERFORMANCE_TESTS=ON
  cmake --build "$work/build/benchmarks"
  (cd "$work/build/benchmarks" && ctest -N) | grep -q "Total Tests: 0"
  contains "$work/output" "Google Benchmark was not found, so benchmarks are left out"
}
run_case benchmarks "benchmarks: skipped unless AMENT_RUN_PERFORMANCE_TESTS, left out without Google Benchmark"

implementations() {
  project implementations "<test_depend>ament_lint_common</test_depend>" <<'END'
find_package(rmw_implementation_cmake REQUIRED)
macro(tests)
  list(APPEND called "${rmw_implementation}'${target_suffix}'")
endmacro()
call_for_each_rmw_implementation(tests)
call_for_each_rmw_implementation(tests GENERATE_DEFAULT)
get_available_rmw_implementations(all)
get_default_rmw_implementation(default)
message("called: ${called}, all: ${all}, default: ${default}.")
add_subdirectory(test)
ament_package()
END
  # A subfolder reads the package.xml of its project, and a launch file may be generated later.
  mkdir -p "$work/src/implementations/test"
  cat > "$work/src/implementations/test/CMakeLists.txt" <<'END'
find_package(ament_lint_auto REQUIRED)
ament_lint_auto_find_test_dependencies()
ament_cppcheck(LANGUAGE "c++")
find_package(launch_testing_ament_cmake REQUIRED)
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/later.py" CONTENT "")
add_launch_test("${CMAKE_CURRENT_BINARY_DIR}/later.py" TARGET later)
END
  configure implementations
  with="rmw_saltus_cpp'__rmw_saltus_cpp'"
  contains "$work/output" "called: $with;rmw_saltus_cpp'';$with, all: rmw_saltus_cpp, default: rmw_saltus_cpp."
}
run_case implementations "tests for each rmw, and tests in a subfolder"

linters() {
  project linters "<test_depend>ament_lint_auto</test_depend>" "<test_depend>ament_lint_common</test_depend>" \
    "<test_depend>ament_cmake_cpplint</test_depend>" "<test_depend>no_such_linter</test_depend>" <<'END'
find_package(ament_lint_auto REQUIRED)
set(ament_cmake_copyright_FOUND TRUE)
set(ament_cmake_cpplint_FOUND TRUE)
ament_lint_auto_find_test_dependencies()
foreach(linter IN ITEMS copyright cppcheck cpplint flake8 lint_cmake pep257 uncrustify xmllint clang_format clang_tidy
    pyflakes mypy black pycodestyle)
  find_package(ament_cmake_${linter} REQUIRED)
endforeach()
ament_copyright()
ament_cppcheck(LANGUAGE "c++" INCLUDE_DIRS include)
ament_cpplint(FILTERS -build/c++11 TESTNAME x)
ament_flake8()
ament_lint_cmake()
ament_pep257()
ament_uncrustify(CONFIG_FILE x LANGUAGE C++)
ament_xmllint()
ament_clang_format(CONFIG_FILE .clang-format)
ament_clang_tidy("${CMAKE_BINARY_DIR}")
ament_pyflakes()
ament_mypy()
ament_black()
ament_pycodestyle()
ament_package()
END
  configure linters
  contains "$work/output" "-- ament_cpplint() does nothing: Saltus runs no linters"
  (cd "$work/build/linters" && ctest 2>&1) | tee "$work/output"
  contains "$work/output" "No tests were found"
}
run_case linters "linters accept their arguments and do nothing; ament_lint_auto finds what there is"
