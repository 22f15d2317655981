/* Where files that belong to the library are installed. The loader tells where this code lies, so that an installed tree may be moved. */
#ifndef WADI_BASE_INSTALLED_H
#define WADI_BASE_INSTALLED_H

/* The folders for files that are installed in the folder `wadi` beside the shared library, or in LIBDIR/wadi of the prefix whose program
 * contains this code, and then where wadi was configured to be installed; separated by colons. below: what each path ends with,
 * "" or "/kernels". If the environment variable `named` is set, its value instead. The caller frees it. NULL: out of memory. */
char *wadi_installed_folders(const char *named, const char *below);

#endif
