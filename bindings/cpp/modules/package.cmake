# saltus_package(): a library of this project, which other projects find as a package.

include(CMakePackageConfigHelpers)
set(SALTUS_PACKAGE_TEMPLATES "${CMAKE_CURRENT_LIST_DIR}")

# Defines the library <name> of the sources in <name>/src, and the package <name>, whose target is <name>::<name>. A package
# without sources consists of headers.
#
# VERSION       the version of the package in ROS 2
# LINK          the targets that its headers need
# PRIVATE_LINK  the targets that only its sources need
# DEPENDENCIES  the packages that LINK comes from
# EXTRAS        files of commands for other projects, which find_package() includes
# COMPONENT     a library with the sources in <name>/component, which is the target <name>::<library>, and the class of the node in it
function(saltus_package name)
  cmake_parse_arguments(ARG "" "VERSION" "LINK;PRIVATE_LINK;DEPENDENCIES;EXTRAS;COMPONENT" ${ARGN})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/src/*.cpp")
  if(sources)
    add_library(${name} SHARED ${sources})
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE ${ARG_PRIVATE_LINK})
    target_compile_options(${name} PRIVATE ${SALTUS_WARNINGS})
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(${name}::${name} ALIAS ${name})
  target_compile_features(${name} ${scope} cxx_std_17)
  target_include_directories(${name} ${scope}
    "$<BUILD_INTERFACE:${folder}/include>" "$<INSTALL_INTERFACE:include/${name}>")
  target_link_libraries(${name} ${scope} ${ARG_LINK})
  install(DIRECTORY "${folder}/include/" DESTINATION "include/${name}")
  set(component "")
  if(ARG_COMPONENT)
    _saltus_component(${name} ${ARG_COMPONENT})
    list(GET ARG_COMPONENT 0 component)
  endif()
  saltus_install_package(${name} VERSION "${ARG_VERSION}" TARGETS ${name} ${component} DEPENDENCIES ${ARG_DEPENDENCIES}
    EXTRAS ${ARG_EXTRAS})
endfunction()

# Defines the library <library> with a component of the package <name>, and names the class in the index.
function(_saltus_component name library class)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/component/*.cpp")
  add_library(${library} SHARED ${sources})
  add_library(${name}::${library} ALIAS ${library})
  target_link_libraries(${library} PUBLIC ${name} rclcpp_components::component)
  target_compile_options(${library} PRIVATE ${SALTUS_WARNINGS})
  set(index "${CMAKE_CURRENT_BINARY_DIR}/packages/${name}/components")
  file(WRITE "${index}" "${class};lib/lib${library}.so\n")
  install(FILES "${index}" DESTINATION share/ament_index/resource_index/rclcpp_components RENAME "${name}")
endfunction()

# Defines the test of the package <name>: a program of the sources in <name>/test.
#
# LINK        the targets that the test needs
# PRECOMPILE  the header in its folder that its sources include; it is compiled once
function(saltus_test name)
  cmake_parse_arguments(ARG "" "PRECOMPILE" "LINK" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/test/*.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/${name}/test/*.c")
  add_executable(test_${name} ${sources})
  # Tests check the assertions of headers, too.
  target_compile_options(test_${name} PRIVATE -UNDEBUG "$<$<COMPILE_LANGUAGE:CXX>:${SALTUS_WARNINGS}>")
  target_link_libraries(test_${name} PRIVATE ${name}::${name} ${ARG_LINK} GTest::gtest_main)
  if(ARG_PRECOMPILE)
    target_precompile_headers(test_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${name}/test/${ARG_PRECOMPILE}")
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib")
endfunction()

# Installs targets as the package <name>: its configuration, its version, package.xml, and its entry in the index.
#
# TARGETS       the targets; each becomes <name>::<target>
# DEPENDENCIES  the packages that the targets need
# EXTRAS        files that find_package() includes
function(saltus_install_package name)
  cmake_parse_arguments(ARG "" "VERSION" "TARGETS;DEPENDENCIES;EXTRAS" ${ARGN})
  set(destination "share/${name}/cmake")
  install(TARGETS ${ARG_TARGETS} EXPORT ${name} LIBRARY DESTINATION lib RUNTIME DESTINATION "lib/${name}")
  install(EXPORT ${name} NAMESPACE "${name}::" FILE "${name}Targets.cmake" DESTINATION "${destination}")
  set(targets ${ARG_TARGETS})
  list(TRANSFORM targets PREPEND "${name}::")
  set(extras "")
  foreach(extra IN LISTS ARG_EXTRAS)
    get_filename_component(file "${extra}" NAME)
    list(APPEND extras "${file}")
    install(FILES "${extra}" DESTINATION "${destination}")
  endforeach()
  set(config "${CMAKE_CURRENT_BINARY_DIR}/packages/${name}/${name}Config.cmake")
  configure_file("${SALTUS_PACKAGE_TEMPLATES}/packageConfig.cmake.in" "${config}" @ONLY)
  saltus_install_package_files(${name} "${ARG_VERSION}" "${config}")
endfunction()

# Installs what makes <name> a package besides its targets: the file <config> that find_package() reads, its version,
# package.xml, and its entry in the index.
function(saltus_install_package_files name version config)
  set(built "${CMAKE_CURRENT_BINARY_DIR}/packages/${name}")
  write_basic_package_version_file("${built}/${name}ConfigVersion.cmake"
    VERSION "${version}" COMPATIBILITY AnyNewerVersion)
  install(FILES "${config}" "${built}/${name}ConfigVersion.cmake" DESTINATION "share/${name}/cmake")
  configure_file("${SALTUS_PACKAGE_TEMPLATES}/package.xml.in" "${built}/package.xml" @ONLY)
  install(FILES "${built}/package.xml" DESTINATION "share/${name}")
  file(WRITE "${built}/index" "")
  install(FILES "${built}/index" DESTINATION share/ament_index/resource_index/packages RENAME "${name}")
endfunction()
