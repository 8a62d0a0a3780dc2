# The subject of the conformance suite for C++.
add_executable(cpp_subject "${CMAKE_CURRENT_LIST_DIR}/subject.cpp")
target_compile_options(cpp_subject PRIVATE ${SALTUS_WARNINGS})
set(packages diagnostic_msgs example_interfaces nav_msgs saltus_conformance_msgs sensor_msgs std_msgs trajectory_msgs visualization_msgs)
foreach(package IN LISTS packages)
  target_link_libraries(cpp_subject PRIVATE ${package}::${package}__rosidl_typesupport_cpp)
endforeach()
target_link_libraries(cpp_subject PRIVATE rclcpp_action::rclcpp_action rclcpp_lifecycle::rclcpp_lifecycle component_manager)

# The subject of the C++ API.
add_executable(native_subject "${CMAKE_CURRENT_LIST_DIR}/native/subject.cpp")
target_compile_options(native_subject PRIVATE ${SALTUS_WARNINGS})
foreach(package IN LISTS packages)
  target_link_libraries(native_subject PRIVATE ${package}::${package}__rosidl_typesupport_cpp)
endforeach()
target_link_libraries(native_subject PRIVATE rmw::rmw saltus_cpp::saltus_cpp saltus_library Threads::Threads)

# The subject for C, which is C99.
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/../c/tests/conformance/*.c")
add_executable(c_subject ${sources})
set_target_properties(c_subject PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_definitions(c_subject PRIVATE _POSIX_C_SOURCE=200809L)
target_compile_options(c_subject PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
foreach(package IN LISTS packages)
  target_link_libraries(c_subject PRIVATE ${package}::${package}__rosidl_typesupport_cpp)
endforeach()
target_link_libraries(c_subject PRIVATE rmw::rmw saltus_cpp::saltus_cpp saltus_library Threads::Threads)
