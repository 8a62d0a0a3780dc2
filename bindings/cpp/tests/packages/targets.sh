# Part of run.sh: the packages and targets that packages of ROS 2 name, and their variables in the old style.
mkdir -p "$work/src/targets"
cat >"$work/src/targets/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(targets C CXX)

# Packages with a library or headers. Each has a target of its name, if no other one is named.
set(libraries ament_index_cpp class_loader message_filters pluginlib rcl rcl_action rcl_lifecycle rcl_yaml_param_parser rclcpp
  rclcpp_action rclcpp_components rclcpp_lifecycle rcpputils rcutils rmw rmw_implementation rosidl_runtime_c rosidl_runtime_cpp
  rosidl_typesupport_c rosidl_typesupport_cpp rosidl_typesupport_interface rosidl_typesupport_introspection_cpp tf2 tf2_bullet
  tf2_eigen tf2_geometry_msgs tf2_kdl tf2_ros tf2_sensor_msgs tracetools)
set(rclcpp_components_names component component_manager)
set(tf2_ros_names tf2_ros static_transform_broadcaster_node)
foreach(package IN LISTS libraries)
  find_package(${package} REQUIRED)
  if(NOT ${package}_names)
    set(${package}_names ${package})
  endif()
  foreach(name IN LISTS ${package}_names)
    if(NOT TARGET ${package}::${name})
      message(SEND_ERROR "find_package(${package}) defines no ${package}::${name}")
    endif()
    if(NOT "${package}::${name}" IN_LIST ${package}_TARGETS)
      message(SEND_ERROR "${package}_TARGETS is '${${package}_TARGETS}', without ${package}::${name}")
    endif()
  endforeach()
  if(NOT ${package}_LIBRARIES STREQUAL ${package}_TARGETS)
    message(SEND_ERROR "${package}_LIBRARIES is '${${package}_LIBRARIES}'")
  endif()
  foreach(variable IN ITEMS FOUND VERSION INCLUDE_DIRS DEFINITIONS DEPENDENCIES RECURSIVE_DEPENDENCIES)
    if(NOT DEFINED ${package}_${variable})
      message(SEND_ERROR "${package}_${variable} is not defined")
    endif()
  endforeach()
  foreach(dependency IN LISTS ${package}_DEPENDENCIES)
    if(NOT dependency IN_LIST ${package}_RECURSIVE_DEPENDENCIES)
      message(SEND_ERROR "${package}_RECURSIVE_DEPENDENCIES has no ${dependency}")
    endif()
  endforeach()
endforeach()

# Packages that only find others, or only have commands.
foreach(package IN ITEMS rosidl_adapter rosidl_cmake rosidl_default_generators rosidl_default_runtime rosidl_generator_c
    rosidl_generator_cpp rosidl_generator_py)
  find_package(${package} REQUIRED)
endforeach()
# Packages choose between the two commands for a target of the same package by the version.
if(rosidl_cmake_VERSION VERSION_LESS 2.5.0)
  message(SEND_ERROR "rosidl_cmake_VERSION is '${rosidl_cmake_VERSION}'")
endif()

# Every bundled package of interfaces.
file(STRINGS "${INTERFACES}" packages)
foreach(package IN LISTS packages)
  find_package(${package} REQUIRED)
  foreach(part IN ITEMS "" __rosidl_generator_c __rosidl_generator_cpp __rosidl_generator_py __rosidl_typesupport_c
      __rosidl_typesupport_cpp __rosidl_typesupport_introspection_c __rosidl_typesupport_introspection_cpp
      __rosidl_typesupport_fastrtps_c __rosidl_typesupport_fastrtps_cpp)
    if(NOT TARGET ${package}::${package}${part})
      message(SEND_ERROR "find_package(${package}) defines no ${package}::${package}${part}")
    endif()
    if(part AND NOT ${package}_TARGETS${part} STREQUAL "${package}::${package}${part}")
      message(SEND_ERROR "${package}_TARGETS${part} is '${${package}_TARGETS${part}}'")
    endif()
  endforeach()
  if(NOT ${package}_TARGETS OR NOT ${package}_INTERFACE_FILES OR NOT DEFINED ${package}_IDL_FILES)
    message(SEND_ERROR "${package}: '${${package}_TARGETS}', '${${package}_INTERFACE_FILES}', '${${package}_IDL_FILES}'")
  endif()
endforeach()
list(LENGTH libraries count)
list(LENGTH packages interfaces)
message("${count} libraries, ${interfaces} packages of interfaces")
END
ls "$prefix/share/ament_index/resource_index/rosidl_interfaces" >"$work/interfaces"
cmake -S "$work/src/targets" -B "$work/build/targets" "-DINTERFACES=$work/interfaces" >/dev/null 2>"$work/output" ||
  fail "$(cat "$work/output")"
echo "targets: $(grep libraries "$work/output")"
