# Part of run.sh: each name that packages of ROS 2 use compiles, and each that is not rare does what it should.
"$here/names/check.sh" || fail "the list of names and the sources of names differ"
cmake -S "$here/names" -B "$work/names" -DCMAKE_CXX_STANDARD=17 -DCMAKE_INSTALL_PREFIX="$work/names/install" >/dev/null
cmake --build "$work/names" --target install --parallel 2 >/dev/null
# The tests load the plugins of the package.
. "$work/names/install/share/names/local_setup.sh"
ctest --test-dir "$work/names" --output-on-failure >"$work/output" 2>&1 || fail "$(cat "$work/output")"
echo "names: its tests have passed"
# Another compiler, and the next version of C++.
cmake -S "$here/names" -B "$work/names-20" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_STANDARD=20 >/dev/null
cmake --build "$work/names-20" --parallel 2 >/dev/null
echo "names: built with clang++, C++20"
