# FreeRTOS and lwIP: the applications over UDP. Their sources are in two crates of Rust's registry.
execute_process(
    COMMAND cargo metadata --format-version 1 --locked --filter-platform x86_64-unknown-linux-gnu
        --manifest-path ${CMAKE_SOURCE_DIR}/sources/Cargo.toml
    OUTPUT_VARIABLE METADATA COMMAND_ERROR_IS_FATAL ANY)
function(find_source crate result)
    string(REGEX MATCH "\"manifest_path\":\"([^\"]*/${crate}-[0-9.]+)/Cargo.toml\"" found "${METADATA}")
    if(NOT found)
        message(FATAL_ERROR "the crate ${crate} was not found")
    endif()
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
find_source(freertos-next KERNEL)
find_source(lwip LWIP)
set(KERNEL ${KERNEL}/FreeRTOS-Kernel)

file(GLOB LWIP_SOURCES ${LWIP}/src/core/*.c ${LWIP}/src/core/ipv4/*.c ${LWIP}/src/api/*.c)
add_library(freertos_lwip STATIC
    ${KERNEL}/tasks.c ${KERNEL}/queue.c ${KERNEL}/list.c
    ${KERNEL}/portable/GCC/ARM_CM4F/port.c ${KERNEL}/portable/MemMang/heap_4.c
    ${LWIP_SOURCES} ${LWIP}/src/netif/ethernet.c ${LWIP}/contrib/ports/freertos/sys_arch.c)
target_include_directories(freertos_lwip SYSTEM PUBLIC
    ${KERNEL}/include ${KERNEL}/portable/GCC/ARM_CM4F ${LWIP}/src/include ${LWIP}/contrib/ports/freertos/include)
target_include_directories(freertos_lwip PUBLIC freertos boards/mps2)
target_link_libraries(freertos_lwip PUBLIC saltus_micro)

foreach(app ${APPS})
    add_executable(${app}_freertos.elf main_freertos.c freertos/ethernet.c ${BOARD_SOURCES}
        ${MICRO}/port/freertos/clock.c ${MICRO}/port/lwip/udp.c ${MICRO}/apps/${app}.c ${MICRO}/apps/common.c)
    target_compile_definitions(${app}_freertos.elf PRIVATE BOARD_HAS_RTOS)
    target_compile_options(${app}_freertos.elf PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)
    target_include_directories(${app}_freertos.elf PRIVATE boards/mps2 ${MICRO}/apps ${MICRO}/port/freertos
        ${MICRO}/port/lwip)
    target_link_libraries(${app}_freertos.elf PRIVATE freertos_lwip)
endforeach()
