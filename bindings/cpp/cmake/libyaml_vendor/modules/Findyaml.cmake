# Finds libyaml. Defines the target yaml, yaml_INCLUDE_DIRS and yaml_LIBRARIES.
include(FindPackageHandleStandardArgs)
include("${CMAKE_CURRENT_LIST_DIR}/../../../ament_cmake_core/cmake/system_library.cmake")
ament_core_system_library(yaml _yaml_ok HEADER yaml.h LIBRARIES yaml)
ament_core_report_library(yaml libyaml-dev yaml)
find_package_handle_standard_args(yaml REQUIRED_VARS yaml_LIBRARIES)
