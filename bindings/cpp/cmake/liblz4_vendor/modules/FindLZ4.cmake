# Finds LZ4. Defines LZ4::lz4, LZ4_INCLUDE_DIRS and LZ4_LIBRARIES.
include(FindPackageHandleStandardArgs)
include("${CMAKE_CURRENT_LIST_DIR}/../../../ament_cmake_core/cmake/system_library.cmake")
ament_core_system_library(LZ4::lz4 _LZ4_ok HEADER lz4.h LIBRARIES lz4)
ament_core_report_library(LZ4 liblz4-dev LZ4::lz4)
find_package_handle_standard_args(LZ4 REQUIRED_VARS LZ4_LIBRARIES)
