# Finds the Python interpreter for the packages: Python3_EXECUTABLE and Python3::Interpreter. Nothing in the files of
# Saltus needs Python. The program "python3" goes before a newer one with a version in its name, because that is what
# runs the installed modules.
if(NOT TARGET Python3::Interpreter OR NOT Python3_EXECUTABLE)
  if(NOT DEFINED Python3_FIND_UNVERSIONED_NAMES)
    set(Python3_FIND_UNVERSIONED_NAMES FIRST)
  endif()
  if(DEFINED Python3_FIND_STRATEGY)
    find_package(Python3 QUIET COMPONENTS Interpreter)
  else()
    # With LOCATION, CMake does not accept a Python that is newer than itself. With VERSION, it does.
    foreach(Python3_FIND_STRATEGY IN ITEMS LOCATION VERSION)
      if(NOT Python3_EXECUTABLE)
        find_package(Python3 QUIET COMPONENTS Interpreter)
      endif()
    endforeach()
    unset(Python3_FIND_STRATEGY)
  endif()
endif()
