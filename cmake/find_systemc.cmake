# SPDX-License-Identifier: Apache-2.0
# SystemC: a config package, then pkg-config, then SYSTEMC_HOME; then a link test, since the library
# links only with objects of the C++ standard it was built with.

include_guard()
include(CheckCXXSourceCompiles)

add_library(chimera_systemc INTERFACE IMPORTED GLOBAL)
find_package(SystemCLanguage CONFIG QUIET)
if(SystemCLanguage_FOUND)
    target_link_libraries(chimera_systemc INTERFACE SystemC::systemc)
else()
    pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET GLOBAL systemc tlm)
    if(SYSTEMC_FOUND)
        target_link_libraries(chimera_systemc INTERFACE PkgConfig::SYSTEMC)
    elseif(DEFINED ENV{SYSTEMC_HOME})
        find_library(SYSTEMC_LIBRARY systemc HINTS $ENV{SYSTEMC_HOME}
            PATH_SUFFIXES lib lib-linux64 REQUIRED)
        target_include_directories(chimera_systemc SYSTEM INTERFACE $ENV{SYSTEMC_HOME}/include)
        target_link_libraries(chimera_systemc INTERFACE ${SYSTEMC_LIBRARY})
    else()
        message(FATAL_ERROR "SystemC not found. On Debian: apt-get install libsystemc-dev. "
            "Elsewhere set SYSTEMC_HOME.")
    endif()
endif()

# libsystemc needs an sc_main, which hw/kernel brings. A program that uses nothing of the kernel gets
# neither, so the library must not be linked for its own sake.
target_link_options(chimera_systemc INTERFACE LINKER:--as-needed)

set(CMAKE_REQUIRED_LIBRARIES chimera_systemc)
set(CMAKE_REQUIRED_FLAGS "-std=c++17")
check_cxx_source_compiles("#include <systemc>
int sc_main(int, char**) { sc_core::sc_event e; return 0; }" CHM_SYSTEMC_LINKS)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT CHM_SYSTEMC_LINKS)
    message(FATAL_ERROR "SystemC was found but does not link. Its library must have been built for "
        "C++17 (an undefined reference to sc_api_version_..._cxx201703L says it was not).")
endif()
