# Saltus runs no linters: ament_clang_format() accepts its arguments and does nothing.
function(ament_clang_format)
  message(STATUS "ament_clang_format() does nothing: Saltus runs no linters")
endfunction()
