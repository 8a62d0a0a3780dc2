# The package rclcpp_components: the commands for components, the library with the manager, and the containers.

# Components need only this target.
add_library(component INTERFACE)
target_include_directories(component INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/include>" "$<INSTALL_INTERFACE:include/rclcpp_components>")
target_link_libraries(component INTERFACE rclcpp::rclcpp class_loader::class_loader)
add_library(rclcpp_components::component ALIAS component)

add_library(component_manager SHARED
  "${CMAKE_CURRENT_LIST_DIR}/src/component_manager.cpp" "${CMAKE_CURRENT_LIST_DIR}/src/loading.cpp")
target_compile_options(component_manager PRIVATE ${SALTUS_WARNINGS})
target_link_libraries(component_manager PUBLIC component ament_index_cpp::ament_index_cpp
  composition_interfaces::composition_interfaces__rosidl_typesupport_cpp)
add_library(rclcpp_components::component_manager ALIAS component_manager)

set(containers component_container component_container_mt component_container_isolated)
foreach(container IN LISTS containers)
  add_executable(${container} "${CMAKE_CURRENT_LIST_DIR}/programs/${container}.cpp")
  target_compile_options(${container} PRIVATE ${SALTUS_WARNINGS})
  target_link_libraries(${container} PRIVATE component_manager)
endforeach()
# The program that the command saltus starts.
add_executable(saltus_components
  "${CMAKE_CURRENT_LIST_DIR}/programs/saltus_components.cpp" "${CMAKE_CURRENT_LIST_DIR}/programs/connection.cpp")
target_compile_options(saltus_components PRIVATE ${SALTUS_WARNINGS})
target_link_libraries(saltus_components PRIVATE component_manager saltus_library)
list(APPEND containers saltus_components)
install(TARGETS ${containers} RUNTIME DESTINATION lib/rclcpp_components)
install(DIRECTORY rclcpp_components/include/ DESTINATION include/rclcpp_components)
saltus_install_package(rclcpp_components VERSION 28.1.9 TARGETS component component_manager
  DEPENDENCIES rclcpp class_loader ament_index_cpp composition_interfaces
  EXTRAS rclcpp_components/cmake/register_components.cmake)
install(FILES rclcpp_components/cmake/component_main.cpp.in rclcpp_components/cmake/write_index.cmake
  DESTINATION share/rclcpp_components/cmake)

if(BUILD_TESTING)
  add_library(test_part SHARED "${CMAKE_CURRENT_LIST_DIR}/test/part.cpp")
  add_executable(test_rclcpp_components "${CMAKE_CURRENT_LIST_DIR}/test/test_unloading.cpp")
  foreach(target IN ITEMS test_part test_rclcpp_components)
    target_compile_options(${target} PRIVATE ${SALTUS_WARNINGS})
    target_link_libraries(${target} PRIVATE component std_msgs::std_msgs__rosidl_typesupport_cpp
      example_interfaces::example_interfaces__rosidl_typesupport_cpp)
  endforeach()
  target_compile_definitions(test_rclcpp_components PRIVATE PART_LIBRARY="$<TARGET_FILE:test_part>")
  target_link_libraries(test_rclcpp_components PRIVATE GTest::gtest_main)
  add_dependencies(test_rclcpp_components test_part)
  add_test(NAME rclcpp_components COMMAND test_rclcpp_components)
endif()
