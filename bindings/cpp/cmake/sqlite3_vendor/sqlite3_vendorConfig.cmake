# Finds SQLite of the system: packages call find_package(SQLite3) after this, and link SQLite::SQLite3.
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/system_library.cmake")
find_package(SQLite3 QUIET)
ament_core_report_library(sqlite3_vendor libsqlite3-dev SQLite::SQLite3)
