# The command for tests that load the plugins of their own package, before it is installed.

# Makes a folder that looks like the prefix of the package: with its manifests, its libraries and the entries of the index.
# Sets <AMENT_PREFIX_PATH_VAR> to the folder, which goes into AMENT_PREFIX_PATH of the test, and <CMAKE_TARGET_VAR> to a target
# that the test depends on. Arguments:
# CMAKE_TARGET_VAR var AMENT_PREFIX_PATH_VAR var PLUGIN_CATEGORY package-of-the-base-class PLUGIN_DESCRIPTIONS manifests...
# PLUGIN_LIBRARIES targets... [PACKAGE_NAME name, by default the project] [PACKAGE_XML file, by default package.xml]
function(pluginlib_enable_plugin_testing)
  set(command "pluginlib_enable_plugin_testing()")
  cmake_parse_arguments(ARG "" "CMAKE_TARGET_VAR;AMENT_PREFIX_PATH_VAR;PACKAGE_NAME;PACKAGE_XML;PLUGIN_CATEGORY"
    "PLUGIN_DESCRIPTIONS;PLUGIN_LIBRARIES" ${ARGN})
  ament_core_no_more_arguments(pluginlib_enable_plugin_testing ${ARG_UNPARSED_ARGUMENTS})
  foreach(name IN ITEMS CMAKE_TARGET_VAR AMENT_PREFIX_PATH_VAR PLUGIN_CATEGORY PLUGIN_DESCRIPTIONS PLUGIN_LIBRARIES)
    if("${ARG_${name}}" STREQUAL "")
      message(FATAL_ERROR "${command}: ${name} is missing")
    endif()
  endforeach()
  if(NOT ARG_PACKAGE_NAME)
    set(ARG_PACKAGE_NAME "${PROJECT_NAME}")
  endif()
  if(NOT ARG_PACKAGE_XML)
    set(ARG_PACKAGE_XML "${PROJECT_SOURCE_DIR}/package.xml")
  endif()
  set(target "${ARG_PACKAGE_NAME}_${ARG_PLUGIN_CATEGORY}_plugin_testing")
  set(prefix "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(share "${prefix}/share/${ARG_PACKAGE_NAME}")
  set(manifests "")
  foreach(file IN LISTS ARG_PLUGIN_DESCRIPTIONS)
    configure_file("${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${share}/${file}" COPYONLY)
    string(APPEND manifests "share/${ARG_PACKAGE_NAME}/${file}\n")
  endforeach()
  configure_file("${ARG_PACKAGE_XML}" "${share}/package.xml" COPYONLY)
  set(index "${prefix}/share/ament_index/resource_index")
  file(WRITE "${index}/packages/${ARG_PACKAGE_NAME}" "")
  file(WRITE "${index}/${ARG_PLUGIN_CATEGORY}__pluginlib__plugin/${ARG_PACKAGE_NAME}" "${manifests}")
  set(copies "")
  foreach(library IN LISTS ARG_PLUGIN_LIBRARIES)
    list(APPEND copies COMMAND "${CMAKE_COMMAND}" -E copy_if_different "$<TARGET_FILE:${library}>" "${prefix}/lib")
  endforeach()
  add_custom_target(${target} ALL COMMAND "${CMAKE_COMMAND}" -E make_directory "${prefix}/lib" ${copies}
    DEPENDS ${ARG_PLUGIN_LIBRARIES} VERBATIM)
  set(${ARG_CMAKE_TARGET_VAR} "${target}" PARENT_SCOPE)
  set(${ARG_AMENT_PREFIX_PATH_VAR} "${prefix}" PARENT_SCOPE)
endfunction()
