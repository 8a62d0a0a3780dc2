# rosidl_generate_interfaces(): the code of the messages, services and actions of a package.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

get_filename_component(_rosidl_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set_property(GLOBAL PROPERTY ROSIDL_CMAKE_PREFIX "${_rosidl_prefix}")
unset(_rosidl_prefix)

# Generates and compiles the code of definitions, and installs it with them, so that find_package() of other packages and the
# program saltus find the types. The targets are those of saltus_interface_targets(). Each file is a path below the source folder,
# an absolute path, or <folder>:<path below the folder>.
#
# DEPENDENCIES                 packages that were found, whose types the definitions use
# LIBRARY_NAME                 the name of the library, by default <target>
# SKIP_INSTALL                 the interfaces are only for this project
# SKIP_GROUP_MEMBERSHIP_CHECK  package.xml need not have the group rosidl_interface_packages
# ADD_LINTER_TESTS             accepted; there is nothing to check in generated code
macro(rosidl_generate_interfaces target)
  # find_package() sets variables of the caller.
  _rosidl_implied_packages(_rosidl_implied ${ARGN})
  foreach(_rosidl_package IN LISTS _rosidl_implied)
    find_package(${_rosidl_package} QUIET)
    if(NOT ${_rosidl_package}_FOUND)
      message(FATAL_ERROR "rosidl_generate_interfaces(): the package '${_rosidl_package}' was not found. It is one of the C++ "
        "packages of Saltus: install these (make cpp), and put their prefix into CMAKE_PREFIX_PATH.")
    endif()
  endforeach()
  _rosidl_generate("${target}" "${_rosidl_implied}" ${ARGN})
  unset(_rosidl_implied)
  unset(_rosidl_package)
endmacro()

# The command itself. <implied> are packages that the code needs besides DEPENDENCIES.
function(_rosidl_generate target implied)
  cmake_parse_arguments(ARG "ADD_LINTER_TESTS;SKIP_INSTALL;SKIP_GROUP_MEMBERSHIP_CHECK" "LIBRARY_NAME" "DEPENDENCIES" ${ARGN})
  ament_core_before_package(rosidl_generate_interfaces)
  _rosidl_check_group()
  _rosidl_check_dependencies(${ARG_DEPENDENCIES})
  _rosidl_definitions(definitions ${ARG_UNPARSED_ARGUMENTS})
  set(headers "${CMAKE_CURRENT_BINARY_DIR}/rosidl_generator_cpp")
  _rosidl_generate_code("${headers}" sources used)
  # Users of the package may use the types of all dependencies.
  set(dependencies "")
  foreach(package IN LISTS ARG_DEPENDENCIES implied used)
    saltus_interface_targets_of(${package} rosidl_generator_cpp exists)
    if(exists)
      list_append_unique(dependencies ${package})
    endif()
  endforeach()
  saltus_interface_targets(${target} ${PROJECT_NAME} targets HEADERS "${headers}" LIBRARY_NAME "${ARG_LIBRARY_NAME}"
    SOURCES ${sources} DEPENDENCIES ${dependencies})
  # Options that a package sets for its own code must not break the generated code.
  set_target_properties(${target}__rosidl_typesupport_cpp PROPERTIES CXX_VISIBILITY_PRESET default
    VISIBILITY_INLINES_HIDDEN OFF CXX_CLANG_TIDY "" CXX_CPPCHECK "" CXX_CPPLINT "")
  target_compile_options(${target}__rosidl_typesupport_cpp PRIVATE -w)
  # ROS 2 has this target for the headers. They exist when CMake has configured.
  add_custom_target(${target}__cpp)
  ament_core_collect(ROSIDL_INTERFACES ${target})
  if(NOT ARG_SKIP_INSTALL)
    _rosidl_install()
  endif()
endfunction()

# Stops unless package.xml has the group, by which tools know packages with interfaces, or nothing is installed.
function(_rosidl_check_group)
  ament_core_need_package_xml()
  if(ARG_SKIP_INSTALL OR ARG_SKIP_GROUP_MEMBERSHIP_CHECK)
    return()
  endif()
  if(NOT "rosidl_interface_packages" IN_LIST ${PROJECT_NAME}_MEMBER_OF_GROUPS)
    message(FATAL_ERROR "rosidl_generate_interfaces(): ${CMAKE_CURRENT_SOURCE_DIR}/package.xml does not have the line "
      "<member_of_group>rosidl_interface_packages</member_of_group>")
  endif()
endfunction()

# Stops unless all packages were found before.
function(_rosidl_check_dependencies)
  foreach(package IN LISTS ARGN)
    if(NOT ${package}_FOUND)
      message(FATAL_ERROR "rosidl_generate_interfaces(): DEPENDENCIES names '${package}', which was not found before. Call "
        "find_package(${package} REQUIRED) first, and name it in package.xml.")
    endif()
  endforeach()
endfunction()

# Sets <var> to the program that generates the code.
function(_rosidl_program var)
  get_property(prefix GLOBAL PROPERTY ROSIDL_CMAKE_PREFIX)
  # The program of the same prefix fits to its headers.
  find_program(SALTUS_PROGRAM saltus PATHS "${prefix}/bin" NO_DEFAULT_PATH DOC "The program saltus, which generates code")
  find_program(SALTUS_PROGRAM saltus)
  if(NOT SALTUS_PROGRAM)
    message(FATAL_ERROR "rosidl_generate_interfaces() needs the program saltus, which generates the code. It is not in "
      "'${prefix}/bin' and not in PATH. Install it there, or give its path: -DSALTUS_PROGRAM=<path>.")
  elseif(NOT EXISTS "${SALTUS_PROGRAM}")
    message(FATAL_ERROR "rosidl_generate_interfaces(): SALTUS_PROGRAM is '${SALTUS_PROGRAM}', which does not exist. Give the "
      "path of the program saltus: -DSALTUS_PROGRAM=<path>.")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${SALTUS_PROGRAM}")
  set(${var} "${SALTUS_PROGRAM}" PARENT_SCOPE)
endfunction()

# Generates the code of the <definitions> of _rosidl_generate() into <headers>. Sets <sources_var> to the files to compile, and
# <used_var> to the packages whose types it uses.
function(_rosidl_generate_code headers sources_var used_var)
  _rosidl_program(program)
  set(copies "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cmake/${target}")
  _rosidl_copy_definitions("${copies}" types ${definitions})
  _rosidl_folders_of(known folders ${ARG_DEPENDENCIES} ${implied})
  saltus_generate_code(${target} ${PROJECT_NAME} PROGRAM "${program}" OUTPUT "${headers}" PATH "${copies}" ${folders}
    TYPES ${types} ERROR error SOURCES sources DEPENDENCIES used)
  if(error)
    _rosidl_show_sources(error "${copies}" ${definitions})
    _rosidl_advice("${error}" advice)
    # CMake does not break lines that begin with a space, so that editors find the file and the line.
    string(REPLACE "\n" "\n  " error "${error}")
    message(FATAL_ERROR "rosidl_generate_interfaces(): can't generate the code of ${PROJECT_NAME}:\n  ${error}\n${advice}")
  endif()
  foreach(package IN LISTS used)
    if(NOT package IN_LIST known)
      message(FATAL_ERROR "rosidl_generate_interfaces(): the definitions of ${PROJECT_NAME} use types of '${package}', which is "
        "not in DEPENDENCIES. Call find_package(${package} REQUIRED), add it to DEPENDENCIES, and name it in package.xml.")
    endif()
  endforeach()
  set(${sources_var} "${sources}" PARENT_SCOPE)
  set(${used_var} "${used}" PARENT_SCOPE)
endfunction()

# Sets <var> to what to do about an unknown type.
function(_rosidl_advice error var)
  set(${var} "" PARENT_SCOPE)
  if(error MATCHES "unknown type `([A-Za-z0-9_]+)/([a-z]+)/([A-Za-z0-9_]+)`")
    if(CMAKE_MATCH_1 STREQUAL PROJECT_NAME)
      set(advice "Is '${CMAKE_MATCH_2}/${CMAKE_MATCH_3}.${CMAKE_MATCH_2}' missing in rosidl_generate_interfaces()?")
    elseif(CMAKE_MATCH_1 IN_LIST ARG_DEPENDENCIES)
      set(advice "The package '${CMAKE_MATCH_1}' does not have this type: '${${CMAKE_MATCH_1}_DIR}'.")
    else()
      set(advice "Call find_package(${CMAKE_MATCH_1} REQUIRED) and add it to DEPENDENCIES.")
    endif()
    set(${var} "${advice}" PARENT_SCOPE)
  endif()
endfunction()

# Installs and exports what _rosidl_generate() has made.
function(_rosidl_install)
  # Packages often use their own name for an export of their libraries.
  set(export "${target}__rosidl_interfaces")
  ament_core_install(TARGETS ${targets} EXPORT ${export} ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
  saltus_install_interfaces(${PROJECT_NAME} "${headers}" ${definitions})
  ament_export_targets(${export} HAS_LIBRARY_TARGET)
  ament_export_dependencies(${implied} ${ARG_DEPENDENCIES} ${used})
  ament_export_include_directories("include/${PROJECT_NAME}")
  ament_export_libraries(${target}__rosidl_typesupport_cpp)
  ament_core_collect(ROSIDL_TARGETS ${targets})
endfunction()
