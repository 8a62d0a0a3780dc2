# A package with the C++ API of Saltus: images in shared memory. run.sh reads this.
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
