# class_loader_hide_library_symbols(target): keeps the symbols of the static libraries in a library of plugins to itself, so that
# two libraries of plugins may have different versions of one.
function(class_loader_hide_library_symbols target)
  target_link_options(${target} PRIVATE "LINKER:--exclude-libs,ALL")
endfunction()
