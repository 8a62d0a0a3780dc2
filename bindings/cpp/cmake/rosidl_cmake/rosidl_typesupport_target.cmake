# Commands for programs that use the interfaces of their own package.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Sets <var> to the target for <part>, such as rosidl_typesupport_cpp, of the interfaces of
# rosidl_generate_interfaces(<interfaces> ...).
function(rosidl_get_typesupport_target var interfaces part)
  _rosidl_part_target(rosidl_get_typesupport_target "${interfaces}" "${part}" target)
  set(${var} "${target}" PARENT_SCOPE)
endfunction()

# Lets <target> use the interfaces of rosidl_generate_interfaces(<interfaces> ...). The older form of the command above.
function(rosidl_target_interfaces target interfaces part)
  message(DEPRECATION "Use rosidl_get_typesupport_target() and target_link_libraries() instead of rosidl_target_interfaces()")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "rosidl_target_interfaces(): there is no target '${target}'")
  endif()
  _rosidl_part_target(rosidl_target_interfaces "${interfaces}" "${part}" part_target)
  # target_link_libraries() would fix for <target> whether the package may give it keywords such as PUBLIC.
  set_property(TARGET "${target}" APPEND PROPERTY LINK_LIBRARIES ${part_target})
  set_property(TARGET "${target}" APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${part_target})
endfunction()

# Sets <var> to the target for <part>, or stops.
function(_rosidl_part_target command interfaces part var)
  set(target "${interfaces}__${part}")
  if(NOT TARGET "${target}")
    ament_core_collected(known ROSIDL_INTERFACES)
    if(NOT known)
      set(reason "call rosidl_generate_interfaces(${interfaces} ...) before")
    elseif(NOT interfaces IN_LIST known)
      set(reason "this project has rosidl_generate_interfaces() for: ${known}")
    else()
      set(reason "'${part}' is no part of the code; C++ programs use \"rosidl_typesupport_cpp\"")
    endif()
    message(FATAL_ERROR "${command}(): there is no target '${target}': ${reason}")
  endif()
  set(${var} "${target}" PARENT_SCOPE)
endfunction()
