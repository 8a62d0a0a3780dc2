# Saltus runs no linters: ament_copyright() accepts its arguments and does nothing.
function(ament_copyright)
  message(STATUS "ament_copyright() does nothing: Saltus runs no linters")
endfunction()
