# Part of run.sh: a package with a base class and a program, and a package with plugins, each in a prefix of its own.
cp -r "$here/tool_base" "$here/tools" "$work"
build tool_base
use_tool=$work/install/tool_base/lib/tool_base/use_tool
test -z "$("$use_tool")" || fail "there are tools without a package that exports some"
cmake -S "$work/tools" -B "$work/build/tools" -DCMAKE_INSTALL_PREFIX="$work/install/tools" >/dev/null
cmake --build "$work/build/tools" >/dev/null
ctest --test-dir "$work/build/tools" --output-on-failure >"$work/output" 2>&1 || fail "$(cat "$work/output")"
grep -q "100% tests passed" "$work/output" || fail "$(cat "$work/output")"
echo "tools: its test loads a plugin that is not installed"
build tools
echo "tool_base, tools: built"
expected='tools/Hammer of tools: A hammer.
tools::Drill of tools: A drill.
tools::Laser of tools: '
shown=$("$use_tool")
test "$shown" = "$expected" || fail "expected the plugins '$expected', found: $shown"
used=$("$use_tool" tools/Hammer tools::Drill)
test "$used" = "$(printf 'bang\nbrrr')" || fail "the plugins say: $used"
if "$use_tool" tools::Laser 2>"$work/output"; then fail "a plugin without a library was made"; fi
grep -q "'not_built', which '$work/install/tools/share/tools/more/electric.xml' names, was not found" "$work/output" ||
  fail "$(cat "$work/output")"
echo "use_tool: plugins of another package"

# A manifest that is not relative is refused.
sed -i 's|tool_base plugins.xml|tool_base ${CMAKE_CURRENT_SOURCE_DIR}/plugins.xml|' "$work/tools/CMakeLists.txt"
if cmake "$work/build/tools" >/dev/null 2>"$work/output"; then fail "an absolute path of a manifest was accepted"; fi
grep -q "must be relative to" "$work/output" || fail "$(cat "$work/output")"
echo "tools: an absolute path of a manifest is an error"
