# Run as a script: writes the header with the stamp of the compiler, a version and a digest of all sources that decide which kernels are
# made of a program and how. The file is left alone where nothing has changed.
set(all "")
set(folders graph operators codegen sched)
foreach(folder IN LISTS folders)
    file(GLOB_RECURSE sources "${SOURCE}/${folder}/*.c" "${SOURCE}/${folder}/*.h" "${SOURCE}/${folder}/*.def")
    list(SORT sources)
    foreach(source IN LISTS sources)
        file(SHA256 "${source}" digest)
        string(APPEND all "${digest}")
    endforeach()
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING "${digest}" 0 16 digest)
set(text "/* Generated. */
#ifndef WADI_CODEGEN_COMPILER_STAMP_H
#define WADI_CODEGEN_COMPILER_STAMP_H

#define WADI_COMPILER_STAMP \"${VERSION}-${digest}\"

#endif
")
file(WRITE "${OUTPUT}" "${text}")
