# Tests of ROS 2 run once per implementation of rmw. Saltus has one implementation.

# Sets <var> to the names of the implementations.
function(get_available_rmw_implementations var)
  set(${var} "rmw_saltus_cpp" PARENT_SCOPE)
endfunction()

# Sets <var> to the name of the implementation that programs have by default.
function(get_default_rmw_implementation var)
  set(${var} "rmw_saltus_cpp" PARENT_SCOPE)
endfunction()

# Calls the macro or function <command> for each implementation. The command reads rmw_implementation and target_suffix. With
# GENERATE_DEFAULT it is called before that without a suffix, for the default implementation.
macro(call_for_each_rmw_implementation command)
  cmake_parse_arguments(_rmw_call "GENERATE_DEFAULT" "" "" ${ARGN})
  set(rmw_implementation "rmw_saltus_cpp")
  # A command whose name is in a variable: cmake_language() needs CMake 3.18.
  set(_rmw_call_file "${CMAKE_CURRENT_BINARY_DIR}/call_for_each_rmw_implementation.cmake")
  file(WRITE "${_rmw_call_file}" "${command}()\n")
  if(_rmw_call_GENERATE_DEFAULT)
    set(target_suffix "")
    include("${_rmw_call_file}")
  endif()
  set(target_suffix "__${rmw_implementation}")
  include("${_rmw_call_file}")
endmacro()
