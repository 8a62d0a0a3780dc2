# Saltus runs no linters: ament_lint_cmake() accepts its arguments and does nothing.
function(ament_lint_cmake)
  message(STATUS "ament_lint_cmake() does nothing: Saltus runs no linters")
endfunction()
