# The subject of the conformance suite for C++.
add_executable(cpp_subject "${CMAKE_CURRENT_LIST_DIR}/subject.cpp")
target_compile_options(cpp_subject PRIVATE ${SALTUS_WARNINGS})
set(packages diagnostic_msgs example_interfaces nav_msgs saltus_conformance_msgs sensor_msgs std_msgs trajectory_msgs visualization_msgs)
foreach(package IN LISTS packages)
  target_link_libraries(cpp_subject PRIVATE ${package}::${package}__rosidl_typesupport_cpp)
endforeach()
target_link_libraries(cpp_subject PRIVATE rclcpp_action::rclcpp_action rclcpp_lifecycle::rclcpp_lifecycle component_manager)
