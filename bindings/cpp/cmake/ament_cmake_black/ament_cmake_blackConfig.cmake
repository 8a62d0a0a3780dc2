# Saltus runs no linters: ament_black() accepts its arguments and does nothing.
function(ament_black)
  message(STATUS "ament_black() does nothing: Saltus runs no linters")
endfunction()
