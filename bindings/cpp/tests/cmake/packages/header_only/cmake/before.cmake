# Runs before the exports of the package.
if(TARGET header_only::header_only)
  message(FATAL_ERROR "CONFIG_EXTRAS ran after the exports")
endif()
file(READ "${header_only_DIR}/data/file.txt" header_only_DATA)
macro(header_only_command)
  set(header_only_CALLED TRUE)
endmacro()
