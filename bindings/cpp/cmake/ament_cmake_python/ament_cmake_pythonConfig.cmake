# Defines commands that install Python packages and modules. PYTHON_INSTALL_DIR is the folder below the prefix.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_python_install.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/setup_cfg.cmake")
if(NOT PYTHON_INSTALL_DIR)
  ament_get_python_install_dir(PYTHON_INSTALL_DIR)
endif()
