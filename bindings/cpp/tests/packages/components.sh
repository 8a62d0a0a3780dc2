# The components of the package talk in all kinds of containers, and started by name and by a launch file. run.sh reads this.

# Starts a container with these arguments, loads a component, looks, and ends it with SIGINT.
try_container() {
  "$saltus" container "$@" >"$work/output" 2>&1 &
  talker=$!
  loaded=$(timeout 20 "$saltus" component load /ComponentManager talk talk::Counter -p step:=1) ||
    fail "the component was not loaded: $(cat "$work/output")"
  test "$loaded" = "Loaded component 1 into '/ComponentManager' container node as '/counter'" || fail "found: $loaded"
  timeout 20 "$saltus" topic echo --once /count | grep -q '^data: [0-9]' || fail "the component publishes nothing"
  timeout 20 "$saltus" component load /ComponentManager talk talk::Other -r __ns:=/there >/dev/null
  "$saltus" component list | grep -q '  2  /there/other' || fail "found: $("$saltus" component list)"
  timeout 20 "$saltus" component unload /ComponentManager 1 >/dev/null
  if "$saltus" node list | grep -q '^/counter$'; then fail "the component was not unloaded"; fi
  kill -INT "$talker"
  wait "$talker" || fail "the container has ended with an error after SIGINT: $(cat "$work/output")"
  talker=
  echo "saltus container $*: loads, lists and unloads components in C++"
}

AMENT_PREFIX_PATH=$work/g++-17/install:$AMENT_PREFIX_PATH
export AMENT_PREFIX_PATH
# The command finds the libraries itself.
unset LD_LIBRARY_PATH
"$saltus" component types talk | grep -q '^talk::Other$' || fail "the components of talk are not listed"
"$saltus" pkg executables talk | grep -q '^talk talker$' || fail "the programs of talk are not listed"
try_container --cpp
try_container --cpp --mt
try_container --cpp --isolated
try_container --crash-isolated

"$saltus" run talk talk::Counter --ros-args -r __node:=alone &
talker=$!
timeout 20 "$saltus" topic echo --once /count | grep -q '^data: [0-9]' || fail "the component publishes nothing"
"$saltus" node list | grep -q '^/alone$' || fail "the component has not taken its name"
kill -INT "$talker"
wait "$talker" || fail "the component has ended with an error after SIGINT"
echo "saltus run: a component alone"

"$saltus" run tf2_ros tf2_ros::StaticTransformBroadcasterNode --ros-args -p frame_id:=base -p child_frame_id:=laser &
talker=$!
timeout 20 "$saltus" topic echo --once /tf_static | grep -q 'child_frame_id: laser' || fail "the component of tf2_ros publishes nothing"
kill -INT "$talker"
wait "$talker" || fail "the component of tf2_ros has ended with an error after SIGINT"
echo "saltus run: the component of tf2_ros"

cat >"$work/talk.launch.xml" <<'X'
<launch>
  <node pkg="talk" exec="talker" name="speaker"/>
  <node_container pkg="rclcpp_components" exec="component_container" name="box" namespace="">
    <composable_node pkg="talk" plugin="talk::Counter" name="inside"/>
  </node_container>
</launch>
X
"$saltus" launch "$work/talk.launch.xml" >"$work/output" 2>&1 &
talker=$!
timeout 20 "$saltus" topic echo --once /count | grep -q '^data: [0-9]' || fail "$(cat "$work/output")"
for node in /box /inside /speaker; do
  "$saltus" node list | grep -q "^$node\$" || fail "$node does not run: $(cat "$work/output")"
done
kill -INT "$talker"
wait "$talker" || true
talker=
echo "saltus launch: programs and components in C++"
