include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Installs the export sets of install(TARGETS ... EXPORT <name>), each as <name>Export.cmake, and lists their libraries
# in <pkg>_TARGETS of this package. HAS_LIBRARY_TARGET adds <prefix>/lib to the path of the loader.
# Arguments: export_names... [HAS_LIBRARY_TARGET] [NAMESPACE ns, by default <pkg>::]
function(ament_export_targets)
  ament_core_before_package(ament_export_targets)
  cmake_parse_arguments(ARG "HAS_LIBRARY_TARGET" "NAMESPACE" "" ${ARGN})
  if(NOT ARG_NAMESPACE)
    set(ARG_NAMESPACE "${PROJECT_NAME}::")
  endif()
  foreach(export IN LISTS ARG_UNPARSED_ARGUMENTS)
    ament_core_collected(exports EXPORT_TARGETS)
    if(NOT export IN_LIST exports)
      ament_core_install(EXPORT "${export}" NAMESPACE "${ARG_NAMESPACE}" FILE "${export}Export.cmake"
        DESTINATION "share/${PROJECT_NAME}/cmake")
      ament_core_collect(EXPORT_TARGETS "${export}")
    endif()
  endforeach()
  if(ARG_HAS_LIBRARY_TARGET)
    ament_core_need_library_path_hook()
  endif()
endfunction()
