# Saltus runs no linters: ament_mypy() accepts its arguments and does nothing.
function(ament_mypy)
  message(STATUS "ament_mypy() does nothing: Saltus runs no linters")
endfunction()
