# Finds libyaml of the system: packages call find_package(yaml) after this, and link the target yaml.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
ament_core_use_modules("${CMAKE_CURRENT_LIST_DIR}/modules")
find_package(yaml QUIET MODULE)
ament_core_report_library(libyaml_vendor libyaml-dev yaml)
