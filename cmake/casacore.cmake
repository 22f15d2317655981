# casacore is a C++ library. It is used only if there is a C++ compiler, and only then is C++ enabled. Only its libraries for tables are
# linked; pkg-config would name all of them, even the one for Python.

include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    wadi_optional(CASACORE "Measurement Sets" casacore)
endif()
if(CMAKE_CXX_COMPILER AND CASACORE_FOUND)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)
    get_target_property(wadi_casacore PkgConfig::CASACORE INTERFACE_LINK_LIBRARIES)
    list(FILTER wadi_casacore INCLUDE REGEX "casa_(tables|casa)")
    set_target_properties(PkgConfig::CASACORE PROPERTIES INTERFACE_LINK_LIBRARIES "${wadi_casacore};stdc++")
endif()
