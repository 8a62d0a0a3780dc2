include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Names packages that every package which depends on this one needs, too: <pkg>Config.cmake finds them.
function(ament_export_dependencies)
  ament_core_before_package(ament_export_dependencies)
  ament_core_collect(EXPORT_DEPENDENCIES ${ARGN})
endfunction()
