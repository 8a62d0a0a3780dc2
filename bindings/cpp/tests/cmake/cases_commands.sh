# Commands in their argument forms, and their errors.

prefixes=$saltus

utilities() {
  project utilities <<'END'
set(list a b)
list_append_unique(list b c a d)
if(NOT list STREQUAL "a;b;c;d")
  message(FATAL_ERROR "list_append_unique: ${list}")
endif()
foreach(pair IN ITEMS "/a/./b/../c//d|/a/c/d" "a/../b/./c|b/c" "../x|../x" "a/..|.")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 path)
  list(GET pair 1 expected)
  normalize_path(found "${path}")
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "normalize_path(${path}): ${found}")
  endif()
endforeach()
string_ends_with("a.cmake.in" ".in" yes)
string_ends_with("in" ".in" no)
string_ends_with("a.cmake" ".in" no_2)
if(NOT yes OR no OR no_2)
  message(FATAL_ERROR "string_ends_with: ${yes} ${no} ${no_2}")
endif()
stamp("${CMAKE_CURRENT_SOURCE_DIR}/package.xml")
assert_file_exists("package.xml" "no text")
add_library(target STATIC target.cpp)
get_executable_path(path target BUILD)
if(NOT path STREQUAL "$<TARGET_FILE:target>")
  message(FATAL_ERROR "get_executable_path: ${path}")
endif()
get_executable_path(path /bin/sh CONFIGURE)
if(NOT path STREQUAL "/bin/sh")
  message(FATAL_ERROR "get_executable_path: ${path}")
endif()
ament_libraries_deduplicate(libraries a b debug c optimized c a b debug c)
if(NOT libraries STREQUAL "optimized;c;a;b;debug;c")
  message(FATAL_ERROR "ament_libraries_deduplicate: ${libraries}")
endif()
list(APPEND CMAKE_PREFIX_PATH /low)
set(ENV{AMENT_PREFIX_PATH} "/high:/middle")
ament_include_directories_order(folders /other /low/include /middle/include /high/include /other)
if(NOT folders STREQUAL "/high/include;/middle/include;/low/include;/other")
  message(FATAL_ERROR "ament_include_directories_order: ${folders}")
endif()
add_library(first INTERFACE)
target_include_directories(first INTERFACE /first)
target_link_libraries(target PUBLIC first m)
ament_get_recursive_properties(folders libraries target)
if(NOT folders STREQUAL "/first" OR NOT libraries STREQUAL "target;m")
  message(FATAL_ERROR "ament_get_recursive_properties: ${folders} ${libraries}")
endif()
ament_add_default_options()
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "ament_add_default_options")
endif()
ament_export_development_version_if_higher_than_manifest("0.2.0")
ament_package()
END
  echo "int target() { return 0; }" > "$work/src/utilities/target.cpp"
  install_project utilities
  contains "$work/install/utilities/share/utilities/cmake/utilitiesConfig.cmake" 'set(utilities_VERSION "0.2.0")'
}
run_case utilities "commands on lists, strings, paths, libraries, folders and versions"

target_dependencies() {
  mkdir -p "$work/fake/share/cmake"
  for package in Eigen3 OnlyTargets Nothing OpenFake With-Dash; do mkdir -p "$work/fake/lib/cmake/$package"; done
  echo 'set(EIGEN3_INCLUDE_DIRS /fake/eigen)' > "$work/fake/lib/cmake/Eigen3/Eigen3Config.cmake"
  printf 'add_library(OnlyTargets::OnlyTargets INTERFACE IMPORTED)\nset(OnlyTargets_TARGETS no::such)\n' \
    > "$work/fake/lib/cmake/OnlyTargets/OnlyTargetsConfig.cmake"
  echo "# Nothing." > "$work/fake/lib/cmake/Nothing/NothingConfig.cmake"
  printf 'set(OpenFake_LIBS open_a;open_b)\nset(OpenFake_INCLUDE_DIR /fake/open)\n%s\n' \
    'set(OpenFake_DEFINITIONS "-DA=1 -DB -march=native;C")
set(OpenFake_LINK_FLAGS "-Wl,-z -Wl,now")
set(OpenFake_LIBRARY_DIRS /fake/lib)' > "$work/fake/lib/cmake/OpenFake/OpenFakeConfig.cmake"
  echo 'set(With-Dash_LIBRARIES debug;d_lib;optimized;o_lib)' > "$work/fake/lib/cmake/With-Dash/With-DashConfig.cmake"
  prefixes=$saltus:$work/fake
  project target_dependencies <<'END'
foreach(package IN ITEMS Eigen3 OnlyTargets Nothing OpenFake With-Dash)
  find_package(${package} REQUIRED)
endforeach()
add_library(lib STATIC part.cpp)
ament_target_dependencies(lib Eigen3 OnlyTargets Nothing OpenFake With-Dash)
target_link_libraries(lib plain_form)
add_library(imported STATIC IMPORTED)
ament_target_dependencies(imported Eigen3)
add_library(face INTERFACE)
ament_target_dependencies(face SYSTEM Eigen3)
add_library(keyword STATIC part.cpp)
ament_target_dependencies(keyword PUBLIC OpenFake)
target_link_libraries(keyword PRIVATE keyword_form)
add_library(no_dependencies STATIC part.cpp)
ament_target_dependencies(no_dependencies)
macro(check target property expected)
  get_target_property(found ${target} ${property})
  if(NOT "${found}" STREQUAL "${expected}")
    message(FATAL_ERROR "${target} ${property}: '${found}', expected '${expected}'")
  endif()
endmacro()
check(lib INCLUDE_DIRECTORIES "/fake/eigen;/fake/open")
check(lib INTERFACE_INCLUDE_DIRECTORIES "/fake/eigen;/fake/open")
check(lib COMPILE_DEFINITIONS "A=1;B;C")
check(lib COMPILE_OPTIONS "-march=native")
check(lib LINK_DIRECTORIES "/fake/lib")
check(lib INTERFACE_LINK_OPTIONS "SHELL:-Wl,-z -Wl,now")
check(lib LINK_LIBRARIES
  "OnlyTargets::OnlyTargets;open_a;open_b;$<$<CONFIG:DEBUG>:d_lib>;$<$<NOT:$<CONFIG:DEBUG>>:o_lib>;plain_form")
check(imported INTERFACE_INCLUDE_DIRECTORIES "/fake/eigen")
check(face INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "/fake/eigen")
check(keyword LINK_LIBRARIES "open_a;open_b;keyword_form")
ament_package()
END
  echo "int part() { return 0; }" > "$work/src/target_dependencies/part.cpp"
  configure target_dependencies
}
run_case target_dependencies "ament_target_dependencies() on packages such as Eigen3 and OpenCV, all kinds of targets"

# Checks that the lines of standard input fail with the text. Argument: text.
error() {
  project errors
  fails_again_with "$1" errors
}

errors() {
  error "there is no target 'no_target'" <<'END'
ament_target_dependencies(no_target)
END
  error "the package 'not_found' was not found before. Call find_package(not_found REQUIRED) first" <<'END'
add_library(a INTERFACE)
ament_target_dependencies(a not_found)
END
  error "give PUBLIC or INTERFACE, not both" <<'END'
add_library(a INTERFACE)
ament_target_dependencies(a PUBLIC INTERFACE)
END
  error "ament_package() got unknown arguments: NO_SUCH;x" <<'END'
ament_package(NO_SUCH x)
END
  error "ament_package() was called twice" <<'END'
ament_package()
ament_package()
END
  for command in export_dependencies export_include_directories export_libraries export_targets export_definitions \
    export_link_flags environment_hooks; do
    error "ament_$command() must be called before ament_package()" <<END
ament_package()
ament_$command(x)
END
  done
  error "of CONFIG_EXTRAS does not exist" <<'END'
ament_package(CONFIG_EXTRAS no_such_file.cmake)
END
  error "of CONFIG_EXTRAS is no .cmake or .cmake.in file" <<'END'
ament_package(CONFIG_EXTRAS package.xml)
END
  error "ament_environment_hooks(): the file" <<'END'
ament_environment_hooks(no_such_hook.sh)
END
  error "is no .sh, .bash, .zsh, .dsv, .bat or .ps1 file" <<'END'
ament_environment_hooks(package.xml)
END
  error "the target 'a' is no library" <<'END'
add_custom_target(a)
ament_export_libraries(a)
ament_package()
END
  error "it has no __init__.py" <<'END'
ament_python_install_package(no_package)
END
  error "does not exist" <<'END'
ament_python_install_module(no_module.py)
END
  error "no resource 'x' of the type 'y'" <<'END'
ament_index_get_resource(var y x)
END
  error "give CONTENT or CONTENT_FILE, not both" <<'END'
ament_index_register_resource(y CONTENT x CONTENT_FILE package.xml)
END
  error "registered for the extension point 'point', does not exist" <<'END'
ament_register_extension(point ament_cmake no_such_file.cmake)
ament_execute_extensions(point)
END
  error "needs a COMMAND" <<'END'
ament_add_test(a)
END
  error "TIMEOUT 'soon' of 'a' is no positive number" <<'END'
ament_add_test(a COMMAND true TIMEOUT soon)
END
  error "REQUIRED names 'x', which package.xml does not have" <<'END'
find_package(ament_cmake_auto REQUIRED)
ament_auto_find_build_dependencies(REQUIRED x)
END
  error "HEADER_PATH '/x.h' must be relative" <<'END'
add_library(a INTERFACE)
ament_generate_version_header(a HEADER_PATH /x.h)
END
  error "the launch file" <<'END'
find_package(launch_testing_ament_cmake REQUIRED)
add_launch_test(no_such_file.py)
END
}
run_case errors "wrong uses of the commands say what is wrong"

index() {
  project index "<exec_depend>one</exec_depend>" "<exec_depend>two</exec_depend>" <<'END'
ament_index_register_resource("my_kind" CONTENT "line 1;\nline 2")
ament_index_register_resource("file_kind" CONTENT_FILE content.txt PACKAGE_NAME other)
ament_index_register_resource("template_kind" CONTENT_FILE "${CMAKE_CURRENT_SOURCE_DIR}/content.txt.in")
ament_index_register_resource("hidden_kind" SKIP_INSTALL)
ament_index_get_resource(text my_kind index)
if(NOT text STREQUAL "line 1;\nline 2")
  message(FATAL_ERROR "ament_index_get_resource: ${text}")
endif()
ament_index_get_resources(names file_kind)
if(NOT names STREQUAL "other")
  message(FATAL_ERROR "ament_index_get_resources: ${names}")
endif()
# As in packages whose tests load what was built but not installed.
ament_index_get_prefix_path(ament_index_build_path SKIP_AMENT_PREFIX_PATH)
list(GET ament_index_build_path 0 ament_index_build_path)
if(NOT ament_index_build_path STREQUAL "${CMAKE_BINARY_DIR}/ament_cmake_index")
  message(FATAL_ERROR "ament_index_get_prefix_path: ${ament_index_build_path}")
endif()
ament_package()
ament_index_get_resources(packages packages)
if(NOT "index" IN_LIST packages OR NOT "ament_cmake" IN_LIST packages)
  message(FATAL_ERROR "ament_index_get_resources: ${packages}")
endif()
END
  echo 'plain @PROJECT_NAME@' > "$work/src/index/content.txt"
  echo 'name @PROJECT_NAME@' > "$work/src/index/content.txt.in"
  AMENT_PREFIX_PATH=$saltus:$work/install/index install_project index
  folder=$work/install/index/share/ament_index/resource_index
  equal my_kind "line 1;
line 2" "$(cat "$folder/my_kind/index")"
  equal file_kind "plain @PROJECT_NAME@" "$(cat "$folder/file_kind/other")"
  equal template_kind "name index" "$(cat "$folder/template_kind/index")"
  equal run_dependencies "one;two" "$(cat "$folder/package_run_dependencies/index")"
  equal parents "$saltus" "$(cat "$folder/parent_prefix_path/index")"
  exist "$folder/packages/index" "$work/build/index/ament_cmake_index/share/ament_index/resource_index/my_kind/index"
  if [ -e "$folder/hidden_kind" ]; then fail "SKIP_INSTALL was installed"; fi

  project index_reader <<END
ament_index_has_resource(prefix my_kind index)
if(NOT prefix STREQUAL "$work/install/index")
  message(FATAL_ERROR "ament_index_has_resource: \${prefix}")
endif()
ament_index_has_resource(no my_kind other)
ament_index_has_resource(no_2 my_kind index PREFIX_PATH "$saltus")
if(no OR no_2)
  message(FATAL_ERROR "ament_index_has_resource: \${no} \${no_2}")
endif()
ament_index_get_resources(names packages PREFIX_PATH "$work/install/index")
ament_index_get_prefix_path(prefixes SKIP_BUILD_DIRECTORY)
if(NOT names STREQUAL "index" OR NOT "$work/install/index" IN_LIST prefixes)
  message(FATAL_ERROR "\${names} \${prefixes}")
endif()
END
  AMENT_PREFIX_PATH=$work/install/index configure index_reader
  prefixes=$saltus:$work/install/index configure index_reader
}
run_case index "the resource index: registered in all forms, installed, read back"

extensions() {
  folder=$work/fake_extension/share/fake_extension/cmake
  mkdir -p "$folder"
  cat > "$folder/fake_extensionConfig.cmake" <<'END'
ament_register_extension("ament_package" "fake_extension" "first.cmake")
ament_register_extension("ament_package" "fake_extension" "second.cmake")
ament_register_extension("own_point" "fake_extension" "own.cmake")
END
  cat > "$folder/first.cmake" <<'END'
# What a package such as pluginlib does: reads package.xml and adds resources, exports and extras.
if(NOT extensions_BUILD_DEPENDS STREQUAL "one")
  message(FATAL_ERROR "package.xml is not read: ${extensions_BUILD_DEPENDS}")
endif()
set(order "first")
ament_index_register_resource("from_extension" CONTENT "${order}")
ament_export_dependencies(header_only_fake)
file(WRITE "${CMAKE_BINARY_DIR}/added.cmake" "set(extensions_ADDED \"\${header_only_fake_FOUND}\")\n")
list(APPEND ${PROJECT_NAME}_CONFIG_EXTRAS "${CMAKE_BINARY_DIR}/added.cmake")
END
  cat > "$folder/second.cmake" <<'END'
if(NOT order STREQUAL "first")
  message(FATAL_ERROR "the order is not that of the registration")
endif()
ament_execute_extensions("own_point")
END
  echo 'set(OWN_RAN TRUE)' > "$folder/own.cmake"
  mkdir -p "$work/fake_extension/lib/cmake/header_only_fake"
  echo "# Nothing." > "$work/fake_extension/lib/cmake/header_only_fake/header_only_fakeConfig.cmake"
  prefixes=$saltus:$work/fake_extension
  project extensions "<depend>one</depend>" <<'END'
find_package(fake_extension REQUIRED)
find_package(fake_extension REQUIRED)
ament_package()
if(NOT OWN_RAN)
  message(FATAL_ERROR "the extension of an extension did not run")
endif()
END
  install_project extensions
  exist "$work/install/extensions/share/ament_index/resource_index/from_extension/extensions"
  prefixes=$prefixes:$work/install/extensions
  project uses_extensions <<'END'
find_package(extensions REQUIRED)
if(NOT extensions_ADDED)
  message(FATAL_ERROR "extras of extensions must run after the exports")
endif()
END
  configure uses_extensions
}
run_case extensions "extension points: order, variables, exports and extras of extensions"

python_package() {
  prefixes=$saltus
  build python_pkg "$work/python"
  tree=$work/build/$(echo "$work/python" | tr / _)/python_pkg
  modules=$work/python/$(cat "$tree/python_dir.txt")
  exist "$modules/python_pkg/nested/__init__.py" "$modules/renamed/__init__.py" "$modules/single_module.py" \
    "$modules/python_pkg-1.2.3.dist-info/METADATA" "$modules/renamed-7.0.0.dist-info"
  equal script hello "$(PYTHONPATH=$modules "$work/python/lib/python_pkg/hello_script")"
  equal program program "$("$work/python/lib/python_pkg/program.py")"
  equal version 1.2.3 "$(PYTHONPATH=$modules python3 -c \
    'from importlib.metadata import version; import python_pkg, single_module, renamed; print(version("python_pkg"))')"
  contains "$work/python/share/python_pkg/environment/pythonpath.dsv" \
    "prepend-non-duplicate;PYTHONPATH;$(cat "$tree/python_dir.txt")"
  found=$(sh -c ". '$work/python/share/python_pkg/local_setup.sh'; echo \"\$PYTHONPATH\"")
  equal PYTHONPATH "$modules" "$found"
  (cd "$tree" && ctest --output-on-failure)
  contains "$tree/test_results/python_pkg/test_python_pkg.xunit.xml" 'tests="1"'
}
run_case python_package "ament_cmake_python: packages, modules, console scripts, version, PYTHONPATH, pytest"

symlink_install() {
  prefixes=$saltus
  for package in shared_lib header_only python_pkg hooks_pkg; do
    build "$package" "$work/linked" -DAMENT_CMAKE_SYMLINK_INSTALL=ON
  done
  packages=$here/packages
  for pair in include/shared_lib/shared_lib/shared_lib.hpp:shared_lib/include/shared_lib/shared_lib.hpp \
    lib/python_pkg/program.py:python_pkg/scripts/program.py \
    share/hooks_pkg/env-hooks/both.sh:hooks_pkg/env-hooks/both.sh \
    share/header_only/cmake/data/file.txt:header_only/cmake/data/file.txt; do
    equal "link ${pair%%:*}" "$packages/${pair#*:}" "$(readlink "$work/linked/${pair%%:*}")"
  done
  for file in lib/libshared_lib.so include/shared_lib/shared_lib/version.h share/shared_lib/package.xml \
    share/shared_lib/cmake/shared_libConfig.cmake; do
    if [ ! -f "$work/linked/$file" ]; then fail "$file is missing"; fi
  done
  run_with=$saltus:$work/linked
  prefixes=$run_with
  build modern_user "$work/linked" -DAMENT_CMAKE_SYMLINK_INSTALL=ON
  run_programs "$work"/linked/lib/modern_user/by_*
}
run_case symlink_install "AMENT_CMAKE_SYMLINK_INSTALL links files of the source, copies the rest, and works for users"

symlink_options() {
  prefixes=$saltus
  project links <<'END'
file(WRITE "${CMAKE_BINARY_DIR}/generated.txt" "generated")
install(FILES one.txt "${CMAKE_BINARY_DIR}/generated.txt" DESTINATION share/a)
install(FILES one.txt DESTINATION share/b RENAME new_name.txt COMPONENT part)
install(FILES no_such_file.txt one.txt DESTINATION share/c OPTIONAL)
install(PROGRAMS one.txt DESTINATION lib/links)
install(DIRECTORY tree DESTINATION share/d)
install(DIRECTORY tree/ DESTINATION share/e FILES_MATCHING PATTERN "*.hpp" PATTERN "*.txt" PATTERN "skip" EXCLUDE)
install(DIRECTORY tree/ DESTINATION share/f PATTERN "*.hpp" EXCLUDE REGEX "/sk.p/" EXCLUDE)
install(DIRECTORY tree/ DESTINATION share/g FILES_MATCHING REGEX "\\.(hpp|h)$")
install(DIRECTORY . DESTINATION share/h FILES_MATCHING PATTERN "one.*")
install(FILES one.txt DESTINATION share/i PERMISSIONS OWNER_READ)
install(CODE "set(list \"a;b\")\nlist(LENGTH list length)
if(NOT length EQUAL 2 OR \"[x\" STREQUAL \"[y\")\n  message(FATAL_ERROR \"\${list}\")\nendif()")
install(CODE "file(WRITE \"\${CMAKE_INSTALL_PREFIX}/code.txt\" \"c\")" COMPONENT part)
install(SCRIPT script.cmake)
ament_package()
END
  folder=$work/src/links
  mkdir -p "$folder/tree/deep" "$folder/tree/skip"
  for file in one.txt tree/a.hpp tree/b.txt tree/deep/c.hpp tree/deep/d.cpp tree/skip/e.hpp tree/skip/f.txt \
    tree/.hidden; do
    echo "$file" > "$folder/$file"
  done
  echo 'file(WRITE "${CMAKE_INSTALL_PREFIX}/script.txt" "s")' > "$folder/script.cmake"
  install_project links
  copied=$work/install/copied
  mv "$work/install/links" "$copied"
  install_project links -DAMENT_CMAKE_SYMLINK_INSTALL=ON
  linked=$work/install/links
  (cd "$copied" && find . ! -type d | sort) > "$work/copied_files"
  (cd "$linked" && find . ! -type d | sort) > "$work/linked_files"
  diff "$work/copied_files" "$work/linked_files"
  for file in share/a/one.txt share/b/new_name.txt share/c/one.txt share/d/tree/deep/d.cpp share/e/deep/c.hpp \
    share/f/b.txt share/g/skip/e.hpp share/h/one.txt; do
    if [ ! -L "$linked/$file" ]; then fail "$file is no link"; fi
  done
  for file in share/a/generated.txt share/i/one.txt lib/links/one.txt share/links/package.xml; do
    if [ -L "$linked/$file" ]; then fail "$file is a link"; fi
  done
  if [ ! -x "$linked/lib/links/one.txt" ]; then fail "the program is not executable"; fi
  cmake --build "$work/build/links" --target install > "$work/output"
  contains "$work/output" "Up-to-date link: $linked/share/d/tree/a.hpp"
  DESTDIR=$work/destdir cmake --build "$work/build/links" --target install
  exist "$work/destdir$linked/share/a/one.txt"
  cmake --build "$work/build/links" --target install
  cmake --build "$work/build/links" --target uninstall
  equal "rest" "$linked/code.txt $linked/script.txt" "$(find "$linked" ! -type d | sort | tr '\n' ' ' | sed 's/ $//')"
}
run_case symlink_options "install() with links installs the same files as without, for all options; uninstall works"

uninstall() {
  prefixes=$saltus
  build shared_lib "$work/uninstalled"
  cmake --build "$work/build/$(echo "$work/uninstalled" | tr / _)/shared_lib" --target uninstall
  equal "rest" "" "$(find "$work/uninstalled" -mindepth 1)"
}
run_case uninstall "the target uninstall removes all that was installed"

vendor_packages() {
  prefixes=$saltus
  project vendors <<'END'
find_package(libyaml_vendor REQUIRED)
find_package(yaml REQUIRED)
find_package(sqlite3_vendor REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(backward_ros REQUIRED)
find_package(python_cmake_module REQUIRED)
find_package(PythonExtra)
find_package(eigen3_cmake_module REQUIRED)
find_package(Eigen3)
find_package(tinyxml2_vendor QUIET)
if(NOT tinyxml2_vendor_FOUND AND NOT tinyxml2_vendor_NOT_FOUND_MESSAGE MATCHES "install libtinyxml2-dev")
  message(FATAL_ERROR "${tinyxml2_vendor_NOT_FOUND_MESSAGE}")
endif()
add_executable(main main.cpp ${BACKWARD_ENABLE})
add_backward(main)
ament_target_dependencies(main yaml SQLite3 libyaml_vendor backward_ros)
target_link_libraries(main yaml SQLite::SQLite3 backward_ros::backward)
ament_export_dependencies(libyaml_vendor yaml)
install(TARGETS main DESTINATION lib/vendors)
ament_package()
END
  printf '#include <sqlite3.h>\n#include <yaml.h>\nint main() { return %s ? 0 : 1; }\n' \
    "yaml_get_version_string() && sqlite3_libversion()" \
    > "$work/src/vendors/main.cpp"
  install_project vendors
  run_programs "$work/install/vendors/lib/vendors/main"
  prefixes=$saltus:$work/install/vendors
  project uses_vendors <<'END'
find_package(vendors REQUIRED)
if(NOT TARGET yaml)
  message(FATAL_ERROR "the target yaml is missing")
endif()
END
  configure uses_vendors
}
run_case vendor_packages "vendor packages find the libraries of the system, also for users of a package"

# Each target of a vendor package can be linked. The library for joysticks is a stand-in: Debian's needs 200 MB.
vendor_targets() {
  mkdir -p "$work/sdl/include/SDL2" "$work/sdl/lib"
  printf 'extern "C" int SDL_Init(unsigned);\n' > "$work/sdl/include/SDL2/SDL.h"
  echo 'int SDL_Init(unsigned flags) { return (int)flags; }' | cc -shared -fPIC -x c - -o "$work/sdl/lib/libSDL2.so"
  prefixes=$saltus:$work/sdl
  project vendor_targets <<'END'
enable_language(C)
foreach(vendor IN ITEMS console_bridge_vendor liblz4_vendor orocos_kdl_vendor pybind11_vendor sdl2_vendor tinyxml2_vendor urdfdom_headers
    yaml_cpp_vendor zstd_vendor)
  find_package(${vendor} REQUIRED)
endforeach()
# What packages of these libraries call after their vendor package.
find_package(console_bridge REQUIRED)
find_package(LZ4 REQUIRED)
find_package(TinyXML2 REQUIRED)
find_package(pybind11 REQUIRED)
find_package(sdl2_custom REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(zstd REQUIRED)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE console_bridge::console_bridge LZ4::lz4 SDL2::SDL2 orocos-kdl pybind11::headers
  tinyxml2::tinyxml2 urdfdom_headers::urdfdom_headers yaml-cpp yaml-cpp::yaml-cpp zstd::zstd)
ament_export_dependencies(console_bridge_vendor liblz4_vendor orocos_kdl_vendor sdl2_vendor urdfdom_headers yaml_cpp_vendor zstd_vendor)
ament_package()
END
  cat > "$work/src/vendor_targets/main.cpp" <<'END'
#include <SDL.h>
#include <console_bridge/console.h>
#include <kdl/frames.hpp>
#include <lz4.h>
#include <tinyxml2.h>
#include <urdf_model/pose.h>
#include <yaml-cpp/yaml.h>
#include <zstd.h>

int main()
{
  tinyxml2::XMLDocument document;
  console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_NONE);
  bool works = document.Parse("<a/>") == tinyxml2::XML_SUCCESS && YAML::Load("{a: 7}")["a"].as<int>() == 7 && SDL_Init(0) == 0 &&
    LZ4_versionNumber() > 0 && ZSTD_versionNumber() > 0 && KDL::Vector(3, 4, 0).Norm() == 5 && urdf::Vector3(1, 2, 3).z == 3;
  return works ? 0 : 1;
}
END
  install_project vendor_targets
  run_programs "$work/build/vendor_targets/main"
  prefixes=$saltus:$work/sdl:$work/install/vendor_targets
  project uses_vendor_targets <<'END'
find_package(vendor_targets REQUIRED)
foreach(target IN ITEMS console_bridge::console_bridge LZ4::lz4 SDL2::SDL2 orocos-kdl urdfdom_headers::urdfdom_headers yaml-cpp zstd::zstd)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "the target ${target} is missing")
  endif()
endforeach()
END
  configure uses_vendor_targets
}
run_case vendor_targets "the targets of all vendor packages can be linked"

eigen() {
  mkdir -p "$work/eigen/include/eigen3/Eigen/src/Core/util"
  echo "#pragma once" > "$work/eigen/include/eigen3/Eigen/Core"
  printf '#define EIGEN_WORLD_VERSION 3\n#define EIGEN_MAJOR_VERSION 4\n#define EIGEN_MINOR_VERSION 0\n' \
    > "$work/eigen/include/eigen3/Eigen/src/Core/util/Macros.h"
  prefixes=$saltus:$work/eigen
  project eigen <<'END'
find_package(eigen3_cmake_module REQUIRED)
find_package(Eigen3 3.3 REQUIRED)
add_library(part STATIC part.cpp)
ament_target_dependencies(part Eigen3)
add_library(part_2 STATIC part.cpp)
target_link_libraries(part_2 Eigen3::Eigen)
ament_export_dependencies(eigen3_cmake_module Eigen3)
ament_package()
if(NOT Eigen3_VERSION STREQUAL "3.4.0" OR NOT EIGEN3_INCLUDE_DIR MATCHES "/include/eigen3$")
  message(FATAL_ERROR "${Eigen3_VERSION} ${EIGEN3_INCLUDE_DIR}")
endif()
END
  echo '#include <Eigen/Core>' > "$work/src/eigen/part.cpp"
  install_project eigen
  prefixes=$prefixes:$work/install/eigen
  project uses_eigen <<'END'
find_package(eigen REQUIRED)
if(NOT eigen_INCLUDE_DIRS MATCHES "/include/eigen3$")
  message(FATAL_ERROR "${eigen_INCLUDE_DIRS}")
endif()
END
  configure uses_eigen
}
run_case eigen "eigen3_cmake_module: find_package(Eigen3) without Eigen3Config.cmake"

ament_vendor_command() {
  prefixes=$saltus
  mkdir -p "$work/src/vendored"
  printf 'cmake_minimum_required(VERSION 3.16)\nproject(vendored NONE)\ninstall(FILES hello.txt DESTINATION share)\n' \
    > "$work/src/vendored/CMakeLists.txt"
  echo hello > "$work/src/vendored/hello.txt"
  project vendoring << END
find_package(ament_cmake_vendor_package REQUIRED)
ament_vendor(nothing SATISFIED TRUE VCS_URL http://example.com/x.git VCS_VERSION 1)
ament_vendor(vendored SATISFIED FALSE VCS_TYPE path VCS_URL "$work/src/vendored" GLOBAL_HOOK)
ament_package()
END
  install_project vendoring
  exist "$work/install/vendoring/opt/vendoring/share/hello.txt"
  contains "$work/install/vendoring/share/vendoring/environment/vendor_package.dsv" \
    "prepend-non-duplicate-if-exists;PATH;opt/vendoring/bin"
}
run_case ament_vendor_command "ament_vendor(): SATISFIED does nothing; a project in a folder is built and installed"

two_packages_in_one_build() {
  prefixes=$saltus
  project package_one "<depend>d1</depend>" <<'END'
ament_index_register_resource(kind_one)
ament_export_definitions(ONE)
ament_package()
END
  project package_two "<depend>d2</depend>" <<'END'
ament_export_definitions(TWO)
ament_package()
END
  mkdir -p "$work/src/both"
  cat > "$work/src/both/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.16)
project(both CXX)
add_subdirectory("$work/src/package_one" one)
add_subdirectory("$work/src/package_two" two)
END
  install_project both
  share=$work/install/both/share
  equal one "d1" "$(cat "$share/ament_index/resource_index/package_run_dependencies/package_one")"
  equal two "d2" "$(cat "$share/ament_index/resource_index/package_run_dependencies/package_two")"
  contains "$share/package_one/cmake/ament_cmake_export_definitions-extras.cmake" "[==[ONE]==]"
  contains "$share/package_two/cmake/ament_cmake_export_definitions-extras.cmake" "[==[TWO]==]"
}
run_case two_packages_in_one_build "two packages in one build folder do not mix their exports"

old_minimum_version() {
  prefixes=$saltus
  project old_minimum <<'END'
find_package(ament_cmake_auto REQUIRED)
find_package(ament_lint_auto REQUIRED)
ament_auto_find_build_dependencies()
ament_lint_auto_find_test_dependencies()
ament_auto_package()
END
  sed -i 's/VERSION 3.16/VERSION 2.8.12/' "$work/src/old_minimum/CMakeLists.txt"
  # CMake 4 accepts the line only with this variable.
  configure old_minimum -Wno-deprecated -DCMAKE_POLICY_VERSION_MINIMUM=3.5
  if grep -q "Policy CMP" "$work/output"; then fail "a policy is not set"; fi
}
run_case old_minimum_version "a package with cmake_minimum_required(VERSION 2.8.12)"

auto_options() {
  prefixes=$saltus
  project auto_options "<test_depend>ament_cmake_gmock</test_depend>" <<'END'
find_package(ament_cmake_auto REQUIRED)
ament_auto_find_build_dependencies()
ament_auto_find_test_dependencies()
if(NOT auto_options_FOUND_TEST_DEPENDS STREQUAL "ament_cmake_gmock")
  message(FATAL_ERROR "auto_options_FOUND_TEST_DEPENDS is '${auto_options_FOUND_TEST_DEPENDS}'")
endif()
ament_auto_add_library(first STATIC "${CMAKE_CURRENT_SOURCE_DIR}/lib/first.cpp")
ament_auto_add_library(plugin MODULE lib/first.cpp)
ament_auto_add_executable(main main.cpp)
ament_auto_add_executable(alone alone.cpp NO_TARGET_LINK_LIBRARIES)
if(NOT auto_options_LIBRARIES STREQUAL "first;plugin" OR NOT auto_options_EXECUTABLES STREQUAL "main;alone")
  message(FATAL_ERROR "${auto_options_LIBRARIES} ${auto_options_EXECUTABLES}")
endif()
add_subdirectory(sub)
add_executable(by_hand alone.cpp)
list(APPEND ${PROJECT_NAME}_EXECUTABLES by_hand)
ament_auto_add_gmock(test_first test.cpp)
ament_auto_package(USE_SCOPED_HEADER_INSTALL_DIR INSTALL_TO_SHARE)
END
  folder=$work/src/auto_options
  mkdir -p "$folder/lib" "$folder/include" "$folder/sub"
  echo 'int first();' > "$folder/include/first.hpp"
  printf '#include <first.hpp>\nint first() { return 0; }\n' > "$folder/lib/first.cpp"
  printf '#include <first.hpp>\nint main() { return first(); }\n' > "$folder/main.cpp"
  echo 'int main() { return 0; }' > "$folder/alone.cpp"
  printf '#include <first.hpp>\n#include <gmock/gmock.h>\nTEST(A, b) { EXPECT_THAT(first(), testing::Eq(0)); }\n' \
    > "$folder/test.cpp"
  echo 'ament_auto_add_library(in_sub SHARED ../lib/first.cpp)' > "$folder/sub/CMakeLists.txt"
  install_project auto_options
  (cd "$work/build/auto_options" && ctest --output-on-failure)
  prefix=$work/install/auto_options
  exist "$prefix/lib/libfirst.a" "$prefix/lib/libplugin.so" "$prefix/lib/libin_sub.so" \
    "$prefix/include/auto_options/first.hpp" "$prefix/lib/auto_options/alone" "$prefix/lib/auto_options/by_hand"
  run_programs "$prefix/lib/auto_options/main" "$prefix/lib/auto_options/alone"
  prefixes=$saltus:$prefix
  project uses_auto_options <<'END'
find_package(auto_options REQUIRED)
add_executable(main main.cpp)
ament_target_dependencies(main auto_options)
END
  printf '#include <first.hpp>\nint main() { return first(); }\n' > "$work/src/uses_auto_options/main.cpp"
  configure uses_auto_options
  cmake --build "$work/build/uses_auto_options"
}
run_case auto_options "ament_cmake_auto: STATIC and MODULE libraries, subdirectories, gmock, scoped headers"
