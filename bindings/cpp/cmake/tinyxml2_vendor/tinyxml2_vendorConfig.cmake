# Finds tinyxml2 of the system: packages call find_package(TinyXML2) after this, and link tinyxml2::tinyxml2.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
ament_core_use_modules("${CMAKE_CURRENT_LIST_DIR}/modules")
find_package(TinyXML2 QUIET MODULE)
ament_core_report_library(tinyxml2_vendor libtinyxml2-dev tinyxml2::tinyxml2)
