# Finds SDL2 of the system. Defines SDL2::SDL2. Packages of joysticks also call find_package(sdl2_custom).
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
find_package(SDL2 QUIET CONFIG)
ament_core_system_library(SDL2::SDL2 _sdl2_vendor_ok HEADER SDL.h LIBRARIES SDL2 PATH_SUFFIXES SDL2)
ament_core_report_library(sdl2_vendor libsdl2-dev SDL2::SDL2)
ament_core_use_modules("${CMAKE_CURRENT_LIST_DIR}/modules")
