# Saltus runs no linters: ament_cppcheck() accepts its arguments and does nothing.
function(ament_cppcheck)
  message(STATUS "ament_cppcheck() does nothing: Saltus runs no linters")
endfunction()
