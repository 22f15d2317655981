/* Modules: shared objects that contain a part of wadi which needs a large library. They are loaded when first needed, so a
 * program that needs none of them neither loads nor requires those libraries.
 *
 * A module is one file NAME.so. It is looked for in the folder `wadi` beside the shared library, or in LIBDIR/wadi of the
 * prefix whose program contains this code, and then where wadi was configured to be installed. If $WADI_MODULES is set, only
 * its folders (separated by colons) are searched. The first file of that name is used. It stays loaded until the process ends.
 *
 * A module has its own copy of the code of wadi that it uses, and nothing of the host's code. So the same module serves the
 * shared library, the static library and programs that are not installed. Only tables of functions and structs pass between
 * the two, so both must be compiled with the same headers. The stamp, a version and a digest of those headers, shows whether
 * they were.
 *
 * All functions are thread-safe. */
#ifndef WADI_BASE_LOADABLE_H
#define WADI_BASE_LOADABLE_H

#include "base/task.h"
#include "wadi/status.h"

/* What a module offers: a table of functions, whose type follows from its name. connectors/offers.h and sched/foreign.h list them. */
typedef struct wadi_loadable_offer {
    const char *what; /* "visibilities" */
    const void *ops;
} wadi_loadable_offer;

/* A module exports two symbols: the text wadi_loadable_stamp, and one of these, wadi_loadable_face. */
typedef struct wadi_loadable {
    const char *licence;               /* of the library, as SPDX writes it */
    const char *(*version)(void);      /* of the library, as it tells it */
    const wadi_loadable_offer *offers; /* ended by one without a name */
    void (*adopt)(
        wadi_task_place host); /* makes the module's copy of base/task.h use the host's tasks */
} wadi_loadable;

/* A module that this version knows. To add one, add a row to wadi_loadables and a folder in modules/. */
typedef struct wadi_loadable_row {
    const char *name;    /* of the file, and of its package, wadi-NAME */
    const char *library; /* "libsndfile" */
    const char *about;   /* what it is for */
} wadi_loadable_row;

/* Ended by a row without a name. */
extern const wadi_loadable_row wadi_loadables[];

/* Errors: WADI_UNSUPPORTED (not installed; the message names library and package), WADI_IO (installed, but it cannot be loaded or
 * belongs to another version of wadi), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_loadable_open(const char *name, const wadi_loadable **out,
                                              wadi_error *err);
/* The table of functions that the module offers by the name `what`. Errors: the same, and WADI_UNSUPPORTED if it has no such table. */
WADI_NODISCARD wadi_status wadi_loadable_get(const char *name, const char *what, const void **out,
                                             wadi_error *err);

/* The folders that are looked into, separated by colons; the caller frees it. NULL: out of memory. */
char *wadi_loadable_folders(void);

#endif
