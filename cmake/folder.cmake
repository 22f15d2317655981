# One library target per folder; the list of what it links is the dependency rule of the architecture.
#
#   wadi_folder(graph LINKS wadi_base)
#
# makes wadi_graph, a static library with position independent code from every .c file below the calling folder, so that a new
# file needs no edit here. A folder without sources yet gets an empty object.

# For scripts/mutate: a changed file then relinks one folder, not every program.
option(WADI_SHARED_FOLDERS "Folders as shared libraries; nothing of this is for installing" OFF)

function(wadi_folder name)
    cmake_parse_arguments(FOLDER "" "" "LINKS;EXTRA_SOURCES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.c")
    list(APPEND sources ${FOLDER_EXTRA_SOURCES})
    if(NOT sources)
        set(sources "${CMAKE_CURRENT_BINARY_DIR}/empty_${name}.c")
        file(CONFIGURE OUTPUT "${sources}" CONTENT "typedef int wadi_${name}_is_empty;\n")
    endif()
    if(WADI_SHARED_FOLDERS)
        add_library(wadi_${name} SHARED ${sources})
        set_target_properties(wadi_${name} PROPERTIES C_VISIBILITY_PRESET default
            LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}") # beside the modules
    else()
        add_library(wadi_${name} STATIC ${sources})
    endif()
    set_target_properties(wadi_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(wadi_${name} PUBLIC wadi_flags ${FOLDER_LINKS})
endfunction()

# A program from all .c files below the calling folder; nothing if there are none.
function(wadi_program target)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.c")
    if(NOT sources)
        return()
    endif()
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE wadi_exe)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# wadi_left_out(NAME OUT): whether WADI_TESTS_LEFT_OUT says that this test, as folder/name, is left out.
function(wadi_left_out name out)
    set(${out} OFF PARENT_SCOPE)
    if(NOT WADI_TESTS_LEFT_OUT STREQUAL "" AND name MATCHES "${WADI_TESTS_LEFT_OUT}")
        set(${out} ON PARENT_SCOPE)
    endif()
endfunction()
