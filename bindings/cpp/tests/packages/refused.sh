# Code that must not compile, with the text that the compiler shows, and a component that its library does not have. run.sh reads this.

# Compiles a function of a program with rclcpp, and expects an error with a text.
refuses() {
  cat >"$work/refused.cpp" <<X
#include "rclcpp/rclcpp.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"
#include "rcl_interfaces/srv/list_parameters.hpp"
using Message = rcl_interfaces::msg::SetParametersResult;
using Service = rcl_interfaces::srv::ListParameters;
void use(rclcpp::Node & node) {$2}
X
  if g++ -std=c++17 -fsyntax-only -Werror=unused-result "$work/refused.cpp" $includes >"$work/output" 2>&1; then
    fail "compiled, but must not: $2"
  fi
  grep -q "$1" "$work/output" || fail "expected '$1', found: $(cat "$work/output")"
}

includes=$(for folder in "$prefix"/include/*; do printf -- '-I%s ' "$folder"; done)
refuses 'a subscription callback takes one of: const M &' \
  'static auto one = node.create_subscription<Message>("a", 1, [](int, int, int) {});'
refuses 'a service callback takes (request, response)' 'static auto one = node.create_service<Service>("a", [](int) {});'
refuses 'nodiscard' 'node.add_on_set_parameters_callback([](const std::vector<rclcpp::Parameter> &) {return Message();});'
echo "refused: wrong callbacks, and a handle that nobody keeps"

mkdir "$work/empty"
cat >"$work/empty/CMakeLists.txt" <<'X'
cmake_minimum_required(VERSION 3.16)
project(empty LANGUAGES CXX)
find_package(ament_cmake REQUIRED)
find_package(rclcpp REQUIRED)
find_package(rclcpp_components REQUIRED)
add_library(parts SHARED parts.cpp)
ament_target_dependencies(parts rclcpp rclcpp_components)
rclcpp_components_register_node(parts PLUGIN "empty::Missing" EXECUTABLE missing)
install(TARGETS parts DESTINATION lib)
ament_package()
X
cat >"$work/empty/package.xml" <<'X'
<package format="3"><name>empty</name><version>0.1.0</version><description>One component, and an entry for another one</description>
<maintainer email="maintainers@example.org">The maintainers of Saltus</maintainer><license>Apache-2.0</license></package>
X
cat >"$work/empty/parts.cpp" <<'X'
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"
namespace empty
{
class There : public rclcpp::Node
{
public:
  explicit There(const rclcpp::NodeOptions & options)
  : Node("there", options) {}
};
}  // namespace empty
RCLCPP_COMPONENTS_REGISTER_NODE(empty::There)
X
cmake -S "$work/empty" -B "$work/empty/build" -DCMAKE_INSTALL_PREFIX="$work/empty/install" >/dev/null
cmake --build "$work/empty/build" --target install --parallel 2 >/dev/null
status=0
timeout 20 "$work/empty/install/lib/empty/missing" >"$work/output" 2>&1 || status=$?
test "$status" -eq 1 || fail "expected the status 1, found $status: $(cat "$work/output")"
grep -q 'has no component empty::Missing; it has: empty::There$' "$work/output" || fail "found: $(cat "$work/output")"
echo "missing: a program for a component that is not there says which ones are"
