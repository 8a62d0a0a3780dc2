include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Lets <pkg>Config.cmake report <development_version> when it is higher than the version in package.xml.
function(ament_export_development_version_if_higher_than_manifest development_version)
  ament_core_before_package(ament_export_development_version_if_higher_than_manifest)
  if(NOT development_version MATCHES "^[0-9]+([.][0-9]+)*$")
    message(FATAL_ERROR
      "ament_export_development_version_if_higher_than_manifest(): '${development_version}' is no version")
  endif()
  ament_core_collect(DEVELOPMENT_VERSION "${development_version}")
endfunction()
