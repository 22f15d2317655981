# The macros that note the file and line of builder calls, made from the headers that declare the functions, so that a new
# function needs no edit but its declaration (docs/decisions/0038-places-are-generated.md).
#
#   wadi_places(OUTPUT <build>/generated/wadi/lang_places.h FROM include/wadi/lang.h ..)
#
# writes a macro for each declared function that returns an expression, an array, a sequence, an eater or an index, and for those that
# take one and return nothing. The file is written when CMake configures, which it does again whenever one of the headers changes.

function(wadi_places)
    cmake_parse_arguments(PLACES "" "OUTPUT" "FROM" ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PLACES_FROM})
    set(macros "")
    foreach(header IN LISTS PLACES_FROM)
        file(READ "${header}" text)
        string(REGEX MATCHALL "\n(void|wadi_(exp|acc|seq|eat|ix))[ \n]+wadi_[a-z0-9_]+\\([^;]*" calls "${text}")
        foreach(call IN LISTS calls)
            string(REGEX MATCH "^\n([a-z_]+)[ \n]+(wadi_[a-z0-9_]+)\\((.*)" whole "${call}")
            set(type "${CMAKE_MATCH_1}")
            set(name "${CMAKE_MATCH_2}")
            set(rest "${CMAKE_MATCH_3}")
            if(name MATCHES "_here$|^wadi_ix[0-9]$")
                continue() # what the macros call; and an index of so many expressions, which is no node
            elseif(NOT type STREQUAL "void")
                string(APPEND macros "#define ${name}(...) ${type}_here(${name}(__VA_ARGS__), __FILE__, __LINE__)\n")
            elseif(rest MATCHES "wadi_(exp|acc|seq|eat|ix) ")
                string(APPEND macros "#define ${name}(...) (${name}(__VA_ARGS__), wadi_here(__FILE__, __LINE__))\n")
            endif()
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${PLACES_OUTPUT}" @ONLY CONTENT
"/* Made by cmake/places.cmake: each macro notes the file and line of the call in the nodes it made. See wadi/lang.h.
 * A C compiler does not expand a macro inside itself, so the inner name is the function. */
#ifndef WADI_LANG_PLACES_H
#define WADI_LANG_PLACES_H

${macros}
#endif
")
endfunction()
