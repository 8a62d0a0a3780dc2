include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Finds each test_depend of package.xml that CMake can find, and runs the extension point "ament_lint_auto", where
# linters register. The list <pkg>_FOUND_TEST_DEPENDS gets the names of those that were found.
macro(ament_lint_auto_find_test_dependencies)
  ament_core_no_more_arguments(ament_lint_auto_find_test_dependencies ${ARGN})
  ament_core_need_package_xml()
  foreach(_ament_test_dependency IN LISTS ${PROJECT_NAME}_TEST_DEPENDS)
    find_package(${_ament_test_dependency} QUIET)
    if(${_ament_test_dependency}_FOUND)
      list_append_unique(${PROJECT_NAME}_FOUND_TEST_DEPENDS ${_ament_test_dependency})
    endif()
  endforeach()
  ament_execute_extensions("ament_lint_auto")
endmacro()
