# SPDX-License-Identifier: Apache-2.0
# What `make install` gives to others: the header, one shared library, the command, the shipped
# platforms and programs, and descriptions for CMake and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library shows what the public headers declare, and sc_main, which libsystemc asks its user
# for. The list comes from the headers themselves.
set(chimera_headers ${CMAKE_CURRENT_SOURCE_DIR}/include/chimera.h)
set(status_header ${PROJECT_SOURCE_DIR}/hw/base/status.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${chimera_headers} ${status_header})
set(symbols "sc_main")
foreach(header ${chimera_headers} ${status_header})
    file(READ ${header} text)
    string(REGEX MATCHALL "chm_[a-z0-9_]+\\(" calls "${text}")
    string(REPLACE "(" "" calls "${calls}")
    list(APPEND symbols ${calls})
endforeach()
list(REMOVE_DUPLICATES symbols)
set(lines "")
foreach(symbol ${symbols})
    string(APPEND lines "    ${symbol};\n")
endforeach()
set(version_script ${CMAKE_CURRENT_BINARY_DIR}/chimera.map)
file(CONFIGURE OUTPUT ${version_script}
    CONTENT "{\nglobal:\n@lines@local:\n    *;\n};\n" @ONLY)

# Compiled apart from chimera_api: it knows no source tree, it finds its data beside itself.
add_library(chimera_shared SHARED ${sources_of_api})
target_link_libraries(chimera_shared PRIVATE chimera_traces chimera_platforms chimera_die
    chimera_fabric)
target_include_directories(chimera_shared
    PRIVATE include
    INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/chimera>)
target_compile_definitions(chimera_shared PRIVATE CHM_VERSION="${PROJECT_VERSION}")
target_link_options(chimera_shared PRIVATE LINKER:--version-script=${version_script}
    LINKER:-u,sc_main)
set_target_properties(chimera_shared PROPERTIES OUTPUT_NAME chimera EXPORT_NAME chimera
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${version_script} C_VISIBILITY_PRESET default)

install(TARGETS chimera_shared EXPORT chimera-targets)
install(TARGETS chimera)
install(FILES ${chimera_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chimera)
install(FILES ${status_header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chimera/hw/base)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms ${PROJECT_SOURCE_DIR}/traces
    DESTINATION ${CMAKE_INSTALL_DATADIR}/chimera FILES_MATCHING PATTERN *.yaml)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/chimera)
install(EXPORT chimera-targets FILE chimera-config.cmake NAMESPACE chimera::
    DESTINATION ${package_dir})
write_basic_package_version_file(chimera-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/chimera-config-version.cmake DESTINATION ${package_dir})

# The tree may be moved: paths start at the file.
file(RELATIVE_PATH up_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(chimera.pc.in chimera.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/chimera.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
