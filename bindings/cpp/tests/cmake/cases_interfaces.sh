# rosidl_generate_interfaces() and the commands beside it. generator.sh stands in for the program saltus.

prefixes=$saltus
group="<member_of_group>rosidl_interface_packages</member_of_group>"

# Makes the project <name> of interfaces with files from lines "path:text". The rest of its CMakeLists.txt is standard input.
# Arguments: name, lines...
interfaces() {
  package=$1
  shift
  {
    printf 'find_package(rosidl_default_generators REQUIRED)\n'
    cat
  } | project "$package" "$group"
  for line in "$@"; do
    mkdir -p "$work/src/$package/$(dirname "${line%%:*}")"
    echo "${line#*:}" > "$work/src/$package/${line%%:*}"
  done
}

# Installs stand-ins of the libraries and of the program into the prefix of the CMake packages.
make_runtime() {
  mkdir -p "$saltus/bin"
  cp "$here/generator.sh" "$saltus/bin/saltus"
  for package in rosidl_runtime_cpp rosidl_typesupport_cpp saltus_cpp; do
    mkdir -p "$saltus/share/$package/cmake" "$saltus/include/$package"
    sed "s/@package@/$package/g" > "$saltus/share/$package/cmake/${package}Config.cmake" <<'END'
if(NOT TARGET @package@::@package@)
  add_library(@package@::@package@ INTERFACE IMPORTED)
  target_include_directories(@package@::@package@ INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../../../include/@package@")
endif()
END
  done
  echo "#pragma once" > "$saltus/include/rosidl_runtime_cpp/runtime.hpp"
  echo "#pragma once" > "$saltus/include/saltus_cpp/support.hpp"
}

need_base_msgs() {
  make_runtime
  interfaces service_msgs msg/ServiceEventInfo.msg:1 <<'END'
rosidl_generate_interfaces(${PROJECT_NAME} msg/ServiceEventInfo.msg)
ament_package()
END
  interfaces action_msgs msg/GoalInfo.msg:2 srv/CancelGoal.srv:3 <<'END'
rosidl_generate_interfaces(${PROJECT_NAME} msg/GoalInfo.msg srv/CancelGoal.srv)
ament_package()
END
  interfaces base_msgs msg/Base.msg:40 <<'END'
rosidl_generate_interfaces(${PROJECT_NAME} msg/Base.msg)
ament_export_dependencies(rosidl_default_runtime)
ament_package()
END
  for package in service_msgs action_msgs base_msgs; do
    install_project $package
    prefixes=$work/install/$package:$prefixes
  done
}
run_case need_base_msgs "packages of interfaces: one without dependencies, one with a service"
prefixes=$work/install/base_msgs:$work/install/action_msgs:$work/install/service_msgs:$saltus

need_other_msgs() {
  interfaces other_msgs msg/First.msg:"base_msgs/Base 41" srv/Second.srv:42 action/Third.action:43 more/msg/Fourth.msg:44 \
    msg/sub/Fifth.msg:45 msg/Sixth.idl:46 <<'END'
find_package(base_msgs REQUIRED)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/made/msg/Seventh.msg" "47\n")
rosidl_generate_interfaces(${PROJECT_NAME}_interfaces "msg/First.msg" ./srv/Second.srv "action/Third.action" "more:msg/Fourth.msg"
  msg/sub/Fifth.msg "${CMAKE_CURRENT_SOURCE_DIR}/msg/Sixth.idl" "${CMAKE_CURRENT_BINARY_DIR}/made:msg/Seventh.msg"
  DEPENDENCIES base_msgs LIBRARY_NAME ${PROJECT_NAME}_lib ADD_LINTER_TESTS)
add_executable(user user.cpp)
rosidl_get_typesupport_target(part ${PROJECT_NAME}_interfaces "rosidl_typesupport_cpp")
target_link_libraries(user PRIVATE ${part})
add_dependencies(user ${PROJECT_NAME}_interfaces ${PROJECT_NAME}_interfaces__cpp)
# Neither form of target_link_libraries() is wrong after the command.
foreach(keyword IN ITEMS "" PRIVATE)
  add_executable(old${keyword} user.cpp)
  rosidl_target_interfaces(old${keyword} ${PROJECT_NAME}_interfaces "rosidl_typesupport_cpp")
  target_link_libraries(old${keyword} ${keyword} m)
endforeach()
install(TARGETS user old EXPORT ${PROJECT_NAME} DESTINATION bin)
ament_export_targets(${PROJECT_NAME})
ament_package()
END
  cat > "$work/src/other_msgs/user.cpp" <<'END'
#include <other_msgs/action/third.hpp>
#include <other_msgs/msg/fifth.hpp>
#include <other_msgs/msg/first.hpp>
#include <other_msgs/msg/fourth.h>
#include <other_msgs/msg/seventh.hpp>
#include <other_msgs/msg/sixth.hpp>
#include <other_msgs/srv/second.hpp>

int main()
{
  int sum = base_msgs_msg_base() + other_msgs_msg_first() + other_msgs_srv_second() + other_msgs_action_third() +
    other_msgs_msg_fourth() + other_msgs_msg_fifth() + other_msgs_msg_sixth() + other_msgs_msg_seventh();
  return sum == 40 + 41 + 42 + 43 + 44 + 45 + 46 + 47 ? 0 : 1;
}
END
  install_project other_msgs -DCMAKE_CXX_VISIBILITY_PRESET=hidden "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"
  run_programs "$work/build/other_msgs/user" "$work/build/other_msgs/old" "$work/build/other_msgs/oldPRIVATE"
  prefix=$work/install/other_msgs
  exist "$prefix/lib/libother_msgs_lib__rosidl_typesupport_cpp.so" "$prefix/include/other_msgs/other_msgs/msg/fifth.hpp" \
    "$prefix/share/other_msgs/msg/First.msg" "$prefix/share/other_msgs/srv/Second.srv" \
    "$prefix/share/other_msgs/action/Third.action" "$prefix/share/other_msgs/msg/sub/Fifth.msg" \
    "$prefix/share/ament_index/resource_index/packages/other_msgs"
  expected="action/Third.action msg/First.msg msg/Fourth.msg msg/Seventh.msg msg/Sixth.idl msg/sub/Fifth.msg srv/Second.srv"
  equal "index" "$expected" "$(index_of other_msgs)"
  if grep -rF "$work" "$prefix/share/other_msgs/cmake"; then fail "the package has absolute paths"; fi
}

# Prints the definitions that the index has for a package that was installed, in one line.
index_of() {
  tr '\n' ' ' < "$work/install/$1/share/ament_index/resource_index/rosidl_interfaces/$1" | sed 's/ $//'
}
run_case need_other_msgs "files in all forms, LIBRARY_NAME, a target of another name; programs of the same package"

uses_interfaces() {
  prefixes=$work/install/other_msgs:$prefixes
  project uses_interfaces <<'END'
find_package(other_msgs REQUIRED)
add_executable(by_command main.cpp)
ament_target_dependencies(by_command other_msgs)
add_executable(by_variable main.cpp)
target_link_libraries(by_variable ${other_msgs_TARGETS})
add_executable(by_name main.cpp)
target_link_libraries(by_name PRIVATE other_msgs::other_msgs_interfaces)
add_executable(by_part main.cpp)
target_link_libraries(by_part PRIVATE ${other_msgs_TARGETS__rosidl_typesupport_introspection_cpp})
add_executable(by_old_variables main.cpp)
target_include_directories(by_old_variables PRIVATE ${other_msgs_INCLUDE_DIRS})
target_link_libraries(by_old_variables PRIVATE ${other_msgs_LIBRARIES} rosidl_runtime_cpp::rosidl_runtime_cpp)
foreach(part IN ITEMS generator_c generator_cpp generator_py typesupport_c typesupport_cpp typesupport_introspection_c
    typesupport_introspection_cpp typesupport_fastrtps_c typesupport_fastrtps_cpp)
  if(NOT TARGET base_msgs::base_msgs__rosidl_${part}
      OR NOT other_msgs_TARGETS__rosidl_${part} STREQUAL "other_msgs::other_msgs_interfaces__rosidl_${part}")
    message(FATAL_ERROR "${part}: ${other_msgs_TARGETS__rosidl_${part}}")
  endif()
endforeach()
if(NOT TARGET base_msgs::base_msgs OR NOT "msg/First.msg" IN_LIST other_msgs_INTERFACE_FILES
    OR NOT other_msgs_IDL_FILES STREQUAL "msg/Sixth.idl")
  message(FATAL_ERROR "${other_msgs_INTERFACE_FILES} ${other_msgs_IDL_FILES}")
endif()
ament_package()
END
  printf '#include <other_msgs/msg/first.hpp>\n#include <base_msgs/msg/base.hpp>\n%s\n' \
    'int main() { return base_msgs_msg_base() + other_msgs_msg_first() - 81; }' > "$work/src/uses_interfaces/main.cpp"
  configure uses_interfaces
  cmake --build "$work/build/uses_interfaces"
  run_programs "$work"/build/uses_interfaces/by_*
}
run_case uses_interfaces "another package uses interfaces by each of their names"

interfaces_rebuild() {
  interfaces changing msg/One.msg:1 msg/Two.msg:2 <<'END'
rosidl_generate_interfaces(${PROJECT_NAME} msg/One.msg msg/Two.msg)
add_executable(one one.cpp)
rosidl_get_typesupport_target(part ${PROJECT_NAME} "rosidl_typesupport_cpp")
target_link_libraries(one ${part})
ament_package()
END
  source=$work/src/changing
  printf '#include <changing/msg/one.hpp>\n#include <iostream>\nint main() { std::cout << changing_msg_one(); }\n' \
    > "$source/one.cpp"
  tree=$work/build/changing
  configure changing
  cmake --build "$tree"
  equal "first build" 1 "$("$tree/one")"
  cmake --build "$tree" > "$work/output"
  if grep 'Building\|Configuring' "$work/output"; then fail "a second build does something"; fi
  echo 5 > "$source/msg/One.msg"
  cmake --build "$tree"
  equal "after an edit" 5 "$("$tree/one")"
  printf '7\nwrong type\n' > "$source/msg/One.msg"
  if cmake --build "$tree" > "$work/output" 2>&1; then fail "an error in a definition does not fail the build"; fi
  contains "$work/output" "  $source/msg/One.msg:2:1: expected a type"
  echo 7 > "$source/msg/One.msg"
  mv "$source/msg/Two.msg" "$source/msg/Three.msg"
  sed -i 's,msg/Two.msg,msg/Three.msg,' "$source/CMakeLists.txt"
  cmake --build "$tree"
  equal "after an error" 7 "$("$tree/one")"
  headers=$tree/rosidl_generator_cpp/changing/msg
  exist "$headers/three.hpp"
  if ls "$headers"/two* "$headers"/detail/two* 2> /dev/null; then fail "files of a removed definition are left"; fi
}
run_case interfaces_rebuild "definitions that are edited, wrong, new and removed are seen by the next build"

interfaces_only_here() {
  interfaces skip msg/One.msg:1 <<'END'
rosidl_generate_interfaces(hidden msg/One.msg SKIP_INSTALL)
ament_package()
END
  sed -i '/member_of_group/d' "$work/src/skip/package.xml"
  install_project skip
  if ls -d "$work/install/skip/lib" "$work/install/skip/share/ament_index/resource_index/rosidl_interfaces" 2> /dev/null; then
    fail "SKIP_INSTALL installs"
  fi
  interfaces no_group msg/One.msg:1 <<'END'
rosidl_generate_interfaces(no_group msg/One.msg SKIP_GROUP_MEMBERSHIP_CHECK)
ament_package()
END
  sed -i '/member_of_group/d' "$work/src/no_group/package.xml"
  install_project no_group
  equal "index" "msg/One.msg" "$(index_of no_group)"
  interfaces twice msg/One.msg:1 srv/Two.srv:2 <<'END'
rosidl_generate_interfaces(first msg/One.msg)
rosidl_generate_interfaces(second srv/Two.srv)
ament_package()
END
  install_project twice -DAMENT_CMAKE_SYMLINK_INSTALL=ON
  prefix=$work/install/twice
  exist "$prefix/lib/libfirst__rosidl_typesupport_cpp.so" "$prefix/include/twice/twice/srv/two.hpp"
  equal "link" "$work/src/twice/msg/One.msg" "$(readlink "$prefix/share/twice/msg/One.msg")"
  equal "index" "msg/One.msg srv/Two.srv" "$(index_of twice)"
  contains "$prefix/share/twice/cmake/rosidl_cmake-extras.cmake" \
    '(twice_TARGETS__rosidl_generator_cpp "twice::first__rosidl_generator_cpp;twice::second__rosidl_generator_cpp")'
}
run_case interfaces_only_here "SKIP_INSTALL, SKIP_GROUP_MEMBERSHIP_CHECK; two calls in a package; links instead of copies"

# Checks that a package with the lines of standard input fails with the text. Arguments: text, options of cmake...
interfaces_error() {
  text=$1
  shift
  rm -rf "$work/src/wrong"
  interfaces wrong msg/One.msg:1 msg/Uses.msg:"base_msgs/Base 1" msg/Unknown.msg:"no_msgs/No 1" msg/Own.msg:"wrong/Missing 1" \
    msg/bad_name.msg:1 msg/Text.txt:1 srv/Ask.srv:1
  fails_with "$text" wrong "$@"
}

interfaces_errors() {
  call='rosidl_generate_interfaces(wrong msg/One.msg)\n'
  echo 'rosidl_generate_interfaces(wrong msg/None.msg)' | interfaces_error "the file 'msg/None.msg' does not exist in"
  echo 'rosidl_generate_interfaces(wrong msg/Text.txt)' | interfaces_error "'msg/Text.txt' is no definition"
  echo 'rosidl_generate_interfaces(wrong msg/bad_name.msg)' | interfaces_error "the name of the type is 'bad_name'"
  echo 'rosidl_generate_interfaces(wrong)' | interfaces_error "no files are given"
  sed -i '/member_of_group/d' "$work/src/wrong/package.xml"
  fails_with "does not have the line <member_of_group>rosidl_interface_packages</member_of_group>" wrong
  echo 'rosidl_generate_interfaces(wrong msg/One.msg DEPENDENCIES no_msgs)' |
    interfaces_error "DEPENDENCIES names 'no_msgs', which was not found before. Call find_package(no_msgs REQUIRED) first"
  echo 'rosidl_generate_interfaces(wrong msg/Unknown.msg)' |
    interfaces_error "Call find_package(no_msgs REQUIRED) and add it to DEPENDENCIES."
  echo 'rosidl_generate_interfaces(wrong msg/Own.msg)' |
    interfaces_error "Is 'msg/Missing.msg' missing in rosidl_generate_interfaces()?"
  printf 'find_package(base_msgs REQUIRED)\nrosidl_generate_interfaces(wrong msg/Uses.msg)\n' |
    interfaces_error "Call find_package(base_msgs REQUIRED) and add it to DEPENDENCIES."
  printf "ament_package()\n$call" | interfaces_error "must be called before ament_package()"
  echo 'rosidl_get_typesupport_target(t wrong "rosidl_typesupport_cpp")' |
    interfaces_error "call rosidl_generate_interfaces(wrong ...) before"
  printf "${call}rosidl_get_typesupport_target(t wrong none)\n" | interfaces_error "'none' is no part of the code"
  printf "${call}rosidl_get_typesupport_target(t other rosidl_typesupport_cpp)\n" |
    interfaces_error "this project has rosidl_generate_interfaces() for: wrong"
  printf "${call}rosidl_target_interfaces(no wrong rosidl_typesupport_cpp)\n" | interfaces_error "there is no target 'no'"
  printf "$call" | interfaces_error "SALTUS_PROGRAM is '/no/saltus', which does not exist" -DSALTUS_PROGRAM=/no/saltus
  # A saltus in PATH would be found.
  if ! command -v saltus > /dev/null; then
    mv "$saltus/bin/saltus" "$work/saltus.moved"
    printf "$call" | interfaces_error "It is not in '$saltus/bin' and not in PATH"
    mv "$work/saltus.moved" "$saltus/bin/saltus"
  fi
  prefixes=$saltus
  echo 'rosidl_generate_interfaces(wrong srv/Ask.srv)' |
    interfaces_error "the package 'service_msgs' was not found. It is one of the C++ packages of Saltus"
}
run_case interfaces_errors "errors in the arguments, in definitions, and of what is not installed"
