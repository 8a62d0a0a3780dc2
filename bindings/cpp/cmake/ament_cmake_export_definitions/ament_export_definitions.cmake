include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds compile definitions to <pkg>_DEFINITIONS of this package, for packages that depend on it.
function(ament_export_definitions)
  ament_core_before_package(ament_export_definitions)
  ament_core_collect(EXPORT_DEFINITIONS ${ARGN})
endfunction()
