# Finds Zstandard. Defines zstd::zstd, zstd_INCLUDE_DIRS and zstd_LIBRARIES.
include(FindPackageHandleStandardArgs)
include("${CMAKE_CURRENT_LIST_DIR}/../../../ament_cmake_core/cmake/system_library.cmake")
ament_core_system_library(zstd::zstd _zstd_ok HEADER zstd.h LIBRARIES zstd)
ament_core_report_library(zstd libzstd-dev zstd::zstd)
find_package_handle_standard_args(zstd REQUIRED_VARS zstd_LIBRARIES)
