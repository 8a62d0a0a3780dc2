# The packages of interfaces that Saltus has. Their code is generated and compiled like that of users.

include("${CMAKE_CURRENT_LIST_DIR}/../cmake/rosidl_cmake/rosidl_targets.cmake")

# Adds the packages of the folder <root> with these names, each after those that it uses.
function(saltus_bundled_interfaces root)
  foreach(name IN LISTS ARGN)
    file(GLOB files RELATIVE "${root}/${name}"
      "${root}/${name}/msg/*.msg" "${root}/${name}/srv/*.srv" "${root}/${name}/action/*.action")
    list(TRANSFORM files PREPEND "${root}/${name}:")
    saltus_generate_code(${name} ${name} PROGRAM "${SALTUS_PROGRAM}" OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${name}"
      PATH "${root}" TYPES ${name} ERROR error SOURCES sources DEPENDENCIES dependencies)
    if(error)
      message(FATAL_ERROR "can't generate the code of ${name}: ${error}")
    endif()
    set_property(GLOBAL APPEND PROPERTY SALTUS_INTERFACES ${name})
    set_property(GLOBAL PROPERTY SALTUS_INTERFACES_${name}_SOURCES ${sources})
    set_property(GLOBAL PROPERTY SALTUS_INTERFACES_${name}_FILES ${files})
    set_property(GLOBAL PROPERTY SALTUS_INTERFACES_${name}_DEPENDENCIES ${dependencies})
  endforeach()
  foreach(name IN LISTS ARGN)
    _saltus_bundled_package(${name} "${root}")
  endforeach()
endfunction()

# Adds a package, and before it those that it uses.
function(_saltus_bundled_package name root)
  if(TARGET ${name}__rosidl_typesupport_cpp)
    return()
  endif()
  foreach(part IN ITEMS SOURCES FILES DEPENDENCIES)
    get_property(${part} GLOBAL PROPERTY SALTUS_INTERFACES_${name}_${part})
  endforeach()
  foreach(dependency IN LISTS DEPENDENCIES)
    _saltus_bundled_package(${dependency} "${root}")
  endforeach()
  set(headers "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${name}")
  set(variables "${CMAKE_CURRENT_BINARY_DIR}/rosidl_cpp/${name}/${name}-interfaces.cmake")
  saltus_interface_targets(${name} ${name} targets HEADERS "${headers}" SOURCES ${SOURCES} DEPENDENCIES ${DEPENDENCIES})
  saltus_install_interfaces(${name} "${headers}" ${FILES})
  saltus_write_interface_variables(${name} "${variables}" ${targets})
  saltus_install_package(${name} VERSION 5.3.5 TARGETS ${targets} DEPENDENCIES rosidl_runtime_cpp saltus_cpp ${DEPENDENCIES}
    EXTRAS "${variables}")
endfunction()
