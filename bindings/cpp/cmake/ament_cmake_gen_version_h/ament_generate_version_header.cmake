include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

set_property(GLOBAL PROPERTY AMENT_VERSION_HEADER_TEMPLATE "${CMAKE_CURRENT_LIST_DIR}/version.h.in")

# Generates and installs a header with the version in package.xml: <PKG>_VERSION_MAJOR, _MINOR, _PATCH, _STR and
# <PKG>_VERSION_GTE(major, minor, patch). The library <target> finds it, and so do its users. A macro, because it may
# read package.xml for the caller. Arguments: target [HEADER_PATH path, by default <pkg>/version.h]
# [INSTALL_PATH path, by default include/<pkg>]
macro(ament_generate_version_header)
  ament_core_need_package_xml()
  _ament_version_header(${ARGN})
endmacro()

function(_ament_version_header target)
  cmake_parse_arguments(ARG "SKIP_INSTALL" "HEADER_PATH;INSTALL_PATH" "" ${ARGN})
  ament_core_no_more_arguments(ament_generate_version_header ${ARG_UNPARSED_ARGUMENTS})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ament_generate_version_header(): there is no target '${target}'")
  endif()
  if(NOT ARG_HEADER_PATH)
    set(ARG_HEADER_PATH "${PROJECT_NAME}/version.h")
  elseif(IS_ABSOLUTE "${ARG_HEADER_PATH}")
    message(FATAL_ERROR "ament_generate_version_header(): HEADER_PATH '${ARG_HEADER_PATH}' must be relative")
  endif()
  if(NOT ARG_INSTALL_PATH)
    set(ARG_INSTALL_PATH "include/${PROJECT_NAME}")
  endif()
  set(folder "${PROJECT_BINARY_DIR}/ament_generate_version_header/${target}")
  _ament_write_version_header("${folder}/${ARG_HEADER_PATH}")
  set(visibility PUBLIC)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(visibility INTERFACE)
  endif()
  target_include_directories(${target} ${visibility}
    "$<BUILD_INTERFACE:${folder}>" "$<INSTALL_INTERFACE:${ARG_INSTALL_PATH}>")
  if(NOT ARG_SKIP_INSTALL)
    ament_core_install(DIRECTORY "${folder}/" DESTINATION "${ARG_INSTALL_PATH}")
  endif()
endfunction()

# Writes the header <file>. It changes only with the version, so that nothing is built again without need.
function(_ament_write_version_header file)
  set(version "${${PROJECT_NAME}_VERSION}")
  string(REPLACE "." ";" numbers "${version}")
  list(GET numbers 0 major)
  list(GET numbers 1 minor)
  list(GET numbers 2 patch)
  string(TOUPPER "${PROJECT_NAME}" prefix)
  string(MAKE_C_IDENTIFIER "${prefix}" prefix)
  string(TOUPPER "${ARG_HEADER_PATH}_" guard)
  string(MAKE_C_IDENTIFIER "${guard}" guard)
  string(REGEX REPLACE "_+" "_" guard "${guard}")
  get_property(template GLOBAL PROPERTY AMENT_VERSION_HEADER_TEMPLATE)
  configure_file("${template}" "${file}" @ONLY)
endfunction()

# The old name.
macro(ament_cmake_gen_version_h)
  message(DEPRECATION "ament_cmake_gen_version_h() is deprecated, call ament_generate_version_header()")
  ament_generate_version_header(${ARGN})
endmacro()
