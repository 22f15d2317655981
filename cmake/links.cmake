# How tests and benchmarks are linked, which are four hundred programs. Whatever is installed is linked by the compiler's default.

option(WADI_QUICK_LINKER "Link tests and benchmarks with lld where it is installed" OFF)
option(WADI_TESTS_UNLINKED "Tests and benchmarks are only looked at by the compiler, for its warnings: they have no code and cannot run" OFF)

# Whoever names a linker gets it. Objects of an LTO of GCC are nothing that lld knows.
set(wadi_links_with_lld FALSE)
if(WADI_QUICK_LINKER AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT CMAKE_LINKER_TYPE
        AND NOT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_DEBUG} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=|-flto")
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=lld WADI_HAS_LLD)
    set(wadi_links_with_lld ${WADI_HAS_LLD})
endif()

# For a folder and those below it. A macro, since the rules are variables of the folder.
#
# lld takes three fifths of the time of the default of Debian 12. With WADI_TESTS_UNLINKED, empty files stand for objects, libraries and programs.
macro(wadi_links_quickly)
    if(wadi_links_with_lld)
        add_link_options(-fuse-ld=lld)
    endif()
    if(WADI_TESTS_UNLINKED)
        foreach(language C CXX)
            set(CMAKE_${language}_COMPILE_OBJECT
                "<CMAKE_${language}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>" "touch <OBJECT>")
            foreach(rule LINK_EXECUTABLE CREATE_STATIC_LIBRARY CREATE_SHARED_MODULE)
                set(CMAKE_${language}_${rule} "touch <TARGET>")
            endforeach()
        endforeach()
    endif()
endmacro()
