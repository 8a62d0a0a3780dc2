# Commands that take dependencies from package.xml.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake ament_cmake_gtest ament_cmake_gmock)
include("${CMAKE_CURRENT_LIST_DIR}/ament_auto_find.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_auto_targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_auto_package.cmake")
