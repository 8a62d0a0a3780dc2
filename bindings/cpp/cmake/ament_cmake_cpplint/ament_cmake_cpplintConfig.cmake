# Saltus runs no linters: ament_cpplint() accepts its arguments and does nothing.
function(ament_cpplint)
  message(STATUS "ament_cpplint() does nothing: Saltus runs no linters")
endfunction()
