# Text files as C arrays, so that one .h file is both compiled and pasted into generated kernels.
#
#   wadi_embed(out_sources HEADER codegen/rt_embed.h FILES a/scalar.h b/kernel.h)
#
# declares `extern const char wadi_embed_scalar[];` (NUL-terminated) in <build>/generated/codegen/rt_embed.h and sets
# out_sources to the C file that defines it. The file is made again whenever a text changes. Run as a script (cmake -P) this
# same file does the work.

if(CMAKE_SCRIPT_MODE_FILE)
    set(definitions "/* Generated from the named files. */\n#include \"${HEADER}\"\ntypedef int wadi_embed_source; /* never an empty file */\n")
    foreach(text_file IN LISTS FILES)
        get_filename_component(stem "${text_file}" NAME_WE)
        string(MAKE_C_IDENTIFIER "${stem}" stem)
        file(READ "${text_file}" bytes HEX)
        string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
        string(REGEX REPLACE "(('....',)('....',)('....',)('....',)('....',)('....',)('....',)('....',))" "\\1\n    " bytes "${bytes}")
        string(APPEND definitions "\nconst char wadi_embed_${stem}[] = {\n    ${bytes}0};\n")
    endforeach()
    file(WRITE "${OUTPUT}" "${definitions}")
    return()
endif()

set(WADI_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(wadi_embed out_sources)
    cmake_parse_arguments(EMBED "" "HEADER" "FILES" ${ARGN})
    string(MAKE_C_IDENTIFIER "${EMBED_HEADER}" guard)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${guard}.c")
    set(declarations "/* Generated: the texts of files, NUL-terminated. */\n#ifndef WADI_${guard}\n#define WADI_${guard}\n\n")
    foreach(text_file IN LISTS EMBED_FILES)
        get_filename_component(stem "${text_file}" NAME_WE)
        string(MAKE_C_IDENTIFIER "${stem}" stem)
        string(APPEND declarations "extern const char wadi_embed_${stem}[];\n")
    endforeach()
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${EMBED_HEADER}" CONTENT "${declarations}\n#endif\n" @ONLY)
    add_custom_command(
        OUTPUT "${source}"
        COMMAND "${CMAKE_COMMAND}" "-DHEADER=${EMBED_HEADER}" "-DOUTPUT=${source}" "-DFILES=${EMBED_FILES}" -P "${WADI_EMBED_SCRIPT}"
        DEPENDS ${EMBED_FILES} "${WADI_EMBED_SCRIPT}"
        COMMENT "Embedding texts for ${EMBED_HEADER}"
        VERBATIM)
    set(${out_sources} "${source}" PARENT_SCOPE)
endfunction()
