/* Finding, loading and checking modules. */
#include "base/loadable.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/installed.h"
#include "base/loadable_stamp.h"

const wadi_loadable_row wadi_loadables[] = {
    {"sndfile", "libsndfile", "recorded sound"},
    {"fftw", "FFTW", "Fourier transforms; without it the language's own"},
    {"cfitsio", "CFITSIO", "visibilities and images in FITS"},
    {"hdf5", "HDF5", "visibilities in uvh5"},
    {"casacore", "casacore", "visibilities in Measurement Sets"},
    {"png", "libpng", "pictures"},
    {"zlib", "zlib", "text compressed with gzip"},
    {"nats", "libnats", "work on other machines, and streams of messages, kept by a NATS server"},
    {"http", "libmicrohttpd", "a page that shows runs (--http)"},
    {0},
};

enum { ROWS = sizeof wadi_loadables / sizeof *wadi_loadables, PATH_ROOM = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const wadi_loadable *loaded[ROWS];

char *wadi_loadable_folders(void) {
    return wadi_installed_folders("WADI_MODULES", "");
}

/* ---- loading ---- */

/* Where the file of the module is. out_path is empty if it is in none of the folders. */
static void find_file(const char *name, const char *all, char out_path[PATH_ROOM]) {
    for (const char *at = all; *at != '\0';) {
        const size_t n = strcspn(at, ":");
        if (n > 0 && n + strlen(name) + 5 < PATH_ROOM) {
            memcpy(out_path, at, n);
            out_path[n] = '\0';
            strcat(strcat(strcat(out_path, "/"), name), ".so");
            if (access(out_path, F_OK) == 0) return;
        }
        at += n + (at[n] == ':');
    }
    out_path[0] = '\0';
}

static wadi_status load(const wadi_loadable_row *row, const char *path, const wadi_loadable **out,
                        wadi_error *err) {
    wadi_dl object = {0};
    void *stamp = NULL, *face = NULL;
    wadi_error why = {0};
    wadi_status st = wadi_dl_open(&object, path, &why);
    if (st == WADI_OK) st = wadi_dl_symbol(&object, "wadi_loadable_stamp", &stamp, &why);
    if (st == WADI_OK) st = wadi_dl_symbol(&object, "wadi_loadable_face", &face, &why);
    if (st == WADI_OK && strcmp(stamp, WADI_LOADABLE_STAMP) != 0) {
        st =
            wadi_fail(&why, WADI_IO,
                      "%s belongs to another wadi: it is of %.60s, this is %s; install the package "
                      "wadi-%s of this version",
                      path, (const char *)stamp, WADI_LOADABLE_STAMP, row->name);
    }
    if (st != WADI_OK) {
        wadi_dl_close(&object);
        return wadi_fail(err, WADI_IO, "the module \"%s\": %.450s", row->name, why.msg);
    }
    const wadi_loadable *m = face;
    m->adopt(wadi_task_share());
    *out = m; /* the object stays open */
    return WADI_OK;
}

static wadi_status find_and_load(const wadi_loadable_row *row, const wadi_loadable **out,
                                 wadi_error *err) {
    char path[PATH_ROOM];
    char *all = wadi_loadable_folders();
    if (all == NULL) return wadi_fail(err, WADI_MEMORY, "module \"%s\": out of memory", row->name);
    find_file(row->name, all, path);
    const wadi_status st =
        path[0] != '\0'
            ? load(row, path, out, err)
            : wadi_fail(err, WADI_UNSUPPORTED,
                        "this needs %s, through the module \"%s\", which is not installed (package "
                        "wadi-%s; no %s.so in %.300s)",
                        row->library, row->name, row->name, row->name, all);
    free(all);
    return st;
}

wadi_status wadi_loadable_open(const char *name, const wadi_loadable **out, wadi_error *err) {
    size_t i = 0;
    while (i + 1 < ROWS && strcmp(wadi_loadables[i].name, name) != 0) i++;
    if (i + 1 == ROWS) return wadi_fail(err, WADI_UNSUPPORTED, "there is no module \"%s\"", name);
    (void)pthread_mutex_lock(&lock);
    wadi_status st = WADI_OK;
    if (loaded[i] == NULL) st = find_and_load(&wadi_loadables[i], &loaded[i], err);
    *out = loaded[i];
    (void)pthread_mutex_unlock(&lock);
    return st;
}

wadi_status wadi_loadable_get(const char *name, const char *what, const void **out,
                              wadi_error *err) {
    const wadi_loadable *m = NULL;
    WADI_TRY(wadi_loadable_open(name, &m, err));
    for (const wadi_loadable_offer *o = m->offers; o->what != NULL; o++) {
        if (strcmp(o->what, what) != 0) continue;
        *out = o->ops;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_UNSUPPORTED, "the module \"%s\" has no \"%s\"", name, what);
}
