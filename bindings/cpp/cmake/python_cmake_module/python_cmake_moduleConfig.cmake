# Packages call find_package(PythonExtra) after this, to build extension modules for Python.
if(NOT "${CMAKE_CURRENT_LIST_DIR}/modules" IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
endif()
