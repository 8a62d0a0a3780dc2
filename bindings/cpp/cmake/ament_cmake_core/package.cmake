# ament_package(): the last command of a package.
include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Finishes the package: reads package.xml, runs the extension point "ament_package", installs package.xml, the
# environment and <pkg>Config.cmake. Each extra is a .cmake file or a .cmake.in template (expanded with @ONLY), which
# <pkg>Config.cmake includes before, or with POST after, what the package exports.
# Arguments: [CONFIG_EXTRAS files...] [CONFIG_EXTRAS_POST files...]
macro(ament_package)
  ament_core_parse_package_arguments(${ARGN})
  ament_core_need_package_xml()
  ament_core_check_package()
  ament_execute_extensions("ament_package")
  ament_core_write_exports()
  ament_core_install_package_environment()
  ament_core_install_config_files()
  ament_core_install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/package.xml" DESTINATION "share/${PROJECT_NAME}")
  ament_core_collect(PACKAGE_DONE TRUE)
  if(AMENT_CMAKE_UNINSTALL_TARGET)
    ament_cmake_uninstall_target()
  endif()
endmacro()

# Reads package.xml of the current source folder, or of the project, once.
macro(ament_core_need_package_xml)
  # A subfolder of a project, such as test, has no package.xml of its own.
  set(_ament_folder "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${_ament_folder}/package.xml")
    set(_ament_folder "${PROJECT_SOURCE_DIR}")
  endif()
  if(NOT _AMENT_PACKAGE_SOURCE_DIR STREQUAL _ament_folder)
    ament_package_xml("${_ament_folder}")
    set(_AMENT_PACKAGE_SOURCE_DIR "${_ament_folder}")
  endif()
  unset(_ament_folder)
endmacro()

# Adds the arguments to the lists <pkg>_CONFIG_EXTRAS and _CONFIG_EXTRAS_POST of the caller. Packages may have set them
# before ament_package(), and extensions append to them.
function(ament_core_parse_package_arguments)
  cmake_parse_arguments(ARG "" "" "CONFIG_EXTRAS;CONFIG_EXTRAS_POST" ${ARGN})
  ament_core_no_more_arguments(ament_package ${ARG_UNPARSED_ARGUMENTS})
  set(extras ${${PROJECT_NAME}_CONFIG_EXTRAS} ${ARG_CONFIG_EXTRAS})
  set(extras_post ${${PROJECT_NAME}_CONFIG_EXTRAS_POST} ${ARG_CONFIG_EXTRAS_POST})
  set(_AMENT_USER_CONFIG_EXTRAS "${extras}" PARENT_SCOPE)
  set(${PROJECT_NAME}_CONFIG_EXTRAS "${extras}" PARENT_SCOPE)
  set(${PROJECT_NAME}_CONFIG_EXTRAS_POST "${extras_post}" PARENT_SCOPE)
endfunction()

# Checks the name of the package, and that nothing of another implementation was found.
function(ament_core_check_package)
  ament_core_collected(done PACKAGE_DONE)
  if(done)
    message(FATAL_ERROR "ament_package() was called twice in the project '${PROJECT_NAME}'")
  elseif(NOT _AMENT_PACKAGE_NAME STREQUAL PROJECT_NAME)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/package.xml: <name> is '${_AMENT_PACKAGE_NAME}', but "
      "CMakeLists.txt has project(${PROJECT_NAME}). The two names must be equal.")
  endif()
  ament_core_check_siblings()
endfunction()
