# The command for packages with plugins: it installs manifests and writes the entries of the index.

# Exports the manifest <file>, relative to the current source folder, with plugins for base classes of <package>. It is
# installed into the same folder below share/<project>. Call it before ament_package(), also several times.
function(pluginlib_export_plugin_description_file package file)
  set(command "pluginlib_export_plugin_description_file()")
  ament_core_no_more_arguments(pluginlib_export_plugin_description_file ${ARGN})
  ament_core_before_package(pluginlib_export_plugin_description_file)
  if(IS_ABSOLUTE "${file}")
    message(FATAL_ERROR "${command}: the manifest '${file}' must be relative to ${CMAKE_CURRENT_SOURCE_DIR}")
  elseif(file MATCHES "(^|/)[.][.](/|$)")
    message(FATAL_ERROR "${command}: the manifest '${file}' must not have '..' in its path")
  elseif(package STREQUAL "" OR package MATCHES "/")
    message(FATAL_ERROR "${command}: the package of the base class comes first, and '${package}' is not a name of one")
  elseif(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    message(FATAL_ERROR "${command}: the manifest '${CMAKE_CURRENT_SOURCE_DIR}/${file}' does not exist")
  endif()
  normalize_path(file "${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  ament_core_install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/${file}" DESTINATION "share/${PROJECT_NAME}/${folder}")
  ament_core_collect(PLUGINLIB_PACKAGES "${package}")
  ament_core_collect("PLUGINLIB_MANIFESTS_${package}" "share/${PROJECT_NAME}/${file}")
  get_property(extension GLOBAL PROPERTY PLUGINLIB_EXTENSION)
  ament_register_extension(ament_package pluginlib "${extension}")
endfunction()

# Writes the entries of the index: an extension of ament_package().
function(pluginlib_write_index)
  ament_core_collected(packages PLUGINLIB_PACKAGES)
  foreach(package IN LISTS packages)
    ament_core_collected(manifests "PLUGINLIB_MANIFESTS_${package}")
    string(REPLACE ";" "\n" content "${manifests}")
    ament_index_register_resource("${package}__pluginlib__plugin" CONTENT "${content}\n")
  endforeach()
endfunction()

# Global, as commands are: find_package() may be called in a function.
set_property(GLOBAL PROPERTY PLUGINLIB_EXTENSION "${CMAKE_CURRENT_LIST_DIR}/write_index.cmake")
find_package(ament_cmake_core QUIET REQUIRED)
