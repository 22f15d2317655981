# Libraries that wadi uses if they are installed.
#
#   wadi_optional(CFITSIO "FITS files" cfitsio)    unless WADI_WITH_CFITSIO is off: CFITSIO_FOUND and PkgConfig::CFITSIO, from
#                                                  the pkg-config modules named
#   wadi_uses(wadi_md5_parts ZLIB)                 if found: WADI_HAVE_ZLIB=1 in the code of that target, which links it
#
# libwadi itself links none of them: it loads modules that do (cmake/module.cmake). Programs and tests may link them.

macro(wadi_optional name about)
    option(WADI_WITH_${name} "Use ${name} for ${about} where it is installed" ON)
    if(WADI_WITH_${name})
        pkg_check_modules(${name} IMPORTED_TARGET ${ARGN})
    else()
        unset(${name}_FOUND CACHE)
    endif()
endmacro()

function(wadi_uses target)
    foreach(name IN LISTS ARGN)
        if(${name}_FOUND)
            target_compile_definitions(${target} PUBLIC WADI_HAVE_${name}=1)
            target_link_libraries(${target} PUBLIC PkgConfig::${name})
        endif()
    endforeach()
endfunction()
