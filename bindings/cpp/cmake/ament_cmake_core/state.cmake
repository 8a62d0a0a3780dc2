# Lists that commands collect for the current project until ament_package() uses them.
# They are global properties, so commands work in functions and in subdirectories, too.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds values to the list <key> of the current project, unless the list has them.
function(ament_core_collect key)
  get_property(values GLOBAL PROPERTY "AMENT_CORE_${PROJECT_NAME}_${key}")
  list_append_unique(values ${ARGN})
  set_property(GLOBAL PROPERTY "AMENT_CORE_${PROJECT_NAME}_${key}" "${values}")
endfunction()

# Sets <var> to the list <key> of the current project.
function(ament_core_collected var key)
  get_property(values GLOBAL PROPERTY "AMENT_CORE_${PROJECT_NAME}_${key}")
  set(${var} "${values}" PARENT_SCOPE)
endfunction()

# Stops when <command> is called after ament_package(), which has read the lists already.
function(ament_core_before_package command)
  ament_core_collected(done PACKAGE_DONE)
  if(done)
    message(FATAL_ERROR "${command}() must be called before ament_package()")
  endif()
endfunction()
