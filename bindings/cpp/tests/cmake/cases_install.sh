# Installation of the CMake packages themselves.

need_saltus() {
  cmake "-DPREFIX=$saltus" -P "$files/install.cmake"
}
run_case need_saltus "install.cmake installs the packages"

every_package_is_found() {
  mkdir -p "$work/src/all"
  {
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(all C CXX)\n'
    grep -v '^#' "$files/versions.txt" | while read -r package version hooks; do
      printf 'find_package(%s %s QUIET)\n' "$package" "$version"
      printf 'if(NOT %s_FOUND AND NOT %s_NOT_FOUND_MESSAGE MATCHES "^The library is not installed")\n' \
        "$package" "$package"
      printf '  message(FATAL_ERROR "%s: ${%s_NOT_FOUND_MESSAGE}")\nendif()\n' "$package" "$package"
    done
  } > "$work/src/all/CMakeLists.txt"
  configure all
  while read -r package version hooks; do
    case "$package" in "#"*) continue ;; esac
    share=$saltus/share/$package
    exist "$share/package.xml" "$share/local_setup.sh" "$share/local_setup.bash" "$share/local_setup.zsh" \
      "$share/local_setup.dsv" "$share/package.dsv" "$share/environment/ament_prefix_path.dsv" \
      "$saltus/share/ament_index/resource_index/packages/$package"
    contains "$share/package.xml" "<version>$version</version>"
  done < "$files/versions.txt"
}
run_case every_package_is_found "find_package() finds each package in its version"

versions_are_checked() {
  project versions <<'END'
find_package(ament_cmake_gtest 1.0 REQUIRED)
if(NOT ament_cmake_gtest_VERSION STREQUAL "2.5.4")
  message(FATAL_ERROR "${ament_cmake_gtest_VERSION}")
endif()
find_package(ament_cmake_gtest 99.0)
if(ament_cmake_gtest_FOUND)
  message(FATAL_ERROR "version 99 was found")
endif()
ament_package()
END
  configure versions
}
run_case versions_are_checked "a lower version is accepted and a higher one refused"

setup_files_work() {
  for shell in sh bash zsh; do
    if ! command -v $shell > /dev/null; then continue; fi
    for file in setup local_setup; do
      found=$($shell -c "set -u; . '$saltus/$file.$shell'
        echo \"\$AMENT_PREFIX_PATH|\$CMAKE_PREFIX_PATH|\$LD_LIBRARY_PATH\"
        set | grep '^_*[Aa][Mm][Ee][Nn][Tt]_.*=' | grep -v '^AMENT_PREFIX_PATH=' || true" 2>&1)
      equal "$file.$shell" "$saltus|$saltus|$saltus/lib" "$found"
    done
    found=$($shell -c ". '$saltus/setup.$shell'; . '$saltus/setup.$shell'; echo \"\$AMENT_PREFIX_PATH\"")
    equal "setup.$shell, twice" "$saltus" "$found"
    found=$($shell -c ". '$saltus/share/ament_cmake/local_setup.$shell'; echo \"\$AMENT_PREFIX_PATH\"")
    equal "local_setup.$shell of ament_cmake" "$saltus" "$found"
  done
  mkdir -p "$saltus/bin"
  found=$(sh -c ". '$saltus/setup.sh'; echo \"\$PATH\"")
  equal "PATH" "$saltus/bin:$PATH" "$found"
  rmdir "$saltus/bin"
}
run_case setup_files_work "the setup files of the prefix set the environment, once, and leave no variables"

setup_files_move() {
  cp -r "$saltus" "$work/moved"
  found=$(bash -c ". '$work/moved/setup.bash'; echo \"\$AMENT_PREFIX_PATH\"")
  equal "setup.bash" "$work/moved" "$found"
  found=$(sh -c "AMENT_CURRENT_PREFIX='$work/moved'; . '$work/moved/setup.sh'; echo \"\$AMENT_PREFIX_PATH\"")
  equal "setup.sh with AMENT_CURRENT_PREFIX" "$work/moved" "$found"
  found=$(sh -c "COLCON_CURRENT_PREFIX='$work/moved'; . '$work/moved/local_setup.sh'; echo \"\$AMENT_PREFIX_PATH\"")
  equal "local_setup.sh with COLCON_CURRENT_PREFIX" "$work/moved" "$found"
  rm -rf "$work/moved"
}
run_case setup_files_move "the setup files work in a prefix that was moved"

another_core_is_refused() {
  other=$work/other/share/ament_cmake_core/cmake
  mkdir -p "$other"
  printf 'macro(ament_register_extension)\nendmacro()\n' > "$other/ament_cmake_coreConfig.cmake"
  project other_first < /dev/null
  printf 'cmake_minimum_required(VERSION 3.16)\nproject(other_first NONE)\n%s\n%s\n' \
    "find_package(ament_cmake_core REQUIRED PATHS \"$work/other\" NO_DEFAULT_PATH)" \
    "include(\"$saltus/share/ament_cmake_core/cmake/ament_cmake_coreConfig.cmake\")" \
    > "$work/src/other_first/CMakeLists.txt"
  fails_with "Another ament_cmake_core was loaded before that of Saltus" other_first
  project core_in_cache < /dev/null
  fails_with "Another ament_cmake_core was loaded before that of Saltus: '$other'" core_in_cache \
    "-Dament_cmake_core_DIR=$other"
  cp -r "$saltus" "$work/second"
  project two_copies << END
include("$work/second/share/ament_cmake_core/cmake/ament_cmake_coreConfig.cmake")
END
  fails_with "Remove one of the two prefixes from CMAKE_PREFIX_PATH" two_copies
  rm -rf "$work/second"
}
run_case another_core_is_refused "commands of another ament_cmake_core, and a second copy, are refused"

another_package_is_refused() {
  mkdir -p "$work/other/share/ament_cmake_gtest/cmake" "$work/other/share/ament_cmake_test/cmake"
  echo "# Another." > "$work/other/share/ament_cmake_gtest/cmake/ament_cmake_gtestConfig.cmake"
  echo "# Another." > "$work/other/share/ament_cmake_test/cmake/ament_cmake_testConfig.cmake"
  project mixed << END
find_package(ament_cmake_gtest REQUIRED PATHS "$work/other" NO_DEFAULT_PATH)
ament_package()
END
  fails_with "commands of two implementations are mixed" mixed
  project cached << END
ament_package()
END
  fails_with "commands of two implementations are mixed" cached \
    "-Dament_cmake_test_DIR=$work/other/share/ament_cmake_test/cmake"
  # Behind Saltus, another implementation is never read.
  prefixes=$saltus:$work/other
  project behind << END
find_package(ament_cmake_gtest REQUIRED)
ament_package()
END
  configure behind
}
run_case another_package_is_refused "packages of another implementation are refused, and not read behind Saltus"

ros_variables() {
  project ros_variables <<'END'
if(NOT $ENV{ROS_DISTRO} STREQUAL "jazzy" OR NOT $ENV{ROS_VERSION} EQUAL 2 OR NOT $ENV{ROS_PYTHON_VERSION} EQUAL 3)
  message(FATAL_ERROR "$ENV{ROS_DISTRO}")
endif()
END
  configure ros_variables
  found=$(sh -c ". '$saltus/setup.sh'; echo \"\$ROS_DISTRO \$ROS_VERSION \$ROS_PYTHON_VERSION\"")
  equal "variables of setup.sh" "jazzy 2 3" "$found"
}
run_case ros_variables "ROS_DISTRO, ROS_VERSION and ROS_PYTHON_VERSION, in CMake and in the setup files"
