# Environment hooks and setup files.

prefixes=$saltus

# Prints the variables of the hooks after a file was sourced. Arguments: shell, commands.
hook_variables() {
  "$1" -c "set -u
$2
for name in SCRIPT LIST DSV SET SET_PATH APPEND BOTH BASH DESCRIBED; do
  eval \"echo \\\"\$name=\\\${HOOK_\$name-}\\\"\"
done" 2>&1 | sed "s,$hooks,PREFIX,g"
}

# What the hooks of hooks_pkg set. Argument: value of HOOK_BASH.
expected_hook_variables() {
  cat << END
SCRIPT=from CMake of hooks_pkg
LIST=PREFIX/share/hooks_pkg:/last
DSV=PREFIX/share/hooks_pkg
SET=plain;text
SET_PATH=PREFIX/share/hooks_pkg
APPEND=/one:/two
BOTH=PREFIX/share/hooks_pkg
BASH=$1
DESCRIBED=PREFIX/share/hooks_pkg
END
}

need_environment_hooks() {
  hooks=$work/hooks
  build hooks_pkg "$hooks"
  share=$hooks/share/hooks_pkg
  exist "$share/environment/only_script.sh" "$share/environment/only_dsv.dsv" "$share/environment/described.dsv"
  for shell in sh bash zsh; do
    if ! command -v $shell > /dev/null; then continue; fi
    value=
    if [ $shell = bash ]; then value=bash; fi
    expected_hook_variables "$value" > "$work/expected"
    hook_variables $shell ". '$share/local_setup.$shell'" | diff "$work/expected" -
    # Twice, and in a loop over files with set -e.
    hook_variables $shell "set -e; . '$share/local_setup.$shell'; . '$share/local_setup.$shell'" |
      diff "$work/expected" -
  done
  equal "local_setup.dsv" "source;share/hooks_pkg/environment/only_dsv.dsv
source;share/hooks_pkg/environment/both.sh
source;share/hooks_pkg/environment/both.dsv
source;share/hooks_pkg/environment/for_bash.bash
source;share/hooks_pkg/environment/described.sh
source;share/hooks_pkg/environment/described.dsv
source;share/hooks_pkg/environment/ament_prefix_path.sh
source;share/hooks_pkg/environment/ament_prefix_path.dsv
source;share/hooks_pkg/environment/path.sh
source;share/hooks_pkg/environment/path.dsv
source;share/hooks_pkg/script_hooks.sh" "$(cat "$share/local_setup.dsv")"
  equal "package.dsv" "source;share/hooks_pkg/local_setup.bash
source;share/hooks_pkg/local_setup.dsv
source;share/hooks_pkg/local_setup.sh
source;share/hooks_pkg/local_setup.zsh" "$(cat "$share/package.dsv")"
  found=$(sh -c "COLCON_CURRENT_PREFIX=$hooks; . '$share/script_hooks.sh'; echo \"\$HOOK_SCRIPT\"")
  equal "script_hooks.sh" "from CMake of hooks_pkg" "$found"
}
run_case need_environment_hooks "environment hooks: templates, scripts, .dsv files and descriptions, in sh, bash and zsh"

moved_hooks() {
  mv "$work/hooks" "$work/moved_hooks"
  hooks=$work/moved_hooks
  share=$hooks/share/hooks_pkg
  expected_hook_variables bash > "$work/expected"
  hook_variables bash ". '$share/local_setup.bash'" | diff "$work/expected" -
  expected_hook_variables "" > "$work/expected"
  hook_variables sh "COLCON_CURRENT_PREFIX='$hooks'; . '$share/local_setup.sh'" | diff "$work/expected" -
  hook_variables sh "AMENT_CURRENT_PREFIX='$hooks'; . '$share/local_setup.sh'" | diff "$work/expected" -
  found=$(sh -c ". '$share/local_setup.sh'" 2>&1 || true)
  equal "message" "The prefix '$work/hooks' has no package hooks_pkg. Set AMENT_CURRENT_PREFIX to the prefix." "$found"
}
run_case moved_hooks "setup files of a package in a prefix that was moved, and the message when it is unknown"

trace() {
  found=$(AMENT_TRACE_SETUP_FILES=1 sh -c ". '$saltus/share/ament_cmake/local_setup.sh'" | head -n 1)
  equal trace "# . \"$saltus/share/ament_cmake/environment/ament_prefix_path.sh\"" "$found"
}
run_case trace "AMENT_TRACE_SETUP_FILES prints the files"

prefix_environment() {
  hooks=$work/with_setup
  AMENT_PREFIX_PATH=$saltus
  build hooks_pkg "$hooks" -DAMENT_CMAKE_ENVIRONMENT_GENERATION=ON
  for shell in sh bash zsh; do
    if ! command -v $shell > /dev/null; then continue; fi
    value=
    if [ $shell = bash ]; then value=bash; fi
    expected_hook_variables "$value" > "$work/expected"
    for file in setup local_setup; do
      hook_variables $shell ". '$hooks/$file.$shell'" | diff "$work/expected" -
    done
    found=$($shell -c ". '$hooks/setup.$shell'; echo \"\$AMENT_PREFIX_PATH\"")
    equal "AMENT_PREFIX_PATH of setup.$shell" "$hooks:$saltus" "$found"
    found=$($shell -c ". '$hooks/local_setup.$shell'; echo \"\$AMENT_PREFIX_PATH\"")
    equal "AMENT_PREFIX_PATH of local_setup.$shell" "$hooks" "$found"
  done
  rm -rf "$hooks"
  build hooks_pkg "$hooks" -DAMENT_CMAKE_ENVIRONMENT_GENERATION=OFF -DAMENT_CMAKE_ENVIRONMENT_PACKAGE_GENERATION=OFF
  if [ -e "$hooks/setup.sh" ] || [ -e "$hooks/share/hooks_pkg/local_setup.sh" ]; then fail "setup files exist"; fi
}
run_case prefix_environment "AMENT_CMAKE_ENVIRONMENT_GENERATION: setup files of the prefix, on top of the parent prefix"
