# Code for packages of interfaces: how it is generated, compiled and installed.

# Generates the C++ code of the package <package>, whose definitions are in the folder <root>/<package>. Sets <sources_var> to
# the files to compile, and <dependencies_var> to the packages whose types it uses. Definitions of other packages are found in
# the folders of SALTUS_INTERFACE_PATH, AMENT_PREFIX_PATH and CMAKE_PREFIX_PATH, and in those that Saltus has.
function(saltus_generate_cpp package program root sources_var dependencies_var)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${package}")
  set(path "${root}/${package}")
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
    file(GLOB found "${prefix}/share/*/package.xml")
    foreach(file IN LISTS found)
      get_filename_component(other "${file}" DIRECTORY)
      string(APPEND path ":${other}")
    endforeach()
  endforeach()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "SALTUS_INTERFACE_PATH=${path}" "${program}" interface codegen
      --lang cpp --output "${folder}" "${package}"
    OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "can't generate the code of ${package}: ${error}")
  endif()
  file(GLOB_RECURSE sources "${folder}/${package}/*.cpp")
  file(GLOB_RECURSE structs "${folder}/${package}/*__struct.hpp")
  set(dependencies "")
  foreach(struct IN LISTS structs)
    file(STRINGS "${struct}" includes REGEX "^#include \"[a-z0-9_]+/(msg|srv|action)/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([a-z0-9_]+)/.*" "\\1" dependency "${include}")
      list(APPEND dependencies "${dependency}")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES dependencies)
  list(REMOVE_ITEM dependencies "${package}")
  list(SORT dependencies)
  set(${sources_var} "${sources}" PARENT_SCOPE)
  set(${dependencies_var} "${dependencies}" PARENT_SCOPE)
endfunction()

# Adds the targets of a package of interfaces: the headers <target>__rosidl_generator_cpp, the library
# <target>__rosidl_typesupport_cpp, and targets with the names of the other parts that ROS 2 has, which stand for that library.
# Sets <targets_var> to all of them. <dependencies> are packages that were found or that are in this project.
function(saltus_interface_targets target package sources dependencies targets_var)
  set(headers ${target}__rosidl_generator_cpp)
  set(library ${target}__rosidl_typesupport_cpp)
  add_library(${headers} INTERFACE)
  add_library(${package}::${headers} ALIAS ${headers})
  target_include_directories(${headers} INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${package}>" "$<INSTALL_INTERFACE:include/${package}>")
  target_link_libraries(${headers} INTERFACE rosidl_runtime_cpp::rosidl_runtime_cpp)
  add_library(${library} SHARED ${sources})
  add_library(${package}::${library} ALIAS ${library})
  set_target_properties(${library} PROPERTIES CXX_STANDARD 17 UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  target_link_libraries(${library} PUBLIC ${headers} PRIVATE saltus_cpp::saltus_cpp)
  foreach(dependency IN LISTS dependencies)
    target_link_libraries(${headers} INTERFACE ${dependency}::${dependency}__rosidl_generator_cpp)
    target_link_libraries(${library} PUBLIC ${dependency}::${dependency}__rosidl_typesupport_cpp)
  endforeach()
  set(targets ${headers} ${library})
  foreach(part IN ITEMS rosidl_generator_c rosidl_generator_py rosidl_typesupport_c rosidl_typesupport_introspection_c
      rosidl_typesupport_introspection_cpp rosidl_typesupport_fastrtps_c rosidl_typesupport_fastrtps_cpp)
    add_library(${target}__${part} INTERFACE)
    add_library(${package}::${target}__${part} ALIAS ${target}__${part})
    target_link_libraries(${target}__${part} INTERFACE ${library})
    list(APPEND targets ${target}__${part})
  endforeach()
  set(${targets_var} "${targets}" PARENT_SCOPE)
endfunction()

# Installs the headers and the definitions of a package, and its entries in the index. <files> are the paths of the definitions
# below <folder>.
function(saltus_install_interfaces package folder files)
  install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${package}/" DESTINATION "include/${package}"
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  foreach(file IN LISTS files)
    get_filename_component(kind "${file}" DIRECTORY)
    install(FILES "${folder}/${file}" DESTINATION "share/${package}/${kind}")
  endforeach()
  list(SORT files)
  list(JOIN files "\n" lines)
  set(index "${CMAKE_CURRENT_BINARY_DIR}/rosidl_index/${package}")
  file(WRITE "${index}" "${lines}\n")
  install(FILES "${index}" DESTINATION share/ament_index/resource_index/rosidl_interfaces)
endfunction()
