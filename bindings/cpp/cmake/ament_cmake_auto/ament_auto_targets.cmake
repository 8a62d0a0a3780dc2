include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Adds a library that uses all found build dependencies and the folder include. ament_auto_package() installs and
# exports it. Arguments: target [STATIC|SHARED|MODULE|INTERFACE] [EXCLUDE_FROM_ALL] sources... | DIRECTORY folder
# [NO_TARGET_LINK_LIBRARIES]
function(ament_auto_add_library target)
  _ament_auto_sources(ament_auto_add_library arguments ${ARGN})
  list(REMOVE_ITEM arguments NO_TARGET_LINK_LIBRARIES)
  add_library(${target} ${arguments})
  get_target_property(type ${target} TYPE)
  set(visibility PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(visibility INTERFACE)
  endif()
  _ament_auto_use_dependencies(${target} ${visibility} ${${PROJECT_NAME}_FOUND_BUILD_DEPENDS})
  ament_core_collect(AUTO_LIBRARIES ${target})
  ament_core_collected(libraries AUTO_LIBRARIES)
  set(${PROJECT_NAME}_LIBRARIES "${libraries}" PARENT_SCOPE)
endfunction()

# Adds an executable that uses all found build dependencies, the folder include, and (unless NO_TARGET_LINK_LIBRARIES is
# given) the libraries that ament_auto_add_library() has added before. ament_auto_package() installs it.
# Arguments: target [EXCLUDE_FROM_ALL] sources... | DIRECTORY folder [NO_TARGET_LINK_LIBRARIES]
function(ament_auto_add_executable target)
  _ament_auto_sources(ament_auto_add_executable arguments ${ARGN})
  list(REMOVE_ITEM arguments NO_TARGET_LINK_LIBRARIES)
  add_executable(${target} ${arguments})
  _ament_auto_use_dependencies(${target} PUBLIC ${${PROJECT_NAME}_FOUND_BUILD_DEPENDS})
  if(NOT "NO_TARGET_LINK_LIBRARIES" IN_LIST ARGN)
    _ament_auto_link_libraries(${target})
  endif()
  ament_core_collect(AUTO_EXECUTABLES ${target})
  ament_core_collected(executables AUTO_EXECUTABLES)
  set(${PROJECT_NAME}_EXECUTABLES "${executables}" PARENT_SCOPE)
endfunction()

# Adds a test of GoogleTest that uses all found build and test dependencies, the folder include, and the libraries of
# ament_auto_add_library(). Arguments: those of ament_add_gtest()
macro(ament_auto_add_gtest target)
  ament_add_gtest(${target} ${ARGN})
  _ament_auto_finish_test(${target})
endmacro()

# The same for GoogleMock. Arguments: those of ament_add_gmock()
macro(ament_auto_add_gmock target)
  ament_add_gmock(${target} ${ARGN})
  _ament_auto_finish_test(${target})
endmacro()

# Lets the test <target> use the package. Does nothing when GoogleTest was not found.
function(_ament_auto_finish_test target)
  if(TARGET ${target})
    _ament_auto_use_dependencies(${target} PUBLIC
      ${${PROJECT_NAME}_FOUND_BUILD_DEPENDS} ${${PROJECT_NAME}_FOUND_TEST_DEPENDS})
    _ament_auto_link_libraries(${target})
  endif()
endfunction()

# Sets <var> to the arguments for add_library() or add_executable(): DIRECTORY is replaced by the sources in the folder.
function(_ament_auto_sources command var)
  cmake_parse_arguments(ARG "" "DIRECTORY" "" ${ARGN})
  set(arguments ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DIRECTORY)
    ament_core_source_path(folder "${ARG_DIRECTORY}")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS LIST_DIRECTORIES FALSE
      "${folder}/*.c" "${folder}/*.cc" "${folder}/*.cpp" "${folder}/*.cxx")
    if(NOT sources)
      message(FATAL_ERROR "${command}(): the DIRECTORY '${folder}' has no .c, .cc, .cpp or .cxx file")
    endif()
    list(SORT sources)
    list(APPEND arguments ${sources})
  endif()
  set(${var} "${arguments}" PARENT_SCOPE)
endfunction()

# Adds the folder include and the packages to <target>. Arguments: target visibility packages...
function(_ament_auto_use_dependencies target visibility)
  set(folders "${CMAKE_CURRENT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include")
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    if(IS_DIRECTORY "${folder}")
      target_include_directories(${target} ${visibility} "$<BUILD_INTERFACE:${folder}>")
    endif()
  endforeach()
  set(packages ${ARGN})
  list(REMOVE_DUPLICATES packages)
  ament_target_dependencies(${target} ${packages})
endfunction()

# Links the libraries of ament_auto_add_library() that can be linked.
function(_ament_auto_link_libraries target)
  ament_core_collected(libraries AUTO_LIBRARIES)
  foreach(library IN LISTS libraries)
    get_target_property(type ${library} TYPE)
    if(NOT type STREQUAL "MODULE_LIBRARY")
      target_link_libraries(${target} ${library})
    endif()
  endforeach()
endfunction()
