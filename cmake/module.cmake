# Modules: shared objects that are loaded when first wanted (base/loadable.h), one for each large library.
#
#   wadi_module(sndfile SNDFILE)    the sources of the calling folder as sndfile.so, if SNDFILE was found
#
# The build tree has the shape of an installed one, LIBDIR/wadi beside the folders of the programs, so uninstalled programs find their
# modules as installed ones do. Each module is an install component of its own, wadi-NAME.

add_custom_target(wadi_modules)

set(WADI_MODULES_FOLDER "${CMAKE_INSTALL_LIBDIR}/wadi")
foreach(folder IN ITEMS apps bench)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
    get_filename_component(up "${folder}/${CMAKE_INSTALL_LIBDIR}" DIRECTORY)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${up}")
    file(CREATE_LINK "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}"
        "${PROJECT_BINARY_DIR}/${folder}/${CMAKE_INSTALL_LIBDIR}" SYMBOLIC)
endforeach()

# A digest of the headers that the library and the modules share.
file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/wadi/*.h" "${PROJECT_SOURCE_DIR}/sched/*.h" "${PROJECT_SOURCE_DIR}/sched/work/*.h"
    "${PROJECT_SOURCE_DIR}/connectors/*.h" "${PROJECT_SOURCE_DIR}/base/loadable.h" "${PROJECT_SOURCE_DIR}/base/vec.h"
    "${PROJECT_SOURCE_DIR}/base/task.h" "${PROJECT_SOURCE_DIR}/base/stop.h" "${PROJECT_SOURCE_DIR}/base/wait.h")
file(RELATIVE_PATH from_bin "/p/${CMAKE_INSTALL_BINDIR}" "/p/${WADI_MODULES_FOLDER}")
set(WADI_LOADABLE_STAMP "${PROJECT_BINARY_DIR}/generated/base/loadable_stamp.h")
add_custom_command(OUTPUT "${WADI_LOADABLE_STAMP}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${WADI_LOADABLE_STAMP}" "-DVERSION=${PROJECT_VERSION}" "-DHEADERS=${headers}"
        "-DFROM_BIN=${from_bin}" "-DINSTALLED=${CMAKE_INSTALL_FULL_LIBDIR}/wadi"
        -P "${PROJECT_SOURCE_DIR}/cmake/stamp.cmake"
    DEPENDS ${headers} "${PROJECT_SOURCE_DIR}/cmake/stamp.cmake"
    COMMENT "Stamping what the library and its modules share"
    VERBATIM)
add_custom_target(wadi_stamp DEPENDS "${WADI_LOADABLE_STAMP}")

function(wadi_module name library)
    if(NOT ${library}_FOUND)
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.c" "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
    add_library(wadi_module_${name} MODULE ${sources})
    set_target_properties(wadi_module_${name} PROPERTIES
        PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${WADI_MODULES_FOLDER}")
    target_link_libraries(wadi_module_${name} PRIVATE wadi_connectors PkgConfig::${library})
    # A module has its own copy of wadi's code: it exports nothing of it, and uses no other copy.
    target_link_options(wadi_module_${name} PRIVATE LINKER:--exclude-libs,ALL LINKER:-Bsymbolic LINKER:--as-needed)
    if(NOT WADI_SANITIZE)
        target_link_options(wadi_module_${name} PRIVATE LINKER:--no-undefined)
    endif()
    add_dependencies(wadi_module_${name} wadi_stamp)
    add_dependencies(wadi_modules wadi_module_${name})
    install(TARGETS wadi_module_${name} LIBRARY DESTINATION "${WADI_MODULES_FOLDER}" COMPONENT wadi-${name})
endfunction()
