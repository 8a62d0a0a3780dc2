# The libraries that the test of pluginlib loads.
if(NOT BUILD_TESTING)
  return()
endif()
foreach(name IN ITEMS hand_tools power_tools unlinked_tools)
  add_library(saltus_test_${name} SHARED pluginlib/test/plugins/${name}.cpp)
  target_link_libraries(saltus_test_${name} PRIVATE pluginlib::pluginlib)
  # Unique symbols would keep a library in memory.
  target_compile_options(saltus_test_${name} PRIVATE ${SALTUS_WARNINGS} "$<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>")
  add_dependencies(test_pluginlib saltus_test_${name})
endforeach()
target_include_directories(test_pluginlib PRIVATE pluginlib/test/plugins)
