# Finds what extension modules for Python need. Sets PythonExtra_EXECUTABLE, PythonExtra_INCLUDE_DIRS,
# PythonExtra_LIBRARIES, PythonExtra_EXTENSION_SUFFIX (such as .cpython-311-x86_64-linux-gnu) and
# PythonExtra_EXTENSION_EXTENSION (such as .so).
include(FindPackageHandleStandardArgs)

find_package(Python3 QUIET COMPONENTS Interpreter Development)
set(PythonExtra_EXECUTABLE "${Python3_EXECUTABLE}")
set(PythonExtra_INCLUDE_DIRS "${Python3_INCLUDE_DIRS}")
set(PythonExtra_LIBRARIES "${Python3_LIBRARIES}")
set(PythonExtra_EXTENSION_EXTENSION ".so")
if(WIN32)
  set(PythonExtra_EXTENSION_EXTENSION ".pyd")
endif()
set(PythonExtra_EXTENSION_SUFFIX "")
if(Python3_SOABI)
  set(PythonExtra_EXTENSION_SUFFIX ".${Python3_SOABI}")
endif()
find_package_handle_standard_args(PythonExtra
  REQUIRED_VARS PythonExtra_EXECUTABLE PythonExtra_INCLUDE_DIRS PythonExtra_LIBRARIES)
