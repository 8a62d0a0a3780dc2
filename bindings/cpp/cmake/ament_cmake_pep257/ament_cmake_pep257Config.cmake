# Saltus runs no linters: ament_pep257() accepts its arguments and does nothing.
function(ament_pep257)
  message(STATUS "ament_pep257() does nothing: Saltus runs no linters")
endfunction()
