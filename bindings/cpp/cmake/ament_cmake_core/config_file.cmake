# <pkg>Config.cmake: what other packages read when they call find_package(<pkg>).
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

include(CMakePackageConfigHelpers)

set_property(GLOBAL PROPERTY AMENT_CORE_CONFIG_TEMPLATE "${CMAKE_CURRENT_LIST_DIR}/templates/packageConfig.cmake.in")

# Installs <pkg>Config.cmake, its version file and the extras of the lists <pkg>_CONFIG_EXTRAS and _CONFIG_EXTRAS_POST.
function(ament_core_install_config_files)
  _ament_install_extras(${${PROJECT_NAME}_CONFIG_EXTRAS} ${${PROJECT_NAME}_CONFIG_EXTRAS_POST})
  set(folder "${PROJECT_BINARY_DIR}/ament_cmake_core")
  ament_core_package_version(version)
  _ament_write_config_file("${folder}/${PROJECT_NAME}Config.cmake" "${_ament_extras}" "${version}")
  ament_core_write_version_file("${folder}/${PROJECT_NAME}Config-version.cmake" "${version}")
  ament_core_install(FILES "${folder}/${PROJECT_NAME}Config.cmake" "${folder}/${PROJECT_NAME}Config-version.cmake"
    DESTINATION "share/${PROJECT_NAME}/cmake")
endfunction()

# Installs the extras. Sets _ament_extras in the caller to the names of the files.
function(_ament_install_extras)
  set(_ament_extras "")
  foreach(_ament_extra IN LISTS ARGN)
    ament_core_source_path(_ament_extra "${_ament_extra}")
    if(NOT EXISTS "${_ament_extra}")
      message(FATAL_ERROR "ament_package(): the file '${_ament_extra}' of CONFIG_EXTRAS does not exist")
    elseif(NOT _ament_extra MATCHES "[.]cmake([.]in)?$")
      message(FATAL_ERROR "ament_package(): '${_ament_extra}' of CONFIG_EXTRAS is no .cmake or .cmake.in file")
    endif()
    ament_core_expand_template("${_ament_extra}" "${PROJECT_BINARY_DIR}/ament_cmake_core" _ament_extra)
    get_filename_component(_ament_name "${_ament_extra}" NAME)
    if(_ament_name IN_LIST _ament_extras)
      message(FATAL_ERROR "ament_package(): two files of CONFIG_EXTRAS have the name '${_ament_name}'")
    endif()
    list(APPEND _ament_extras "${_ament_name}")
    ament_core_install(FILES "${_ament_extra}" DESTINATION "share/${PROJECT_NAME}/cmake")
  endforeach()
  set(_ament_extras "${_ament_extras}" PARENT_SCOPE)
endfunction()

# Sets <var> to the version of package.xml, or to a higher one of ament_cmake_version.
function(ament_core_package_version var)
  set(version "${${PROJECT_NAME}_VERSION}")
  ament_core_collected(development DEVELOPMENT_VERSION)
  if(development AND development VERSION_GREATER version)
    set(version "${development}")
  endif()
  set(${var} "${version}" PARENT_SCOPE)
endfunction()

# Writes <file> from the template. <extras> are the names of the files to include.
function(_ament_write_config_file file extras version)
  string(REPLACE "\"" "\\\"" deprecated "${${PROJECT_NAME}_DEPRECATED}")
  get_property(template GLOBAL PROPERTY AMENT_CORE_CONFIG_TEMPLATE)
  configure_file("${template}" "${file}" @ONLY)
endfunction()

# Writes a version file that accepts requests for <version> or lower ones, on any machine.
function(ament_core_write_version_file file version)
  write_basic_package_version_file("${file}" VERSION "${version}" COMPATIBILITY AnyNewerVersion ARCH_INDEPENDENT)
endfunction()

# Adds the files that describe the exports to the extras of the package: after those of the user, because the files need
# the modules that these define, and before those of extensions. The hooks run in the order of their names: definitions,
# dependencies, include_directories, libraries, link_flags, targets. Targets need the dependencies.
macro(ament_core_write_exports)
  set(_ament_extension_extras "${${PROJECT_NAME}_CONFIG_EXTRAS}")
  if(_AMENT_USER_CONFIG_EXTRAS)
    list(REMOVE_ITEM _ament_extension_extras ${_AMENT_USER_CONFIG_EXTRAS})
  endif()
  set(${PROJECT_NAME}_CONFIG_EXTRAS "${_AMENT_USER_CONFIG_EXTRAS}")
  ament_core_collected(_ament_export_hooks EXPORT_HOOKS)
  list(SORT _ament_export_hooks)
  foreach(_ament_export_hook IN LISTS _ament_export_hooks)
    include("${_ament_export_hook}")
  endforeach()
  list(APPEND ${PROJECT_NAME}_CONFIG_EXTRAS ${_ament_extension_extras})
endmacro()

# Registers <file>, relative to the folder of the calling file, as a hook of ament_core_write_exports().
function(ament_core_register_export_hook file)
  ament_core_collect(EXPORT_HOOKS "${CMAKE_CURRENT_LIST_DIR}/${file}")
endfunction()

# Expands <template> (@ONLY, with the variables of the caller) and adds the file to the extras of the package.
macro(ament_core_export_with_template template)
  get_filename_component(_ament_export_file "${template}" NAME)
  string(REGEX REPLACE "[.]in$" "" _ament_export_file "${_ament_export_file}")
  set(_ament_export_file "${PROJECT_BINARY_DIR}/ament_cmake_core/exports/${_ament_export_file}")
  configure_file("${template}" "${_ament_export_file}" @ONLY)
  list(APPEND ${PROJECT_NAME}_CONFIG_EXTRAS "${_ament_export_file}")
  unset(_ament_export_file)
endmacro()
