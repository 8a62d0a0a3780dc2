include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds flags of the linker to <pkg>_LINK_FLAGS of this package, for packages that depend on it.
function(ament_export_link_flags)
  ament_core_before_package(ament_export_link_flags)
  ament_core_collect(EXPORT_LINK_FLAGS ${ARGN})
endfunction()
