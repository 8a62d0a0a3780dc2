# Finds the headers for URDF of the system. Defines urdfdom_headers::urdfdom_headers.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
# The system's own urdfdom_headersConfig.cmake has the name of this file, so the headers are looked for instead.
ament_core_system_library(urdfdom_headers::urdfdom_headers _urdfdom_headers_ok
  HEADER urdf_model/model.h PATH_SUFFIXES urdfdom_headers)
ament_core_report_library(urdfdom_headers liburdfdom-headers-dev urdfdom_headers::urdfdom_headers)
