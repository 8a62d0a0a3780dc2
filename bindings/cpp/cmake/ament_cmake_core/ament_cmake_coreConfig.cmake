# The mechanism of all ament packages: package.xml, extension points, exports, index, environment, installation.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

include("${CMAKE_CURRENT_LIST_DIR}/only_one_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ros_environment.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/find_python.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/utilities.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/state.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/extensions.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/xml_reader.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/package_condition.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/package_xml.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/index.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/environment.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/config_file.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/package.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/symlink_install.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/uninstall_target.cmake")

# The templates of the standard environment hooks, under the names that packages pass to ament_environment_hooks().
foreach(_ament_hook IN ITEMS AMENT_PREFIX_PATH CMAKE_PREFIX_PATH LIBRARY_PATH PATH PYTHONPATH)
  string(TOLOWER "${_ament_hook}" _ament_hook_file)
  set(ament_cmake_package_templates_ENVIRONMENT_HOOK_${_ament_hook}
    "${CMAKE_CURRENT_LIST_DIR}/templates/hooks/${_ament_hook_file}.sh.in")
endforeach()
unset(_ament_hook)
unset(_ament_hook_file)

ament_register_extension("ament_package" "ament_cmake_core" "index_package_hook.cmake")
