# The package pluginlib: the library that reads manifests, and the command that exports them.

find_path(SALTUS_TINYXML2_INCLUDE_DIR tinyxml2.h)
find_library(SALTUS_TINYXML2_LIBRARY tinyxml2)
mark_as_advanced(SALTUS_TINYXML2_INCLUDE_DIR SALTUS_TINYXML2_LIBRARY)
if(NOT SALTUS_TINYXML2_INCLUDE_DIR OR NOT SALTUS_TINYXML2_LIBRARY)
  message(FATAL_ERROR "pluginlib needs tinyxml2. On Debian and Ubuntu, install libtinyxml2-dev.")
endif()
# By its file: other projects that link pluginlib need no target of tinyxml2.
saltus_package(pluginlib VERSION 5.4.3
  LINK class_loader::class_loader ament_index_cpp::ament_index_cpp rcutils::rcutils
  PRIVATE_LINK "${SALTUS_TINYXML2_LIBRARY}"
  DEPENDENCIES class_loader ament_index_cpp rcutils
  EXTRAS pluginlib/cmake/export_manifest.cmake pluginlib/cmake/enable_plugin_testing.cmake)
target_include_directories(pluginlib SYSTEM PRIVATE "${SALTUS_TINYXML2_INCLUDE_DIR}")
install(FILES pluginlib/cmake/write_index.cmake DESTINATION share/pluginlib/cmake)
saltus_header_test(pluginlib)
saltus_test(pluginlib LINK Threads::Threads)
include(pluginlib/test/plugins.cmake)
