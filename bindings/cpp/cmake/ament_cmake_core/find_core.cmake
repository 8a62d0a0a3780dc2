# Finds ament_cmake_core for the packages that are installed beside it. Their config files include this file.
find_package(ament_cmake_core QUIET REQUIRED PATHS "${CMAKE_CURRENT_LIST_DIR}/../../.." NO_DEFAULT_PATH
  NO_CMAKE_FIND_ROOT_PATH)
if(NOT COMMAND ament_core_find_siblings)
  message(FATAL_ERROR "Another ament_cmake_core was loaded before that of Saltus: '${ament_cmake_core_DIR}'. "
    "Put the prefix of Saltus first in CMAKE_PREFIX_PATH and start with an empty build folder.")
endif()
