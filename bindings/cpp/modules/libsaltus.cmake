# The library libsaltus: compiled by cargo, and linked here with the versions of its symbols.

set(SALTUS_C_FOLDER "${CMAKE_CURRENT_LIST_DIR}/../../c")
set(SALTUS_STATIC_LIBRARY "" CACHE FILEPATH "libsaltus_c.a, as cargo builds it")
if(NOT EXISTS "${SALTUS_STATIC_LIBRARY}")
  message(FATAL_ERROR "expected SALTUS_STATIC_LIBRARY to be the path of libsaltus_c.a, found "
    "'${SALTUS_STATIC_LIBRARY}': run `make cpp` in the root of Saltus, which builds it")
endif()

set(library "${CMAKE_BINARY_DIR}/lib/libsaltus.so.${PROJECT_VERSION}")
# A process that has unloaded the library would have threads and thread-local objects without code: it is never unloaded.
add_custom_command(
  OUTPUT "${library}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/lib"
  COMMAND "${CMAKE_C_COMPILER}" -shared -o "${library}"
    -Wl,-soname,libsaltus.so.${PROJECT_VERSION_MAJOR}
    "-Wl,--version-script=${SALTUS_C_FOLDER}/saltus.map"
    -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,--gc-sections -Wl,--strip-debug
    -Wl,--whole-archive "${SALTUS_STATIC_LIBRARY}" -Wl,--no-whole-archive -lgcc_s -lpthread -lm -ldl -lc
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "libsaltus.so.${PROJECT_VERSION}"
    "${CMAKE_BINARY_DIR}/lib/libsaltus.so.${PROJECT_VERSION_MAJOR}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "libsaltus.so.${PROJECT_VERSION_MAJOR}"
    "${CMAKE_BINARY_DIR}/lib/libsaltus.so"
  DEPENDS "${SALTUS_STATIC_LIBRARY}" "${SALTUS_C_FOLDER}/saltus.map"
  COMMENT "Linking libsaltus"
  VERBATIM)
add_custom_target(libsaltus ALL DEPENDS "${library}")

add_library(saltus_library SHARED IMPORTED GLOBAL)
add_dependencies(saltus_library libsaltus)
set_target_properties(saltus_library PROPERTIES
  IMPORTED_LOCATION "${library}"
  IMPORTED_SONAME "libsaltus.so.${PROJECT_VERSION_MAJOR}"
  INTERFACE_INCLUDE_DIRECTORIES "${SALTUS_C_FOLDER}/include")

install(FILES "${library}" "${CMAKE_BINARY_DIR}/lib/libsaltus.so.${PROJECT_VERSION_MAJOR}"
  "${CMAKE_BINARY_DIR}/lib/libsaltus.so" DESTINATION lib)
install(DIRECTORY "${SALTUS_C_FOLDER}/include/" DESTINATION include/saltus)
# Programs in C find it as the package saltus.
configure_file("${CMAKE_CURRENT_LIST_DIR}/saltusConfig.cmake.in" "${CMAKE_BINARY_DIR}/packages/saltus/saltusConfig.cmake" @ONLY)
saltus_install_package_files(saltus ${PROJECT_VERSION} "${CMAKE_BINARY_DIR}/packages/saltus/saltusConfig.cmake")
