# Saltus runs no linters: ament_clang_tidy() accepts its arguments and does nothing.
function(ament_clang_tidy)
  message(STATUS "ament_clang_tidy() does nothing: Saltus runs no linters")
endfunction()
