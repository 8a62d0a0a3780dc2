# A workspace of packages in C++ that `saltus install` builds. run.sh reads this.
trap 'test -z "$talker" || kill "$talker" 2>/dev/null' EXIT
talker=
source=$work/ws/src
robot=$work/robot
mkdir -p "$source/a" "$source/left_out"
cp -r "$here/rover_station" "$here/talk" "$source/a"
cp -r "$here/rover_msgs" "$source/z_msgs"
echo '<package><name>left_out</name></package>' >"$source/left_out/package.xml"
echo 'message(FATAL_ERROR "this package must not be built")' >"$source/left_out/CMakeLists.txt"
touch "$source/left_out/COLCON_IGNORE"

"$saltus" install "$source" --prefix "$robot" --debug >"$work/output" 2>&1 || fail "saltus install: $(cat "$work/output")"
# The packages come in the order in which they need each other.
order=$(sed -n 's/^Installed \([a-z_]* ([0-9]* components, [0-9]* programs)\) into .*/\1/p' "$work/output" | tr '\n' ';')
expected='rover_msgs (0 components, 3 programs);talk (2 components, 3 programs);rover_station (0 components, 4 programs);'
test "$order" = "$expected" || fail "expected $expected, found: $order in $(cat "$work/output")"
grep -q '^\[3/3\] rover_station$' "$work/output" || fail "no progress: $(cat "$work/output")"
grep -q "^To use it: export SALTUS_PREFIX_PATH=$robot" "$work/output" || fail "no hint: $(cat "$work/output")"
SALTUS_PREFIX_PATH=$robot
export SALTUS_PREFIX_PATH
"$saltus" run rover_msgs rover >"$work/output" 2>&1 &
talker=$!
heard=$(timeout 20 "$saltus" run rover_station watch) || fail "the rover says: $(cat "$work/output")"
test "$(echo "$heard" | grep -c ' idle 2 12.5$')" -eq 3 || fail "expected three states of the rover, found: $heard"
kill -INT "$talker"
wait "$talker" || fail "the rover has ended with an error after SIGINT: $(cat "$work/output")"
talker=
"$saltus" component types talk | grep -q '^talk::Counter$' || fail "the component is not found: $("$saltus" component types talk)"
echo "saltus install: three packages, in their order"

# A package in another folder than before, with an error.
mv "$work/ws" "$work/moved"
source=$work/moved/src
sed -i 's/^int main/static_assert(sizeof(int) == 1, "");\nint main/' "$source"/z_msgs/src/*.cpp
if "$saltus" install "$source/z_msgs" --prefix "$robot" --debug >"$work/output" 2>&1; then fail "an error was ignored"; fi
grep -q "^$source/z_msgs/src/.*: error: static assertion failed" "$work/output" || fail "$(cat "$work/output")"
grep -q '^saltus: cmake failed, see above$' "$work/output" || fail "$(cat "$work/output")"
unset AMENT_PREFIX_PATH
SALTUS_PREFIX_PATH=
if "$saltus" install "$source/a/talk" --prefix "$work/other" >"$work/output" 2>&1; then fail "built without a prefix"; fi
grep -q 'add their prefix to AMENT_PREFIX_PATH' "$work/output" || fail "$(cat "$work/output")"
echo "saltus install: a moved package, an error of the compiler, and no C++ packages"
