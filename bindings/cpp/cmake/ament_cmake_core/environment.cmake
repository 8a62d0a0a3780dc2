# Environment hooks: scripts that run when a user sources the setup files of a prefix.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

option(AMENT_CMAKE_ENVIRONMENT_PACKAGE_GENERATION "Install setup files of each package in share/<pkg>" ON)
option(AMENT_CMAKE_ENVIRONMENT_GENERATION "Install setup files in the root of the prefix (colcon has its own)" OFF)
option(AMENT_CMAKE_ENVIRONMENT_PARENT_PREFIX_PATH_GENERATION "Let setup files source those of the parent prefixes" ON)

set_property(GLOBAL PROPERTY AMENT_CORE_TEMPLATES "${CMAKE_CURRENT_LIST_DIR}/templates")

# Installs hooks to share/<pkg>/environment, where the setup files of the package source them in the order of the calls.
# Each is a file .sh, .bash, .zsh or .dsv, or a template of one with .in at the end (expanded with @ONLY).
# The variable AMENT_CMAKE_ENVIRONMENT_HOOKS_DESC_<name> gives the lines of <name>.dsv, if there is no such file.
function(ament_environment_hooks)
  ament_core_before_package(ament_environment_hooks)
  ament_core_library_path_variable(AMENT_CORE_LIBRARY_PATH)
  foreach(_ament_hook IN LISTS ARGN)
    ament_core_source_path(_ament_hook "${_ament_hook}")
    if(NOT EXISTS "${_ament_hook}")
      message(FATAL_ERROR "ament_environment_hooks(): the file '${_ament_hook}' does not exist")
    elseif(NOT _ament_hook MATCHES "[.](sh|bash|zsh|dsv|bat|ps1)([.]in)?$")
      message(FATAL_ERROR
        "ament_environment_hooks(): '${_ament_hook}' is no .sh, .bash, .zsh, .dsv, .bat or .ps1 file")
    endif()
    ament_core_expand_template("${_ament_hook}" "${PROJECT_BINARY_DIR}/ament_cmake_environment_hooks" _ament_hook)
    _ament_install_hook("${_ament_hook}")
  endforeach()
endfunction()

# Installs one hook, adds its name to the list of the package, and writes its description if there is one.
function(_ament_install_hook file)
  ament_core_install(FILES "${file}" DESTINATION "share/${PROJECT_NAME}/environment")
  get_filename_component(file_name "${file}" NAME)
  ament_core_collect(ENVIRONMENT_HOOKS "${file_name}")
  get_filename_component(base "${file_name}" NAME_WE)
  if(DEFINED AMENT_CMAKE_ENVIRONMENT_HOOKS_DESC_${base} AND NOT file_name MATCHES "[.]dsv$")
    _ament_write_description("${base}" "${AMENT_CMAKE_ENVIRONMENT_HOOKS_DESC_${base}}")
  endif()
endfunction()

# Writes and installs <base>.dsv, once.
function(_ament_write_description base text)
  ament_core_collected(hooks ENVIRONMENT_HOOKS)
  if(NOT "${base}.dsv" IN_LIST hooks)
    set(file "${PROJECT_BINARY_DIR}/ament_cmake_environment_hooks/${base}.dsv")
    ament_core_write_file("${file}" "${text}\n")
    _ament_install_hook("${file}")
  endif()
endfunction()

# Adds a standard hook to the package: the template templates/hooks/<name>.sh.in, described by the .dsv line.
function(ament_core_standard_hook name line)
  get_property(templates GLOBAL PROPERTY AMENT_CORE_TEMPLATES)
  set(AMENT_CMAKE_ENVIRONMENT_HOOKS_DESC_${name} "${line}")
  ament_environment_hooks("${templates}/hooks/${name}.sh.in")
endfunction()

# Sets <var> to the name of the variable that the loader of this system reads.
function(ament_core_library_path_variable var)
  set(${var} LD_LIBRARY_PATH PARENT_SCOPE)
  if(APPLE)
    set(${var} DYLD_LIBRARY_PATH PARENT_SCOPE)
  endif()
endfunction()

# Asks for the hook that adds <prefix>/lib to LD_LIBRARY_PATH. Commands that export a shared library call it.
function(ament_core_need_library_path_hook)
  ament_core_collect(NEEDS_LIBRARY_PATH_HOOK TRUE)
endfunction()

# Installs the setup files of the package, and those of the prefix with AMENT_CMAKE_ENVIRONMENT_GENERATION.
# ament_package() calls it after all extensions.
function(ament_core_install_package_environment)
  ament_core_standard_hook(ament_prefix_path "prepend-non-duplicate;AMENT_PREFIX_PATH;")
  ament_core_standard_hook(path "prepend-non-duplicate-if-exists;PATH;bin")
  ament_core_collected(needs_library_path NEEDS_LIBRARY_PATH_HOOK)
  if(needs_library_path)
    ament_core_library_path_variable(variable)
    ament_core_standard_hook(library_path "prepend-non-duplicate;${variable};lib")
  endif()
  set(folder "${PROJECT_BINARY_DIR}/ament_cmake_environment")
  if(AMENT_CMAKE_ENVIRONMENT_PACKAGE_GENERATION)
    ament_core_collected(hooks ENVIRONMENT_HOOKS)
    ament_core_write_package_setup("${PROJECT_NAME}" "${CMAKE_INSTALL_PREFIX}" "${folder}/package" "${hooks}")
    ament_core_install(DIRECTORY "${folder}/package/" DESTINATION "share/${PROJECT_NAME}")
  endif()
  if(AMENT_CMAKE_ENVIRONMENT_GENERATION)
    ament_core_write_prefix_setup("${CMAKE_INSTALL_PREFIX}" "${folder}/prefix")
    ament_core_install(DIRECTORY "${folder}/prefix/" DESTINATION ".")
  endif()
endfunction()

# Writes local_setup.{sh,bash,zsh,dsv} and package.dsv of a package into <folder>, for the prefix <prefix>.
# <hooks> are the names of the files in share/<pkg>/environment.
function(ament_core_write_package_setup package prefix folder hooks)
  get_property(templates GLOBAL PROPERTY AMENT_CORE_TEMPLATES)
  file(READ "${templates}/functions.sh" functions)
  foreach(shell IN ITEMS sh bash zsh)
    _ament_hook_commands("${package}" "${hooks}" "${shell}" source_hooks)
    configure_file("${templates}/local_setup.${shell}.in" "${folder}/local_setup.${shell}" @ONLY)
  endforeach()
  _ament_hook_lines("${package}" "${hooks}" lines needs_script)
  ament_core_write_file("${folder}/local_setup.dsv" "${lines}")
  set(lines "")
  foreach(shell IN ITEMS bash dsv sh zsh)
    string(APPEND lines "source;share/${package}/local_setup.${shell}\n")
  endforeach()
  ament_core_write_file("${folder}/package.dsv" "${lines}")
  if(needs_script)
    configure_file("${templates}/script_hooks.sh.in" "${folder}/script_hooks.sh" @ONLY)
  else()
    file(REMOVE "${folder}/script_hooks.sh")
  endif()
endfunction()

# Sets <var> to the commands that run the hooks for <shell>. A hook that is only a .dsv file is applied in sh.
function(_ament_hook_commands package hooks shell var)
  set(commands "")
  foreach(hook IN LISTS hooks)
    set(path "\$AMENT_CURRENT_PREFIX/share/${package}/environment/${hook}")
    string(REGEX REPLACE "[.][^.]*$" "" base "${hook}")
    if(hook MATCHES "[.]${shell}$")
      string(APPEND commands "_ament_source_hook \"${path}\"\n")
    elseif(shell STREQUAL "sh" AND hook MATCHES "[.]dsv$" AND NOT "${base}.sh" IN_LIST hooks)
      string(APPEND commands "_ament_apply_dsv \"${path}\"\n")
    endif()
  endforeach()
  set(${var} "${commands}" PARENT_SCOPE)
endfunction()

# Sets <var> to the lines of local_setup.dsv. A hook with a .dsv file is read from that. Those without run by
# script_hooks.sh, because they need the functions of local_setup.sh: then <needs_script> is TRUE.
function(_ament_hook_lines package hooks var needs_script)
  set(lines "")
  set(scripts FALSE)
  foreach(hook IN LISTS hooks)
    string(REGEX REPLACE "[.][^.]*$" "" base "${hook}")
    if("${base}.dsv" IN_LIST hooks OR NOT hook MATCHES "[.]sh$")
      string(APPEND lines "source;share/${package}/environment/${hook}\n")
    else()
      set(scripts TRUE)
    endif()
  endforeach()
  if(scripts)
    string(APPEND lines "source;share/${package}/script_hooks.sh\n")
  endif()
  set(${var} "${lines}" PARENT_SCOPE)
  set(${needs_script} ${scripts} PARENT_SCOPE)
endfunction()

# Writes setup.{sh,bash,zsh} and local_setup.{sh,bash,zsh} of the prefix <prefix> into <folder>.
function(ament_core_write_prefix_setup prefix folder)
  get_property(templates GLOBAL PROPERTY AMENT_CORE_TEMPLATES)
  file(READ "${templates}/functions.sh" functions)
  foreach(shell IN ITEMS sh bash zsh)
    configure_file("${templates}/prefix/local_setup.${shell}.in" "${folder}/local_setup.${shell}" @ONLY)
    set(chain "")
    if(NOT DEFINED AMENT_CMAKE_ENVIRONMENT_PARENT_PREFIX_PATH_GENERATION
        OR AMENT_CMAKE_ENVIRONMENT_PARENT_PREFIX_PATH_GENERATION)
      set(chain "_ament_source_parents\n")
    endif()
    configure_file("${templates}/prefix/setup.${shell}.in" "${folder}/setup.${shell}" @ONLY)
  endforeach()
endfunction()
