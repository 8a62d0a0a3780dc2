# Packages that export, and packages that use them: each in a prefix of its own, as colcon does, and all in one.

isolated=$work/isolated
all_packages="shared_lib header_only old_style_lib mixed_exports modern_user old_style_user auto_lib auto_user"
prefixes=$saltus
for package in $all_packages; do prefixes=$prefixes:$isolated/$package; done

need_isolated_shared_lib() {
  build shared_lib "$isolated/shared_lib"
  prefix=$isolated/shared_lib
  exist "$prefix/lib/libshared_lib.so" "$prefix/lib/libshared_lib_part.a" "$prefix/lib/shared_lib/shared_lib_tool" \
    "$prefix/include/shared_lib/shared_lib/shared_lib.hpp" "$prefix/include/shared_lib/shared_lib/version.h" \
    "$prefix/share/shared_lib/cmake/shared_libConfig.cmake" "$prefix/share/shared_lib/package.xml" \
    "$prefix/share/shared_lib/cmake/shared_libConfig-version.cmake" \
    "$prefix/share/shared_lib/cmake/export_shared_libExport.cmake" \
    "$prefix/share/shared_lib/environment/library_path.dsv"
  run_programs "$prefix/lib/shared_lib/shared_lib_tool"
}
run_case need_isolated_shared_lib "a library with exports: builds, installs and runs (-Wall -Wextra -Wpedantic -Werror)"

need_isolated_header_only() {
  build header_only "$isolated/header_only"
}
run_case need_isolated_header_only "a header-only package with CONFIG_EXTRAS: builds and installs"

need_isolated_old_style_lib() {
  build old_style_lib "$isolated/old_style_lib"
  if grep -q "/isolated/" "$isolated"/*/share/*/cmake/*Config.cmake; then fail "a config file has absolute paths"; fi
}
run_case need_isolated_old_style_lib "a library that exports only variables: builds and installs, config is relocatable"

modern_user() {
  build modern_user "$isolated/modern_user"
  run_programs "$isolated"/modern_user/lib/modern_user/by_*
}
run_case modern_user "targets by name, <pkg>_TARGETS and ament_target_dependencies(PUBLIC), in a package with C++14"

old_style_user() {
  build old_style_user "$isolated/old_style_user"
  run_programs "$isolated"/old_style_user/lib/old_style_user/by_*
}
run_case old_style_user "ament_target_dependencies() on old variables, transitive; INTERFACE SYSTEM; an ALIAS target"

need_isolated_auto_lib() {
  build auto_lib "$isolated/auto_lib"
  prefix=$isolated/auto_lib
  run_programs "$prefix/lib/auto_lib/auto_lib_tool"
  exist "$prefix/share/auto_lib/config/params.yaml" "$prefix/share/auto_lib/launch/auto_lib.launch.py" \
    "$prefix/include/auto_lib/auto_lib.hpp" "$prefix/lib/libauto_lib.so"
  (cd "$work/build/$(echo "$prefix" | tr / _)/auto_lib" &&
    LD_LIBRARY_PATH=$(echo "$prefixes" | sed 's,:,/lib:,g; s,$,/lib,') ctest --output-on-failure)
}
run_case need_isolated_auto_lib "ament_cmake_auto: library from a DIRECTORY, executable, gtest, INSTALL_TO_SHARE"

auto_user() {
  build auto_user "$isolated/auto_user"
  run_programs "$isolated/auto_user/bin/auto_user_node"
}
run_case auto_user "ament_cmake_auto: a package that uses the library of another, INSTALL_TO_PATH"

mixed_exports() {
  build mixed_exports "$isolated/mixed_exports"
  prefixes=$prefixes:$isolated/mixed_exports
  mkdir -p "$work/src/mixed_user"
  cat > "$work/src/mixed_user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(mixed_user CXX)
find_package(mixed_exports REQUIRED)
if(NOT mixed_exports_TARGETS STREQUAL "mixed::first;mixed::second")
  message(FATAL_ERROR "mixed_exports_TARGETS is '${mixed_exports_TARGETS}'")
endif()
include("${mixed_exports_DIR}/../plain/plain-targets.cmake")
file(WRITE "${CMAKE_BINARY_DIR}/main.cpp"
  "#include <mixed_exports/mixed_exports.hpp>\nint main() { return second() == 2 ? 0 : 1; }\n")
add_executable(main "${CMAKE_BINARY_DIR}/main.cpp")
target_link_libraries(main PRIVATE mixed::second plain::third)
END
  configure mixed_user
  cmake --build "$work/build/mixed_user"
  run_programs "$work/build/mixed_user/main"
}
run_case mixed_exports "export sets with a NAMESPACE beside install(EXPORT), used by plain CMake without ament"

config_variables() {
  mkdir -p "$work/src/variables"
  cat > "$work/src/variables/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(variables CXX)
find_package(old_style_lib REQUIRED)
find_package(header_only REQUIRED)
find_package(shared_lib REQUIRED)
header_only_command()
foreach(variable IN ITEMS
    old_style_lib_FOUND old_style_lib_DIR old_style_lib_VERSION old_style_lib_INCLUDE_DIRS old_style_lib_LIBRARIES
    old_style_lib_DEFINITIONS old_style_lib_LINK_FLAGS old_style_lib_TARGETS old_style_lib_DEPENDENCIES
    shared_lib_TARGETS shared_lib_LIBRARIES header_only_ANSWER header_only_DATA header_only_CALLED)
  string(REPLACE "${ROOT}" "ROOT" value "${${variable}}")
  string(STRIP "${value}" value)
  file(APPEND "${CMAKE_BINARY_DIR}/found.txt" "${variable}=${value}\n")
endforeach()
END
  configure variables "-DROOT=$isolated"
  cat > "$work/expected" <<'END'
old_style_lib_FOUND=1
old_style_lib_DIR=ROOT/old_style_lib/share/old_style_lib/cmake
old_style_lib_VERSION=1.2.3
old_style_lib_INCLUDE_DIRS=ROOT/old_style_lib/include;ROOT/shared_lib/include/shared_lib
END
  head -n 4 "$work/build/variables/found.txt" | diff "$work/expected" -
  libraries=$(sed -n 's/^old_style_lib_LIBRARIES=//p' "$work/build/variables/found.txt" |
    sed 's,/usr/lib/[^;]*/libpthread,/usr/lib/libpthread,')
  shared="ROOT/shared_lib/lib/libshared_lib.so;ROOT/shared_lib/lib/libshared_lib_part.a"
  case "$libraries" in
    "ROOT/old_style_lib/lib/libold_style_lib.so;"*"libpthread."*";$shared") ;;
    *) fail "old_style_lib_LIBRARIES=$libraries" ;;
  esac
  cat > "$work/expected" <<'END'
old_style_lib_DEFINITIONS=-DOLD_STYLE_LIB_USED;SHARED_LIB_USED="yes"
old_style_lib_LINK_FLAGS=-Wl,--as-needed
old_style_lib_TARGETS=
old_style_lib_DEPENDENCIES=shared_lib
shared_lib_TARGETS=shared_lib::shared_lib;shared_lib::static_part
shared_lib_LIBRARIES=ROOT/shared_lib/lib/libshared_lib.so;ROOT/shared_lib/lib/libshared_lib_part.a
header_only_ANSWER=forty two of ROOT/header_only/share/header_only/cmake
header_only_DATA=data
header_only_CALLED=TRUE
END
  tail -n 9 "$work/build/variables/found.txt" | diff "$work/expected" -
}
run_case config_variables "<pkg>Config.cmake sets all variables, for plain CMake without ament"

missing_dependency() {
  prefixes=$saltus:$isolated/old_style_lib
  project missing <<'END'
find_package(old_style_lib QUIET)
if(old_style_lib_FOUND)
  message(FATAL_ERROR "old_style_lib was found without its dependency")
endif()
message(STATUS "reason: ${old_style_lib_NOT_FOUND_MESSAGE}")
find_package(old_style_lib REQUIRED)
END
  fails_with "reason: old_style_lib depends on shared_lib, which was not found." missing
  fails_with "shared_libConfig.cmake" missing
}
run_case missing_dependency "a package whose dependency is missing is not found, with the reason"

find_in_function() {
  project find_in_function <<'END'
function(find_it)
  find_package(old_style_lib REQUIRED)
endfunction()
find_it()
find_package(old_style_lib REQUIRED)
add_library(part STATIC part.cpp)
ament_target_dependencies(part old_style_lib)
ament_package()
END
  printf '#include <old_style_lib/old_style_lib.hpp>\nint part() { return twice_length(""); }\n' \
    > "$work/src/find_in_function/part.cpp"
  install_project find_in_function
}
run_case find_in_function "find_package() in a function, and then again outside of it"

moved_prefix() {
  mv "$isolated/shared_lib" "$isolated/moved_shared_lib"
  prefixes=$saltus:$isolated/moved_shared_lib:$isolated/old_style_lib
  set +e
  ( set -e; build old_style_user "$work/moved_user" ) > "$work/moved_log" 2>&1
  code=$?
  set -e
  mv "$isolated/moved_shared_lib" "$isolated/shared_lib"
  if [ $code -ne 0 ]; then cat "$work/moved_log"; fi
  equal "exit code" 0 $code
}
run_case moved_prefix "an installed package works in a prefix that was moved"

merged() {
  prefixes=$saltus:$work/merged
  for package in $all_packages; do build "$package" "$work/merged"; done
  run_programs "$work"/merged/lib/*_user/by_* "$work/merged/bin/auto_user_node"
  found=$(sh -c ". '$saltus/setup.sh'; . '$work/merged/share/auto_lib/local_setup.sh'; echo \"\$AMENT_PREFIX_PATH\"")
  equal "AMENT_PREFIX_PATH" "$work/merged:$saltus" "$found"
}
run_case merged "all packages in one merged prefix"
