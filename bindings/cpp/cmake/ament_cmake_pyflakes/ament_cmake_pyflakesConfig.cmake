# Saltus runs no linters: ament_pyflakes() accepts its arguments and does nothing.
function(ament_pyflakes)
  message(STATUS "ament_pyflakes() does nothing: Saltus runs no linters")
endfunction()
