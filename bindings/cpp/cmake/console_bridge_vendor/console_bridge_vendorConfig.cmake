# Finds console_bridge of the system. Defines console_bridge::console_bridge.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
find_package(console_bridge QUIET CONFIG)
ament_core_system_library(console_bridge::console_bridge _console_bridge_vendor_ok
  HEADER console_bridge/console.h LIBRARIES console_bridge)
ament_core_report_library(console_bridge_vendor libconsole-bridge-dev console_bridge::console_bridge)
