# Libraries that wadi does without where they are not installed.
#
#   wadi_optional(CFITSIO "FITS files" cfitsio)    unless WADI_WITH_CFITSIO is off: CFITSIO_FOUND and PkgConfig::CFITSIO, from
#                                                  the pkg-config modules named
#   wadi_uses(connectors CFITSIO)                  where found: WADI_HAVE_CFITSIO=1 in the code of that folder, which links it
#
# What was found stands in wadi.pc and in the CMake package too, through wadi_optional_targets, WADI_PC_PRIVATE and
# WADI_CONFIG_OPTIONAL (cmake/install.cmake).

macro(wadi_optional name about)
    option(WADI_WITH_${name} "Use ${name} for ${about} where it is installed" ON)
    if(WADI_WITH_${name})
        pkg_check_modules(${name} IMPORTED_TARGET ${ARGN})
    else()
        unset(${name}_FOUND CACHE)
    endif()
    if(${name}_FOUND)
        string(REPLACE ";" " " wadi_optional_modules "${ARGN}")
        list(APPEND wadi_optional_targets PkgConfig::${name})
        string(APPEND WADI_PC_PRIVATE " ${wadi_optional_modules}")
        string(APPEND WADI_CONFIG_OPTIONAL
            "    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${wadi_optional_modules})\n")
    endif()
endmacro()

function(wadi_uses folder name)
    if(${name}_FOUND)
        target_compile_definitions(wadi_${folder} PUBLIC WADI_HAVE_${name}=1)
        target_link_libraries(wadi_${folder} PUBLIC PkgConfig::${name})
    endif()
endfunction()
