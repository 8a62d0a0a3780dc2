# The commands for libraries with components: they write the entries of the index, and programs with one component.

# Registers components that the library `target` has, given by their classes.
#
# RESOURCE_INDEX  the type of the entries in the index; rclcpp_components unless given
function(rclcpp_components_register_nodes target)
  cmake_parse_arguments(ARG "" "RESOURCE_INDEX" "" ${ARGN})
  _rclcpp_components_check_library("rclcpp_components_register_nodes" ${target})
  if(NOT ARG_RESOURCE_INDEX)
    set(ARG_RESOURCE_INDEX rclcpp_components)
  endif()
  foreach(class IN LISTS ARG_UNPARSED_ARGUMENTS)
    _rclcpp_components_add_entry(${target} "${class}" "${ARG_RESOURCE_INDEX}")
  endforeach()
endfunction()

# Registers the component PLUGIN of the library `target`, and adds the program EXECUTABLE, which runs it.
#
# EXECUTOR        the class of the executor in rclcpp::executors; SingleThreadedExecutor unless given
# RESOURCE_INDEX  the type of the entry in the index; rclcpp_components unless given
function(rclcpp_components_register_node target)
  cmake_parse_arguments(ARG "" "PLUGIN;EXECUTABLE;EXECUTOR;RESOURCE_INDEX" "" ${ARGN})
  foreach(required IN ITEMS PLUGIN EXECUTABLE)
    if(NOT ARG_${required})
      message(FATAL_ERROR "rclcpp_components_register_node(): ${required} is missing")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rclcpp_components_register_node(): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  rclcpp_components_register_nodes(${target} "${ARG_PLUGIN}" RESOURCE_INDEX "${ARG_RESOURCE_INDEX}")
  if(NOT ARG_EXECUTOR)
    set(ARG_EXECUTOR SingleThreadedExecutor)
  endif()
  set(component "${ARG_PLUGIN}")
  set(executor "${ARG_EXECUTOR}")
  set(main "${CMAKE_CURRENT_BINARY_DIR}/rclcpp_components/${ARG_EXECUTABLE}.cpp")
  configure_file("${rclcpp_components_TEMPLATES}/component_main.cpp.in" "${main}.in" @ONLY)
  # The name of the file of the library is known when the build system is generated.
  file(GENERATE OUTPUT "${main}" INPUT "${main}.in")
  add_executable(${ARG_EXECUTABLE} "${main}")
  target_link_libraries(${ARG_EXECUTABLE} rclcpp::rclcpp rclcpp_components::component class_loader::class_loader)
  # The program loads the library while it runs.
  add_dependencies(${ARG_EXECUTABLE} ${target})
  install(TARGETS ${ARG_EXECUTABLE} DESTINATION "lib/${PROJECT_NAME}")
endfunction()

function(_rclcpp_components_check_library command target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${command}() first argument '${target}' is not a target")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    message(FATAL_ERROR "${command}() first argument '${target}' is not a shared library")
  endif()
endfunction()

# Adds a line to an entry of the index, which ament_package() writes.
function(_rclcpp_components_add_entry target class type)
  get_property(classes GLOBAL PROPERTY rclcpp_components_classes_${PROJECT_NAME})
  if("${class}" IN_LIST classes)
    message(FATAL_ERROR "the component '${class}' is registered twice")
  endif()
  set_property(GLOBAL APPEND PROPERTY rclcpp_components_classes_${PROJECT_NAME} "${class}")
  set_property(GLOBAL APPEND PROPERTY rclcpp_components_types_${PROJECT_NAME} "${type}")
  set_property(GLOBAL APPEND_STRING PROPERTY rclcpp_components_${PROJECT_NAME}_${type}
    "${class};lib/$<TARGET_FILE_NAME:${target}>\n")
endfunction()

# Writes the entries of the index: an extension of ament_package().
function(rclcpp_components_write_index)
  get_property(types GLOBAL PROPERTY rclcpp_components_types_${PROJECT_NAME})
  list(REMOVE_DUPLICATES types)
  foreach(type IN LISTS types)
    get_property(lines GLOBAL PROPERTY rclcpp_components_${PROJECT_NAME}_${type})
    set(file "${CMAKE_CURRENT_BINARY_DIR}/ament_cmake_index/share/ament_index/resource_index/${type}/${PROJECT_NAME}")
    file(GENERATE OUTPUT "${file}" CONTENT "${lines}")
    install(FILES "${file}" DESTINATION "share/ament_index/resource_index/${type}")
  endforeach()
endfunction()

set(rclcpp_components_TEMPLATES "${CMAKE_CURRENT_LIST_DIR}")
find_package(ament_cmake_core QUIET REQUIRED)
ament_register_extension(ament_package rclcpp_components write_index.cmake)
