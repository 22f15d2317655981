# The kernels of the applications, made when wadi is built and installed with it, so that the applications need no compiler. That takes
# minutes, so builds for development leave it out.

set(kernels_wanted OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT WADI_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    set(kernels_wanted ON)
endif()
option(WADI_KERNELS "Make the applications' kernels when wadi is built, and install them" ${kernels_wanted})

# They lie where programs of the build tree do not look: those compile for their own processor.
function(wadi_application_kernels program folder)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/kernels")
    wadi_add_kernels(${program}-kernels
        RUN sh "${PROJECT_SOURCE_DIR}/apps/${folder}/kernels.sh" "$<TARGET_FILE:${program}>"
        OUTPUT "${PROJECT_BINARY_DIR}/kernels/${program}.kernels"
        DEPENDS ${program} "${PROJECT_SOURCE_DIR}/apps/${folder}/kernels.sh"
        DESTINATION "${WADI_MODULES_FOLDER}/kernels")
endfunction()

if(WADI_KERNELS)
    wadi_application_kernels(wadi-flac audio)
    wadi_application_kernels(wadi-md5 md5)
    if(CFITSIO_FOUND) # it writes images
        wadi_application_kernels(wadi-grid gridding)
    endif()
endif()
