# SPDX-License-Identifier: Apache-2.0
# One target per folder: chm_add_library(chimera_golden DEPENDS chimera_base).

include_guard()

add_library(chimera_options INTERFACE)
target_include_directories(chimera_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(chimera_options INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(CHM_FUZZ)
    target_compile_options(chimera_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CHM_SANITIZE)
    target_compile_options(chimera_options INTERFACE -fsanitize=address,undefined
        -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(chimera_options INTERFACE -fsanitize=address,undefined)
endif()

function(chm_add_library name)
    cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c
        ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    if(NOT sources)
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE chimera_options ${ARG_DEPENDS})
        return()
    endif()
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC chimera_options ${ARG_DEPENDS})
endfunction()
