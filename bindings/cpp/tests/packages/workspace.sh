# Part of run.sh: a workspace that colcon builds and tests, with packages of interfaces, of programs and with a test.
trap 'test -z "$talker" || kill "$talker" 2>/dev/null' EXIT
talker=
workspace=$work/colcon
mkdir -p "$workspace/src"
cp -r "$here/rover_msgs" "$here/rover_station" "$workspace/src"
"$saltus" new with_test --lang cpp --destination-directory "$workspace/src" >/dev/null
cd "$workspace"
"$colcon" build --executor sequential --event-handlers summary+ --cmake-args -Wno-deprecated >"$work/output" 2>&1 ||
  fail "colcon build: $(cat "$work/output")"
grep -q '^Summary: 3 packages finished' "$work/output" || fail "$(cat "$work/output")"
if grep -iE 'warning|stderr output' "$work/output"; then fail "colcon build: $(cat "$work/output")"; fi
"$colcon" test --packages-select with_test --event-handlers summary+ >"$work/output" 2>&1 || fail "colcon test: $(cat "$work/output")"
results=$("$colcon" test-result --all)
echo "$results" | grep -q '^Summary: [1-9][0-9]* tests, 0 errors, 0 failures, 0 skipped$' || fail "colcon test-result: $results"
# In a shell that knows nothing of Saltus but what the file of the workspace says. It names the prefix that was used for the build.
cat >"$work/session" <<'END'
. ./install/setup.sh
exec "$@"
END
session="env -u AMENT_PREFIX_PATH -u CMAKE_PREFIX_PATH -u LD_LIBRARY_PATH -u PYTHONPATH"
said=$($session sh -e "$work/session" printenv AMENT_PREFIX_PATH 2>&1)
expected=$workspace/install/with_test:$workspace/install/rover_station:$workspace/install/rover_msgs:$prefix
sorted() { tr : '\n' | sort; }
test "$(echo "$said" | sorted)" = "$(echo "$expected" | sorted)" || fail "expected $expected, found $said"
$session sh -e "$work/session" "$saltus" run rover_msgs rover >"$work/output" 2>&1 &
talker=$!
heard=$($session timeout 20 sh -e "$work/session" "$saltus" run rover_station watch) || fail "the rover says: $(cat "$work/output")"
test "$(echo "$heard" | grep -c ' idle 2 12.5$')" -eq 3 || fail "expected three states of the rover, found: $heard"
kill -INT "$talker"
wait "$talker" || fail "the rover has ended with an error after SIGINT: $(cat "$work/output")"
talker=
echo "colcon: three packages built, one tested, and programs run with install/setup.sh"
