# backward_ros prints a stack trace when a program crashes. Here it does nothing: its targets are empty.
foreach(_backward_ros_target IN ITEMS
    backward_ros::backward_ros backward_ros::backward Backward::Backward Backward::Interface Backward::Object)
  if(NOT TARGET ${_backward_ros_target})
    add_library(${_backward_ros_target} INTERFACE IMPORTED)
  endif()
endforeach()
unset(_backward_ros_target)
set(backward_ros_TARGETS backward_ros::backward_ros)
set(backward_ros_LIBRARIES backward_ros::backward_ros)
set(backward_ros_INCLUDE_DIRS "")

# Packages add this list to the sources of an executable.
set(BACKWARD_ENABLE "")

# Packages call this for an executable.
function(add_backward target)
endfunction()
