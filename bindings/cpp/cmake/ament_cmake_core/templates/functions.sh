# Puts a value in front of a list of paths, unless the list has it. Arguments: name of the variable, value.
ament_prepend_unique_value() {
  eval "_ament_list=\"\${$1-}\""
  case ":$_ament_list:" in
    *":$2:"*) ;;
    *) eval "export $1=\"\$2\${_ament_list:+:\$_ament_list}\"" ;;
  esac
}

# Puts a value at the end of a list of paths, unless the list has it. Arguments: name of the variable, value.
ament_append_unique_value() {
  eval "_ament_list=\"\${$1-}\""
  case ":$_ament_list:" in
    *":$2:"*) ;;
    *) eval "export $1=\"\${_ament_list:+\$_ament_list:}\$2\"" ;;
  esac
}

# Puts a value at the end of a list of paths. Arguments: name of the variable, value.
ament_append_value() {
  eval "_ament_list=\"\${$1-}\""
  eval "export $1=\"\${_ament_list:+\$_ament_list:}\$2\""
}

# Sources a file. With AMENT_TRACE_SETUP_FILES, prints its path first.
_ament_source_hook() {
  if [ -f "$1" ]; then
    if [ -n "${AMENT_TRACE_SETUP_FILES-}" ]; then echo "# . \"$1\""; fi
    . "$1"
  else
    echo "not found: \"$1\"" >&2
  fi
}

# Applies one value of a line of a .dsv file. Arguments: kind of the line, name of the variable, value.
_ament_apply_value() {
  _ament_path="$3"
  case "$_ament_path" in
    "") _ament_path="$AMENT_CURRENT_PREFIX" ;;
    /*) ;;
    *) _ament_path="$AMENT_CURRENT_PREFIX/$_ament_path" ;;
  esac
  case "$1" in
    prepend-non-duplicate) ament_prepend_unique_value "$2" "$_ament_path" ;;
    prepend-non-duplicate-if-exists)
      if [ -e "$_ament_path" ]; then ament_prepend_unique_value "$2" "$_ament_path"; fi ;;
    append-non-duplicate) ament_append_unique_value "$2" "$_ament_path" ;;
    set | set-if-unset)
      if [ ! -e "$_ament_path" ]; then _ament_path="$3"; fi
      eval "_ament_list=\"\${$2-}\""
      if [ "$1" = set ] || [ -z "$_ament_list" ]; then eval "export $2=\"\$_ament_path\""; fi ;;
    *) echo "unknown kind of environment hook: $1" >&2 ;;
  esac
}

# Applies all lines of a .dsv file. Argument: its path.
_ament_apply_dsv() {
  while IFS= read -r _ament_line || [ -n "$_ament_line" ]; do
    case "$_ament_line" in
      "#"* | "") continue ;;
      "source;"*) _ament_source_hook "$AMENT_CURRENT_PREFIX/${_ament_line#source;}"; continue ;;
    esac
    _ament_kind="${_ament_line%%;*}"
    _ament_rest="${_ament_line#*;};"
    _ament_name="${_ament_rest%%;*}"
    _ament_rest="${_ament_rest#*;}"
    case "$_ament_kind" in
      set | set-if-unset) _ament_apply_value "$_ament_kind" "$_ament_name" "${_ament_rest%;}"; continue ;;
    esac
    if [ -z "$_ament_rest" ]; then _ament_rest=";"; fi
    while [ -n "$_ament_rest" ]; do
      _ament_apply_value "$_ament_kind" "$_ament_name" "${_ament_rest%%;*}"
      _ament_rest="${_ament_rest#*;}"
    done
  done < "$1"
  unset _ament_list _ament_path _ament_line _ament_kind _ament_rest _ament_name
}
