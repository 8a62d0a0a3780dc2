# Finds LZ4 of the system: packages call find_package(LZ4) after this, and link LZ4::lz4.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
ament_core_use_modules("${CMAKE_CURRENT_LIST_DIR}/modules")
find_package(LZ4 QUIET MODULE)
ament_core_report_library(liblz4_vendor liblz4-dev LZ4::lz4)
