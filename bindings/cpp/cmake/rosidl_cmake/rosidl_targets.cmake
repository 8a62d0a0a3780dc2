# Code for packages of interfaces: how it is generated, compiled and installed. rosidl_generate_interfaces() uses these commands,
# and so do the packages that Saltus has. They need no ament_cmake.
include_guard(GLOBAL)

# Generates the code of definitions for C and C++. Files of an earlier call for the same target that are not generated any more are
# removed.
#
# PROGRAM       the program saltus
# OUTPUT        the folder for the code
# PATH          the folders with definitions: folders of packages, and folders of one package that have a package.xml
# TYPES         the types, such as std_msgs/msg/String, or a package for all of its types
# ERROR         the variable that is set to the reason why it failed, or to ""
# SOURCES       the variable that is set to the files to compile
# DEPENDENCIES  the variable that is set to the other packages whose types the code uses
function(saltus_generate_code target package)
  cmake_parse_arguments(ARG "" "PROGRAM;OUTPUT;ERROR;SOURCES;DEPENDENCIES" "PATH;TYPES" ${ARGN})
  list(JOIN ARG_PATH ":" path)
  # Only the definitions of packages that CMake has found count, not those that are installed elsewhere.
  # C++ is the last one: its output names the headers.
  foreach(language IN ITEMS c cpp)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env --unset=AMENT_PREFIX_PATH --unset=SALTUS_PREFIX_PATH
        "XDG_DATA_HOME=${ARG_OUTPUT}/none" "SALTUS_INTERFACE_PATH=${path}"
        "${ARG_PROGRAM}" interface codegen --lang ${language} --output "${ARG_OUTPUT}" ${ARG_TYPES}
      OUTPUT_VARIABLE output ERROR_VARIABLE error RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      string(STRIP "${error}" error)
      string(REGEX REPLACE "(^|\n)saltus: " "\\1" error "${error}")
      if(error STREQUAL "")
        set(error "'${ARG_PROGRAM}' failed: ${result}")
      endif()
      set(${ARG_ERROR} "${error}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  string(REGEX MATCHALL "#include \"[^\"]+[.]hpp\"" headers "${output}")
  list(TRANSFORM headers REPLACE "^#include \"(.*)[.]hpp\"$" "\\1")
  _saltus_remove_old_files("${ARG_OUTPUT}" "${ARG_OUTPUT}/${target}.txt" "${headers}")
  set(sources "")
  set(dependencies "")
  foreach(header IN LISTS headers)
    get_filename_component(folder "${ARG_OUTPUT}/${header}" DIRECTORY)
    get_filename_component(name "${header}" NAME)
    list(APPEND sources "${folder}/detail/${name}__type_support.cpp" "${folder}/detail/${name}__functions.cpp")
    file(STRINGS "${folder}/detail/${name}__struct.hpp" includes REGEX "^#include \"[a-z0-9_]+/(msg|srv|action)/")
    list(TRANSFORM includes REPLACE "^#include \"([a-z0-9_]+)/.*" "\\1")
    list(APPEND dependencies ${includes})
  endforeach()
  list(REMOVE_DUPLICATES dependencies)
  list(REMOVE_ITEM dependencies "${package}")
  list(SORT dependencies)
  set(${ARG_ERROR} "" PARENT_SCOPE)
  set(${ARG_SOURCES} "${sources}" PARENT_SCOPE)
  set(${ARG_DEPENDENCIES} "${dependencies}" PARENT_SCOPE)
endfunction()

# Removes the files below <folder> of those headers that the file <record> names and that are not in <headers>. Writes <headers>
# into <record>. A header that stays would hide that its definition is gone.
function(_saltus_remove_old_files folder record headers)
  set(old "")
  if(EXISTS "${record}")
    file(STRINGS "${record}" old)
  endif()
  if(old AND headers)
    list(REMOVE_ITEM old ${headers})
  endif()
  foreach(header IN LISTS old)
    get_filename_component(directory "${folder}/${header}" DIRECTORY)
    get_filename_component(name "${header}" NAME)
    file(GLOB files "${directory}/${name}.h" "${directory}/${name}.hpp" "${directory}/detail/${name}__*")
    if(files)
      file(REMOVE ${files})
    endif()
  endforeach()
  list(JOIN headers "\n" lines)
  file(WRITE "${record}" "${lines}\n")
endfunction()

# Adds the targets of a package of interfaces: the headers <target>__rosidl_generator_cpp, the library
# <target>__rosidl_typesupport_cpp, and targets with the other names that ROS 2 has, which stand for that library. <target> itself
# is one of these. Each has the other name <package>::<name>. Sets <targets_var> to all of them.
#
# HEADERS       the folder with the generated code
# SOURCES       the files to compile
# DEPENDENCIES  packages of interfaces that the headers need, in this project or found
# LIBRARY_NAME  the name of the library, without the end __rosidl_typesupport_cpp; by default <target>
function(saltus_interface_targets target package targets_var)
  cmake_parse_arguments(ARG "" "HEADERS;LIBRARY_NAME" "SOURCES;DEPENDENCIES" ${ARGN})
  set(headers ${target}__rosidl_generator_cpp)
  set(library ${target}__rosidl_typesupport_cpp)
  add_library(${headers} INTERFACE)
  add_library(${package}::${headers} ALIAS ${headers})
  target_include_directories(${headers} INTERFACE
    "$<BUILD_INTERFACE:${ARG_HEADERS}>" "$<INSTALL_INTERFACE:include/${package}>")
  target_link_libraries(${headers} INTERFACE rosidl_runtime_cpp::rosidl_runtime_cpp)
  add_library(${library} SHARED ${ARG_SOURCES})
  add_library(${package}::${library} ALIAS ${library})
  set_target_properties(${library} PROPERTIES CXX_STANDARD 17 UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  if(ARG_LIBRARY_NAME)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME "${ARG_LIBRARY_NAME}__rosidl_typesupport_cpp")
  endif()
  target_link_libraries(${library} PUBLIC ${headers} PRIVATE saltus_cpp::saltus_cpp)
  foreach(dependency IN LISTS ARG_DEPENDENCIES)
    saltus_interface_targets_of(${dependency} rosidl_generator_cpp their_headers)
    saltus_interface_targets_of(${dependency} rosidl_typesupport_cpp their_libraries)
    target_link_libraries(${headers} INTERFACE ${their_headers})
    target_link_libraries(${library} PUBLIC ${their_libraries})
  endforeach()
  set(targets ${headers} ${library})
  foreach(part IN ITEMS "" __rosidl_generator_c __rosidl_generator_py __rosidl_typesupport_c
      __rosidl_typesupport_introspection_c __rosidl_typesupport_introspection_cpp
      __rosidl_typesupport_fastrtps_c __rosidl_typesupport_fastrtps_cpp)
    add_library(${target}${part} INTERFACE)
    add_library(${package}::${target}${part} ALIAS ${target}${part})
    target_link_libraries(${target}${part} INTERFACE ${library})
    list(APPEND targets ${target}${part})
  endforeach()
  # For add_dependencies(<other target> <target>).
  add_dependencies(${target} ${library})
  set(${targets_var} "${targets}" PARENT_SCOPE)
endfunction()

# Sets <var> to the targets of a package of interfaces that stand for <part>, or to "" if it has none.
function(saltus_interface_targets_of package part var)
  set(targets "${${package}_TARGETS__${part}}")
  if(NOT targets AND TARGET ${package}::${package}__${part})
    set(targets ${package}::${package}__${part})
  endif()
  set(${var} "${targets}" PARENT_SCOPE)
endfunction()

# Installs the headers and the definitions of a package, and its entry in the index. <headers> is the folder with the generated
# code. Each definition is a folder and a path below it: <folder>:msg/Name.msg.
function(saltus_install_interfaces package headers)
  install(DIRECTORY "${headers}/${package}" DESTINATION "include/${package}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  set(files "")
  foreach(definition IN LISTS ARGN)
    string(REPLACE ":" ";" parts "${definition}")
    list(GET parts 0 folder)
    list(GET parts 1 file)
    get_filename_component(kind "${file}" DIRECTORY)
    install(FILES "${folder}/${file}" DESTINATION "share/${package}/${kind}")
    list(APPEND files "${file}")
  endforeach()
  # A package may call this several times, and has one entry.
  set_property(GLOBAL APPEND PROPERTY SALTUS_INTERFACE_FILES_${package} ${files})
  get_property(files GLOBAL PROPERTY SALTUS_INTERFACE_FILES_${package})
  list(SORT files)
  list(JOIN files "\n" lines)
  set(index "${CMAKE_CURRENT_BINARY_DIR}/rosidl_index/${package}")
  file(WRITE "${index}" "${lines}\n")
  install(FILES "${index}" DESTINATION share/ament_index/resource_index/rosidl_interfaces)
endfunction()

# Writes the variables of a package into <file>, which its configuration includes: <package>_TARGETS__<part> for each part of the
# code, <package>_INTERFACE_FILES, and <package>_IDL_FILES. The arguments after <file> are the targets of the package.
function(saltus_write_interface_variables package file)
  get_property(files GLOBAL PROPERTY SALTUS_INTERFACE_FILES_${package})
  list(SORT files)
  set(idl_files ${files})
  list(FILTER idl_files INCLUDE REGEX "[.]idl$")
  set(text "# The definitions of ${package}, and its targets by the part of the code.\n")
  string(APPEND text "set(${package}_INTERFACE_FILES \"${files}\")\nset(${package}_IDL_FILES \"${idl_files}\")\n")
  set(parts "")
  foreach(target IN LISTS ARGN)
    if(target MATCHES "__(rosidl_[a-z_]+)$")
      set(part ${CMAKE_MATCH_1})
      list(APPEND parts ${part})
      list(APPEND targets_${part} ${package}::${target})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES parts)
  foreach(part IN LISTS parts)
    string(APPEND text "set(${package}_TARGETS__${part} \"${targets_${part}}\")\n")
  endforeach()
  file(WRITE "${file}" "${text}")
endfunction()
