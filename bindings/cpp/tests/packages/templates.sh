# The packages that `saltus new` creates in C++ and C, built and run with the commands of their README.md. run.sh reads this.
trap 'test -z "$talker" || kill "$talker" 2>/dev/null' EXIT
talker=
mkdir "$work/new"
CFLAGS=-Werror
CXXFLAGS=-Werror
export CFLAGS CXXFLAGS

# Creates a package, builds it, runs its test, and installs it. Arguments: those of saltus new.
create() {
  "$saltus" new "$@" --destination-directory "$work/new" >/dev/null || fail "saltus new $* has failed"
  cd "$work/new/$1" || exit 1
  grep '^cmake ' README.md >"$work/steps"
  sh -e "$work/steps" >"$work/output" 2>&1 || fail "saltus new $*: $(cat "$work/output")"
  cmake --build build --target test >"$work/output" 2>&1 || fail "$(cat "$work/output" build/Testing/Temporary/LastTest.log)"
  grep -q '100% tests passed, 0 tests failed out of 1' "$work/output" || fail "$(cat "$work/output")"
  . "install/share/$1/local_setup.sh"
}

# Runs a program of a package in the background.
start() {
  "$saltus" run "$1" "$2" >"$work/output" 2>&1 &
  talker=$!
}

# Checks that a command of saltus shows a line. Arguments: the line, the command.
shows() {
  line=$1
  shift
  shown=$(timeout 20 "$saltus" "$@" 2>&1) || fail "saltus $*: $shown; the program: $(cat "$work/output")"
  echo "$shown" | grep -q "$line" || fail "expected '$line' from saltus $*, found: $shown"
}

# Ends the program of start().
finish_program() {
  kill -INT "$talker"
  wait "$talker" || fail "the program has ended with an error after SIGINT: $(cat "$work/output")"
  talker=
}

# Checks that the listener of a package hears its talker, which runs.
hears() {
  : >"$work/heard"
  "$saltus" run "$1" listener >"$work/heard" 2>&1 &
  listener=$!
  for _ in $(seq 100); do
    if grep -q "$2" "$work/heard"; then break; fi
    sleep 0.2
  done
  kill -INT "$listener"
  wait "$listener" || fail "the listener has ended with an error after SIGINT: $(cat "$work/heard")"
  grep -q "$2" "$work/heard" || fail "the listener has heard: $(cat "$work/heard")"
}

create new_node --lang cpp
start new_node talker
shows '^data: step [0-9]*$' topic echo --once /status
hears new_node 'new_node_listener.*received step [0-9]'
finish_program
create new_own --lang cpp --interfaces
start new_own talker
shows '^count: [0-9]*$' topic echo --once /status
hears new_own 'new_own_listener.*received [0-9]'
finish_program
create new_c --lang c
start new_c talker
shows '^data: step [0-9]*$' topic echo --once /status
hears new_c "new_c_listener.*received 'step [0-9]"
finish_program
create new_component --lang cpp --template component
start new_component status
shows '^data: step [0-9]*$' topic echo --once /status
finish_program
"$saltus" component types new_component | grep -q '^new_component::Status$' || fail "the component is not listed"
create new_service --lang cpp --template service
start new_service add_server
shows 'sum=42' service call /add_two_ints example_interfaces/srv/AddTwoInts '{a: 2, b: 40}'
finish_program
create new_action --lang cpp --template action
start new_action fibonacci_server
shows '^Goal finished with status: SUCCEEDED' action send_goal /fibonacci example_interfaces/action/Fibonacci '{order: 5}'
finish_program
echo "saltus new: six packages in C++ and C, built, tested and run"
