# What the cases use. run.sh sources this file.

# Runs a function as a case, with set -e in a shell of its own. Arguments: function, description.
run_case() {
  if [ -n "$words" ] && [ "${1#need_}" = "$1" ]; then
    wanted=no
    for word in $words; do
      case "$1" in *"$word"*) wanted=yes ;; esac
    done
    if [ $wanted = no ]; then return 0; fi
  fi
  if [ -n "${PART-}" ] && [ "${1#need_}" = "$1" ]; then
    number=$((number + 1))
    if [ $((number % 2)) -ne "$PART" ]; then return 0; fi
  fi
  total=$((total + 1))
  set +e
  (
    set -e
    "$1"
  ) > "$work/log" 2>&1
  code=$?
  set -e
  if [ $code -eq 0 ]; then
    passed=$((passed + 1))
    echo "ok      $2"
  else
    echo "FAILED  $2 ($1)"
    tail -n 60 "$work/log" | sed 's/^/        /'
  fi
}

# Stops the case with a text.
fail() {
  echo "$*"
  exit 1
}

# Builds and installs one of the packages into a prefix. The prefixes in $prefixes are searched for dependencies.
# Arguments: package, prefix, options of cmake...
build() {
  package=$1
  prefix=$2
  shift 2
  tree=$work/build/$(echo "$prefix" | tr / _)/$package
  CMAKE_PREFIX_PATH="$prefixes" AMENT_PREFIX_PATH="$prefixes" \
    cmake -S "$here/packages/$package" -B "$tree" "-DCMAKE_INSTALL_PREFIX=$prefix" -Wno-dev "$@"
  cmake --build "$tree" --target install
}

# Runs programs with the libraries of all prefixes. Arguments: paths...
run_programs() {
  for program in "$@"; do
    LD_LIBRARY_PATH=$(echo "$prefixes" | sed 's,:,/lib:,g; s,$,/lib,') "$program" || fail "$program returned $?"
  done
}

# Makes the project <name> below $work/src: package.xml, and CMakeLists.txt from standard input after project() and
# find_package(ament_cmake). Arguments: name, lines of package.xml...
project() {
  mkdir -p "$work/src/$1"
  {
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(%s CXX)\nfind_package(ament_cmake REQUIRED)\n' "$1"
    cat
  } > "$work/src/$1/CMakeLists.txt"
  name=$1
  shift
  {
    printf '<package format="3">\n<name>%s</name>\n<version>0.0.1</version>\n' "$name"
    for line in "$@"; do printf '%s\n' "$line"; done
    printf '</package>\n'
  } > "$work/src/$name/package.xml"
}

# Configures a project of $work/src from the start. Leaves the output in $work/output. Arguments: name, options...
configure() {
  rm -rf "$work/build/$1"
  configure_again "$@"
}

# As configure(), but keeps what CMake found before. That takes a third of the time.
configure_again() {
  name=$1
  shift
  CMAKE_PREFIX_PATH="${prefixes:-$saltus}" cmake -S "$work/src/$name" -B "$work/build/$name" \
    "-DCMAKE_INSTALL_PREFIX=$work/install/$name" -Wno-dev "$@" > "$work/output" 2>&1 || {
    cat "$work/output"
    return 1
  }
  cat "$work/output"
}

# Configures, builds and installs a project of $work/src. Arguments: name, options of cmake...
install_project() {
  configure "$@"
  cmake --build "$work/build/$1" --target install
}

# Configures a project that must fail with a text. Line breaks of CMake are ignored. Arguments: text, name, options...
fails_with() {
  text=$1
  shift
  if configure "$@" > /dev/null; then fail "expected the error: $text"; fi
  output_has "$text"
}

# As fails_with(), but with configure_again().
fails_again_with() {
  text=$1
  shift
  if configure_again "$@" > /dev/null; then fail "expected the error: $text"; fi
  output_has "$text"
}

# Stops the case unless the output of CMake has a text.
output_has() {
  tr -s ' \n' '  ' < "$work/output" | grep -qF -- "$1" || { cat "$work/output"; fail "expected the error: $1"; }
}

# Stops the case unless two texts are equal. Arguments: what, expected, found.
equal() {
  if [ "$2" != "$3" ]; then fail "$1: expected '$2', found '$3'"; fi
}

# Stops the case unless a file has a text. Arguments: file, text.
contains() {
  grep -qF -- "$2" "$1" || { cat "$1"; fail "'$1' does not have '$2'"; }
}

# Stops the case unless all paths exist.
exist() {
  for path in "$@"; do
    if [ ! -e "$path" ]; then fail "'$path' does not exist"; fi
  done
}
