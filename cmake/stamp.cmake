# Run as a script: writes the header with the stamp of base/loadable.h and the folders of modules.
set(all "")
foreach(header IN LISTS HEADERS)
    file(SHA256 "${header}" digest)
    string(APPEND all "${digest}")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING "${digest}" 0 12 digest)
file(WRITE "${OUTPUT}" "/* Generated. */
#ifndef WADI_BASE_LOADABLE_STAMP_H
#define WADI_BASE_LOADABLE_STAMP_H

#define WADI_LOADABLE_STAMP \"${VERSION}-${digest}\"
#define WADI_MODULES_FROM_BIN \"/${FROM_BIN}\"
#define WADI_MODULES_INSTALLED \"${INSTALLED}\"

#endif
")
