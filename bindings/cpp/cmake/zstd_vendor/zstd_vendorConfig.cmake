# Finds Zstandard of the system: packages call find_package(zstd) after this, and link zstd::zstd.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
ament_core_use_modules("${CMAKE_CURRENT_LIST_DIR}/modules")
find_package(zstd QUIET MODULE)
ament_core_report_library(zstd_vendor libzstd-dev zstd::zstd)
