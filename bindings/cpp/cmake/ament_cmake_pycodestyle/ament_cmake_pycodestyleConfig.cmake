# Saltus runs no linters: ament_pycodestyle() accepts its arguments and does nothing.
function(ament_pycodestyle)
  message(STATUS "ament_pycodestyle() does nothing: Saltus runs no linters")
endfunction()
