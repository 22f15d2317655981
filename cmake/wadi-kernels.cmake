# Kernels made when a program is built, so that it starts without a compiler (include/wadi/kernels.h).
#
#   wadi_add_kernels(NAME
#       [PROGRAMS a.wadi ..]           programs as text
#       [RUN command argument ..]      a run of a program that makes its own by calls: whatever it compiles is recorded. The command may
#                                      be the name of a target
#       [TARGETS x86-64-v3 ..]         by default x86-64-v2, v3 and v4, on ARM armv8-a
#       [OUTPUT file]                  by default NAME.kernels in the current build folder
#       [DEPENDS file-or-target ..]    what the run needs besides
#       [DESTINATION folder]           where it is installed
#       [EXCLUDE_FROM_ALL])
#
# makes the target NAME, which makes the bundle. A program names it by wadi_kernels_use or finds it where WADI_KERNELS says.
function(wadi_add_kernels name)
    cmake_parse_arguments(KERNELS "EXCLUDE_FROM_ALL" "OUTPUT;DESTINATION" "PROGRAMS;RUN;TARGETS;DEPENDS" ${ARGN})
    if(KERNELS_UNPARSED_ARGUMENTS OR NOT (KERNELS_PROGRAMS OR KERNELS_RUN))
        message(FATAL_ERROR "wadi_add_kernels(${name}): PROGRAMS or RUN is needed, and nothing unknown: ${KERNELS_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT KERNELS_OUTPUT)
        set(KERNELS_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels")
    endif()
    set(tool "${WADI_COMMAND}")
    if(TARGET wadi) # in wadi's own build
        set(tool "$<TARGET_FILE:wadi>")
    endif()
    string(REPLACE ";" "," targets "${KERNELS_TARGETS}")
    set(commands COMMAND "${CMAKE_COMMAND}" -E rm -f "${KERNELS_OUTPUT}")
    set(needs ${KERNELS_DEPENDS})
    if(KERNELS_PROGRAMS)
        set(programs)
        foreach(program IN LISTS KERNELS_PROGRAMS)
            get_filename_component(program "${program}" ABSOLUTE)
            list(APPEND programs "${program}")
        endforeach()
        list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E env "WADI_BUILD_TARGETS=${targets}" "${tool}" build ${programs}
            -o "${KERNELS_OUTPUT}")
        list(APPEND needs ${programs})
        if(TARGET wadi)
            list(APPEND needs wadi)
        endif()
    endif()
    if(KERNELS_RUN)
        list(POP_FRONT KERNELS_RUN run)
        if(TARGET "${run}")
            list(APPEND needs "${run}")
            set(run "$<TARGET_FILE:${run}>")
        endif()
        list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E env "WADI_BUILD_KERNELS=${KERNELS_OUTPUT}" "WADI_BUILD_TARGETS=${targets}"
            "WADI_LEARN=off" "WADI_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/${name}-cache" "${run}" ${KERNELS_RUN})
    endif()
    add_custom_command(OUTPUT "${KERNELS_OUTPUT}" ${commands} DEPENDS ${needs} VERBATIM
        COMMENT "Making the kernels of ${name}")
    set(all ALL)
    if(KERNELS_EXCLUDE_FROM_ALL)
        set(all)
    endif()
    add_custom_target(${name} ${all} DEPENDS "${KERNELS_OUTPUT}")
    if(KERNELS_DESTINATION)
        install(FILES "${KERNELS_OUTPUT}" DESTINATION "${KERNELS_DESTINATION}")
    endif()
endfunction()
