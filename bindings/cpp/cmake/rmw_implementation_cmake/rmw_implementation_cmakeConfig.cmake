# Tests of ROS 2 run once per implementation of rmw. Here is one, and it has no choice.

# Sets <var> to the names of the implementations.
function(get_available_rmw_implementations var)
  set(${var} "rmw_saltus_cpp" PARENT_SCOPE)
endfunction()

# Calls the macro or function <command> for each implementation. It reads rmw_implementation and target_suffix. With
# GENERATE_DEFAULT it is called once more, without a suffix, for the implementation that programs have by default.
function(call_for_each_rmw_implementation command)
  set(rmw_implementation "rmw_saltus_cpp")
  set(rmw_implementation_is_default FALSE)
  set(target_suffix "__${rmw_implementation}")
  # A command whose name is in a variable: cmake_language() needs CMake 3.18.
  set(file "${CMAKE_CURRENT_BINARY_DIR}/call_for_each_rmw_implementation.cmake")
  file(WRITE "${file}" "${command}()\n")
  include("${file}")
  if("GENERATE_DEFAULT" IN_LIST ARGN)
    set(rmw_implementation_is_default TRUE)
    set(target_suffix "")
    include("${file}")
  endif()
endfunction()
