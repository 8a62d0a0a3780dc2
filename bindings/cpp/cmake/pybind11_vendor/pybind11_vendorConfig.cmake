# Finds pybind11 of the system: packages call find_package(pybind11) after this.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
find_package(pybind11 QUIET CONFIG)
ament_core_report_library(pybind11_vendor pybind11-dev pybind11::headers pybind11::pybind11)
