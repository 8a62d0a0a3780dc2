#!/bin/sh
# Builds the packages in this folder with an installed prefix, as a user does, and runs them.
# Usage: run.sh PREFIX SALTUS COLCON; SALTUS is the program saltus, COLCON the program colcon. Two processes share the packages, because most of it is one
# compiler after the other. PART is the number of one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1
saltus=$2
colcon=$3
if [ -z "${PART-}" ]; then exec "$here/../both_parts.sh" "$here/run.sh" "$@"; fi
work=$(mktemp -d "${TMPDIR:-/tmp}/saltus-packages.XXXXXX")
SALTUS_SHM_DIR=$(mktemp -d /dev/shm/saltus-packages.XXXXXX)
export SALTUS_SHM_DIR
# An environment with another ROS must not change the results.
unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_CURRENT_PREFIX LD_LIBRARY_PATH PYTHONPATH ROS_DOMAIN_ID || true
# A python3 that is a script, such as that of pyenv, is slow, and each configuration starts it nine times.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
export PATH
talker=
finish() {
  test -z "$talker" || kill "$talker" 2>/dev/null || true
  rm -rf "$work" "$SALTUS_SHM_DIR"
}
trap finish EXIT
trap 'exit 1' INT TERM

# The first word is one that tests/stage.sh searches for.
fail() {
  echo "FAILED  $1" >&2
  exit 1
}

. "$prefix/setup.sh"
if [ "$PART" -eq 1 ]; then
  # Each within parentheses, because it changes the environment.
  (. "$here/install.sh") || exit 1
  (. "$here/templates.sh") || exit 1
  (. "$here/workspace.sh") || exit 1
  exit 0
fi

# Compilers and versions of C++ that packages use. names.sh has another one.
for variant in g++:17 g++:20 clang++:17; do
  compiler=${variant%:*}
  standard=${variant#*:}
  build=$work/$compiler-$standard
  cmake -S "$here/talk" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_STANDARD="$standard" \
    -DCMAKE_INSTALL_PREFIX="$build/install" >/dev/null
  cmake --build "$build" --parallel 2 >/dev/null
  cmake --install "$build" >/dev/null
  echo "talk: built with $compiler, C++$standard"
done

programs=$work/g++-17/install/lib/talk
"$programs/talker" --ros-args -p text:=hi -r chatter:=/remapped &
talker=$!
heard=$(timeout 20 "$programs/listener" --ros-args -r chatter:=/remapped)
test "$(echo "$heard" | wc -l)" -eq 3 || fail "expected three texts, found: $heard"
echo "$heard" | grep -q '^hi [0-9]*$' || fail "expected 'hi' and a number, found: $heard"
echo "listener: heard three texts of the talker"
timeout 20 "$saltus" topic echo --once /remapped | grep -q '^data: hi ' || fail "saltus topic echo shows nothing"
"$saltus" param set /talker text bye >/dev/null
timeout 20 "$saltus" topic echo --once /remapped | grep -q '^data: bye ' || fail "the parameter has not changed"
echo "saltus: sees the topic, and sets the parameter"
kill -INT "$talker"
wait "$talker" || fail "the talker has ended with an error after SIGINT"
talker=
echo "talker: ended by SIGINT"

entries=$work/g++-17/install/share/ament_index/resource_index/rclcpp_components/talk
expected='talk::Counter;lib/libcomponents.so
talk::Other;lib/libcomponents.so'
test "$(cat "$entries")" = "$expected" || fail "expected the entries '$expected', found: $(cat "$entries")"
"$programs/counter" --ros-args -r __node:=renamed &
talker=$!
timeout 20 "$saltus" topic echo --once /count | grep -q '^data: [0-9]' || fail "the component publishes nothing"
"$saltus" node list | grep -q '^/renamed$' || fail "the component has not taken its name from the command line"
kill -INT "$talker"
wait "$talker" || fail "the component has ended with an error after SIGINT"
talker=
echo "counter: a component in a program of its own"

# Within parentheses, because it changes the environment.
(. "$here/components.sh") || exit 1

# A package of interfaces, and a package that uses it, each in a prefix of its own.
build() {
  cmake -S "$work/$1" -B "$work/build/$1" -DCMAKE_INSTALL_PREFIX="$work/install/$1" -Wno-deprecated >/dev/null
  cmake --build "$work/build/$1" --target install --parallel 2 >/dev/null
  CMAKE_PREFIX_PATH=$work/install/$1:$CMAKE_PREFIX_PATH
  . "$work/install/$1/share/$1/local_setup.sh"
}
cp -r "$here/rover_msgs" "$here/rover_station" "$work"
build rover_msgs
build rover_station
echo "rover_msgs, rover_station: built"
shown=$("$work/install/rover_msgs/lib/rover_msgs/show")
test "$shown" = '{side: 1, speed: 0.00000, label: "wheel", faults: []}' || fail "the defaults are: $shown"
"$work/install/rover_msgs/lib/rover_msgs/unusual" || fail "unusual.c: line $? is wrong"
for program in by_variable by_name by_part; do
  "$work/install/rover_station/lib/rover_station/$program" || fail "$program has failed"
done
"$saltus" interface show rover_msgs/msg/Rover | grep -q '^string mode "idle"$' || fail "saltus does not show the message"
"$work/install/rover_msgs/lib/rover_msgs/rover" &
talker=$!
heard=$(timeout 20 "$work/install/rover_station/lib/rover_station/watch")
test "$(echo "$heard" | grep -c ' idle 2 12.5$')" -eq 3 || fail "expected three states of the rover, found: $heard"
timeout 20 "$saltus" service call /set_mode rover_msgs/srv/SetMode '{mode: drive}' | grep -q "previous='idle'" ||
  fail "the service has not answered"
timeout 20 "$saltus" topic echo --once /state | grep -q '^mode: drive$' || fail "saltus topic echo shows no state"
kill -INT "$talker"
wait "$talker" || fail "the rover has ended with an error after SIGINT"
talker=
echo "rover: its own messages and service, between two packages and with saltus"

# An error in a definition fails the build, with the file and the line.
sed -i 's/^float64 speed/float65 speed/' "$work/rover_msgs/msg/Wheel.msg"
if cmake --build "$work/build/rover_msgs" >"$work/output" 2>&1; then fail "a wrong definition was accepted"; fi
grep -q "^ *$work/rover_msgs/msg/Wheel.msg:8:1: .*float65" "$work/output" || fail "$(cat "$work/output")"
echo "rover_msgs: an error in a definition has the file and the line"

. "$here/plugins.sh"

(. "$here/c_example.sh") || exit 1
(. "$here/native.sh") || exit 1
(. "$here/refused.sh") || exit 1
(. "$here/targets.sh") || exit 1
(. "$here/names.sh") || exit 1
