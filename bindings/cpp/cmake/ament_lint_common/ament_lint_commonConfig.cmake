# The linters that packages name in test_depend. Their commands do nothing, see ament_cmake_cppcheck and the others.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_copyright ament_cmake_cppcheck ament_cmake_cpplint ament_cmake_flake8 ament_cmake_lint_cmake
  ament_cmake_pep257 ament_cmake_uncrustify ament_cmake_xmllint)
