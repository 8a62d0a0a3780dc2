# Defines ament_lint_auto_find_test_dependencies().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_test)
include("${CMAKE_CURRENT_LIST_DIR}/ament_lint_auto_find_test_dependencies.cmake")
