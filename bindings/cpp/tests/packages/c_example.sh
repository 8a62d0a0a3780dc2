# The example in C, built with nothing but a compiler. run.sh reads this.
gcc -std=c99 -Wall -Wextra -Wpedantic -Werror "$here/../../../c/examples/image.c" -o "$work/image" \
  -I"$prefix/include/saltus" -L"$prefix/lib" -lsaltus -Wl,-rpath,"$prefix/lib"
"$work/image" --ros-args -r image:=/pixels &
talker=$!
shown=$(timeout 20 "$saltus" topic echo --once --no-arr /pixels)
echo "$shown" | grep -q '^width: 640$' || fail "found: $shown"
echo "$shown" | grep -q 'length: 307200>' || fail "found: $shown"
kill -INT "$talker"
wait "$talker" || fail "the example has ended with an error after SIGINT"
talker=
echo "image: an example in C, in place"
