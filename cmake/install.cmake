# libwadi, shared and static, from the objects of all folders, and what `cmake --install` installs: headers, both libraries, the
# programs, wadi.pc and the CMake package. find_package(wadi COMPONENTS static) finds the static library. Only that one needs the
# development files of wadi's own dependencies.

include(CMakePackageConfigHelpers)

set(folders base graph operators codegen sched connectors exe)
set(objects ${folders})
list(APPEND objects gpu_texts)
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:wadi_\\1>")
set(dependencies Threads::Threads PkgConfig::SODIUM ${CMAKE_DL_LIBS} m)

function(wadi_library target kind export_name)
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME wadi EXPORT_NAME ${export_name} LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}" # beside the modules
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_include_directories(${target} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/generated>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${target} PRIVATE ${dependencies})
    if(WADI_SANITIZE)
        target_link_options(${target} PRIVATE -fsanitize=${WADI_SANITIZE})
    endif()
    install(TARGETS ${target} EXPORT ${target}-targets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

wadi_library(wadi_shared SHARED wadi)
wadi_library(wadi_static STATIC wadi_static)
if(NOT WADI_SANITIZE) # whose runtime the program brings
    target_link_options(wadi_shared PRIVATE LINKER:--no-undefined)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/wadi")
configure_package_config_file(cmake/wadi-config.cmake.in "${PROJECT_BINARY_DIR}/wadi-config.cmake"
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/wadi-config-version.cmake"
    COMPATIBILITY SameMinorVersion)

# The installed tree may be moved: the prefix is given relative to the file.
file(RELATIVE_PATH WADI_PC_UP "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file(cmake/wadi.pc.in "${PROJECT_BINARY_DIR}/wadi.pc" @ONLY)

install(DIRECTORY include/wadi DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/generated/wadi/lang_places.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/wadi")
install(EXPORT wadi_shared-targets NAMESPACE wadi:: DESTINATION "${package_dir}")
install(EXPORT wadi_static-targets NAMESPACE wadi:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/wadi-config.cmake" "${PROJECT_BINARY_DIR}/wadi-config-version.cmake" cmake/wadi-kernels.cmake
    DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/wadi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
