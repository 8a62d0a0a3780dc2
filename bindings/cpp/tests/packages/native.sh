# A package with the C++ API of Saltus: images in shared memory, and a component. run.sh reads this.
cmake -S "$here/native" -B "$work/native" -DCMAKE_INSTALL_PREFIX="$work/native/install" >/dev/null
cmake --build "$work/native" --target install --parallel 2 >/dev/null
"$work/native/install/lib/native/camera" &
talker=$!
seen=$(timeout 20 "$work/native/install/lib/native/viewer")
test "$(echo "$seen" | grep -c '^640x480: [0-9]*$')" -eq 3 || fail "expected three images, found: $seen"
timeout 20 "$saltus" topic echo --once --no-arr /image | grep -q '^encoding: mono8$' || fail "saltus shows no image"
kill -INT "$talker"
wait "$talker" || fail "the camera has ended with an error after SIGINT"
talker=
echo "camera, viewer: images in place"

"$work/native/install/lib/native/counter" alone --ros-args -r __node:=one &
talker=$!
timeout 20 "$saltus" topic echo --once /numbers | grep -q '^data: [0-9]' || fail "the component publishes nothing"
"$saltus" node list | grep -q '^/one$' || fail "the component has not taken its name from the command line"
kill -INT "$talker"
wait "$talker" || fail "the component has ended with an error after SIGINT"
"$work/native/install/lib/native/counter" &
talker=$!
loaded=$(timeout 20 "$saltus" component load /ComponentManager native native::Counter -n left -r numbers:=left_numbers) ||
  fail "the component can not be loaded"
test "$loaded" = "Loaded component 1 into '/ComponentManager' container node as '/left'" || fail "found: $loaded"
timeout 20 "$saltus" topic echo --once /left_numbers | grep -q '^data: [0-9]' || fail "the loaded component publishes nothing"
timeout 20 "$saltus" component unload /ComponentManager 1 >/dev/null || fail "the component can not be unloaded"
nodes=$("$saltus" node list) || fail "saltus does not list the nodes"
if echo "$nodes" | grep -q '^/left$'; then fail "the component is not unloaded"; fi
kill -INT "$talker"
wait "$talker" || fail "the container has ended with an error after SIGINT"
talker=
echo "counter: a component alone, and in a container of its program"
