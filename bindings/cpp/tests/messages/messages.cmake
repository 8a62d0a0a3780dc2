# The tests of the code of all interfaces, in C++ and in C.

# The headers for C, all in one source file.
file(GLOB headers RELATIVE "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp" CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/*/*/*/*.h")
set(lines "")
set(libraries "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^[^/]*/(.*)$" "\\1" header "${header}")
  string(APPEND lines "#include \"${header}\"\n")
  string(REGEX REPLACE "^([^/]*)/.*$" "\\1" package "${header}")
  list(APPEND libraries ${package}::${package})
endforeach()
list(REMOVE_DUPLICATES libraries)
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/all_messages.h" CONTENT "${lines}")

add_executable(test_messages tests/messages/test_messages.cpp tests/messages/use_messages.c)
set_target_properties(test_messages PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_include_directories(test_messages PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
target_compile_definitions(test_messages PRIVATE
  SALTUS_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/../../spec/vectors/rosbags_cdr.txt")
target_compile_options(test_messages PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${SALTUS_WARNINGS}>"
  "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror>")
target_link_libraries(test_messages PRIVATE ${libraries} rmw::rmw saltus_cpp::saltus_cpp saltus_library GTest::gtest_main ${CMAKE_DL_LIBS})
add_test(NAME messages COMMAND test_messages)
set_tests_properties(messages PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib")
