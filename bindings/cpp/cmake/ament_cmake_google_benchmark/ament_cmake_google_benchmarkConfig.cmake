# Defines commands that add benchmarks of Google Benchmark.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_test ament_cmake_gtest)
include("${CMAKE_CURRENT_LIST_DIR}/ament_add_google_benchmark.cmake")
