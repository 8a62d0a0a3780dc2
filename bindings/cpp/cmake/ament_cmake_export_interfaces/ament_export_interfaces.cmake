include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Deprecated: call ament_export_targets(), which has the same arguments.
function(ament_export_interfaces)
  message(DEPRECATION "ament_export_interfaces() is deprecated, call ament_export_targets()")
  ament_export_targets(${ARGN})
endfunction()
