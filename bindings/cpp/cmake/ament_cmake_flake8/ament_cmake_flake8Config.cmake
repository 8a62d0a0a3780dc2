# Saltus runs no linters: ament_flake8() accepts its arguments and does nothing.
function(ament_flake8)
  message(STATUS "ament_flake8() does nothing: Saltus runs no linters")
endfunction()
