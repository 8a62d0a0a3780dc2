# Packages call find_package(Eigen3) after this, which then sets Eigen3_INCLUDE_DIRS for ament_target_dependencies().
if(NOT "${CMAKE_CURRENT_LIST_DIR}/modules" IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
endif()
