# find_package(sdl2_custom): another name for what sdl2_vendor finds.
set(sdl2_custom_FOUND ${sdl2_vendor_FOUND})
set(sdl2_custom_LIBRARIES ${sdl2_vendor_LIBRARIES})
set(sdl2_custom_TARGETS ${sdl2_vendor_TARGETS})
set(sdl2_custom_INCLUDE_DIRS ${sdl2_vendor_INCLUDE_DIRS})
