include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Finds the build and buildtool dependencies of package.xml. Those that CMake does not find are left out, unless they
# are named after REQUIRED. Sets <pkg>_FOUND_BUILD_DEPENDS and _FOUND_BUILDTOOL_DEPENDS, and _FOUND_DEFINITIONS,
# _FOUND_INCLUDE_DIRS and _FOUND_LIBRARIES to what the found build dependencies export.
# Arguments: [REQUIRED packages...]
macro(ament_auto_find_build_dependencies)
  cmake_parse_arguments(_AMENT_AUTO "" "" "REQUIRED" ${ARGN})
  ament_core_no_more_arguments(ament_auto_find_build_dependencies ${_AMENT_AUTO_UNPARSED_ARGUMENTS})
  ament_core_need_package_xml()
  _ament_auto_check_required(${_AMENT_AUTO_REQUIRED})
  _ament_auto_find(BUILDTOOL_DEPENDS ${_AMENT_AUTO_REQUIRED})
  _ament_auto_find(BUILD_DEPENDS ${_AMENT_AUTO_REQUIRED})
  foreach(_ament_auto_kind IN ITEMS DEFINITIONS INCLUDE_DIRS LIBRARIES)
    set(${PROJECT_NAME}_FOUND_${_ament_auto_kind} "")
    foreach(_ament_auto_package IN LISTS ${PROJECT_NAME}_FOUND_BUILD_DEPENDS)
      list(APPEND ${PROJECT_NAME}_FOUND_${_ament_auto_kind} ${${_ament_auto_package}_${_ament_auto_kind}})
    endforeach()
  endforeach()
endmacro()

# Finds the test dependencies of package.xml. Sets <pkg>_FOUND_TEST_DEPENDS. Tests of ament_auto_add_gtest() use them.
macro(ament_auto_find_test_dependencies)
  ament_core_no_more_arguments(ament_auto_find_test_dependencies ${ARGN})
  ament_core_need_package_xml()
  _ament_auto_find(TEST_DEPENDS)
endmacro()

# Finds the packages in the list <pkg>_<kind>, which is of package.xml. The arguments name those that must exist.
macro(_ament_auto_find kind)
  set(_ament_auto_required ${ARGN})
  foreach(_ament_auto_package IN LISTS ${PROJECT_NAME}_${kind})
    if(_ament_auto_package IN_LIST _ament_auto_required)
      find_package(${_ament_auto_package} REQUIRED)
    else()
      find_package(${_ament_auto_package} QUIET)
    endif()
    if(${_ament_auto_package}_FOUND)
      list_append_unique(${PROJECT_NAME}_FOUND_${kind} ${_ament_auto_package})
    endif()
  endforeach()
endmacro()

# Stops when a package after REQUIRED is no dependency in package.xml.
function(_ament_auto_check_required)
  foreach(package IN LISTS ARGN)
    if(NOT package IN_LIST ${PROJECT_NAME}_BUILD_DEPENDS AND NOT package IN_LIST ${PROJECT_NAME}_BUILDTOOL_DEPENDS)
      message(FATAL_ERROR "ament_auto_find_build_dependencies(): REQUIRED names '${package}', which package.xml does "
        "not have as <depend>, <build_depend> or <buildtool_depend>")
    endif()
  endforeach()
endfunction()
