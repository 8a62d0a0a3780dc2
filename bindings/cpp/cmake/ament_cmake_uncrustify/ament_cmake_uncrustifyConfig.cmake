# Saltus runs no linters: ament_uncrustify() accepts its arguments and does nothing.
function(ament_uncrustify)
  message(STATUS "ament_uncrustify() does nothing: Saltus runs no linters")
endfunction()
