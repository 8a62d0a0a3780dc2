#!/bin/sh
# Tests the CMake packages of bindings/cpp/cmake with the packages in the folder packages, in a temporary folder.
# Usage: run.sh [words...]: runs the cases whose name has one of the words, and those that they need. CMAKE_GENERATOR
# is respected. Set KEEP to keep the temporary folders.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

# Without words, two processes share the cases. PART is the number of one.
if [ $# -eq 0 ] && [ -z "${PART-}" ]; then
  exec "$here/../both_parts.sh" "$here/run.sh"
fi
files=$(cd "$here/../../cmake" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/saltus-cmake-tests.XXXXXX")
if [ -z "${KEEP-}" ]; then trap 'rm -rf "$work"' EXIT; trap 'exit 1' INT TERM; else echo "The temporary folder is $work"; fi

# An environment with another ROS must not change the results.
unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_CURRENT_PREFIX AMENT_CURRENT_PREFIX LD_LIBRARY_PATH PYTHONPATH || true
unset ROS_VERSION ROS_DISTRO ROS_PYTHON_VERSION ROS_DOMAIN_ID DISABLE_ROS_ISOLATION || true

# A python3 that is a script, such as that of pyenv, is slow, and each configuration starts it nine times.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
export PATH

saltus=$work/saltus
words="$*"
passed=0
total=0
number=0

. "$here/lib.sh"
. "$here/cases_install.sh"
. "$here/cases_exports.sh"
. "$here/cases_package_xml.sh"
. "$here/cases_commands.sh"
. "$here/cases_environment.sh"
. "$here/cases_tests.sh"
. "$here/cases_interfaces.sh"

echo "$passed of $total cases passed"
[ "$passed" -eq "$total" ]
