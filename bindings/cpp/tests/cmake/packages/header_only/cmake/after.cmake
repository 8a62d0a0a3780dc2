# Runs after the exports of the package.
if(NOT TARGET header_only::header_only OR NOT header_only_TARGETS OR NOT header_only_INCLUDE_DIRS)
  message(FATAL_ERROR "CONFIG_EXTRAS_POST ran before the exports")
endif()
