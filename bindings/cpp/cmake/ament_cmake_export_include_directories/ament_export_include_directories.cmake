include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds folders to <pkg>_INCLUDE_DIRS of this package. Relative folders are below the prefix that it is installed to.
function(ament_export_include_directories)
  ament_core_before_package(ament_export_include_directories)
  foreach(folder IN LISTS ARGN)
    # The package stays relocatable when a path below the prefix is written as a relative one.
    string(FIND "${folder}/" "${CMAKE_INSTALL_PREFIX}/" at)
    if(at EQUAL 0)
      file(RELATIVE_PATH folder "${CMAKE_INSTALL_PREFIX}" "${folder}")
    endif()
    ament_core_collect(EXPORT_INCLUDE_DIRECTORIES "${folder}")
  endforeach()
endfunction()
