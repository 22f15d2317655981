/* Asking the loader where this code lies. */
#define _GNU_SOURCE /* dladdr1, secure_getenv */
#include "base/installed.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/loadable_stamp.h"
#include "base/text.h"

enum { PATH_ROOM = 4096 };

/* The file this code was loaded from, and whether it is the program itself. */
static bool own_file(char path[PATH_ROOM], bool *out_is_program) {
    static const char here; /* an object of this file */
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) == 0) return false;
    *out_is_program = map == NULL || map->l_name == NULL || map->l_name[0] == '\0';
    if (*out_is_program) {
        const ssize_t n = readlink("/proc/self/exe", path, PATH_ROOM - 1);
        if (n <= 0) return false;
        path[n] = '\0';
        return true;
    }
    char *real = realpath(map->l_name, NULL);
    const bool fits = real != NULL && strlen(real) < PATH_ROOM;
    if (fits) strcpy(path, real);
    free(real);
    return fits;
}

static void folders(const char *below, wadi_text *t) {
    char own[PATH_ROOM];
    bool is_program = false;
    if (own_file(own, &is_program)) {
        const char *slash = strrchr(own, '/');
        wadi_text_add_n(t, own, slash != NULL ? (size_t)(slash - own) : 0);
        wadi_text_addf(t, "%s%s:", is_program ? WADI_MODULES_FROM_BIN : "/wadi", below);
    }
    wadi_text_addf(t, "%s%s", WADI_MODULES_INSTALLED, below);
}

char *wadi_installed_folders(const char *named, const char *below) {
    const char *own = secure_getenv(named);
    wadi_text t = {0};
    if (own != NULL && *own != '\0')
        wadi_text_add(&t, own);
    else
        folders(below, &t);
    char *out = wadi_text_take(&t);
    wadi_text_fini(&t);
    return out;
}
