/* wadi version: the version, the libraries it was built with, its devices and targets, and the compiler it finds. As an option, --version, it
 * tells the version alone, and loads nothing. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loadable.h"
#include "base/user_cache.h"
#include "cli/command.h"
#include "codegen/build/cc.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "sched/transport/zmq/port.h"

/* Prints each module with the version and the licence of its library, or why it is missing. */
static void print_modules(void) {
    char *folders = wadi_loadable_folders();
    for (const wadi_loadable_row *r = wadi_loadables; r->name != NULL; r++) {
        const wadi_loadable *m = NULL;
        wadi_error err = {0};
        const wadi_status st = wadi_loadable_open(r->name, &m, &err);
        if (st == WADI_OK)
            printf("  module        %-9s %s: %s (%s)\n", r->name, r->about, m->version(),
                   m->licence);
        else if (st == WADI_UNSUPPORTED)
            printf("  module        %-9s %s: not installed (package wadi-%s)\n", r->name, r->about,
                   r->name);
        else
            printf("  module        %-9s %s: %s\n", r->name, r->about, err.msg);
    }
    printf("  modules from  %s\n", folders != NULL ? folders : "?");
    free(folders);
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_version, "unexpected \"%s\"", argv[1]);
    int zmq[3];
    printf("wadi %s (MIT)\n", WADI_VERSION);
    if (strcmp(argv[0], "--version") == 0) return WADI_CLI_OK;
    wadi_zmq_version(zmq);
    if (zmq[0] > 0)
        printf("  messages      libzmq %d.%d.%d (MPL-2.0 or LGPL-3.0 with exception)\n", zmq[0],
               zmq[1], zmq[2]);
    else
        printf("  messages      libzmq is not installed: there are no links\n");
    printf("  digests       libsodium %s (ISC)\n", sodium_version_string());
    print_modules();
    wadi_error err = {0};
    const wadi_target *target = NULL;
    wadi_image_builder cc;
    char words[256];
    if (wadi_target_find(NULL, &target, &err) == WADI_OK &&
        wadi_cc_find(target, &cc, &err) == WADI_OK &&
        wadi_cc_version(&cc, words, sizeof words, &err) == WADI_OK)
        printf("  compiler      %s (%s)\n", cc.path, words);
    else
        printf("  compiler      none: %s\n", err.msg);
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++)
        printf("  device        %-9s %s (kernels in %s)\n", d->name, d->about, d->language);
    for (const wadi_target *t = wadi_targets; t->name != NULL; t++)
        printf("  target        %-9s %s (%s)\n", t->name, t->about, t->language->name);
    char directory[1024];
    if (wadi_user_cache(directory, sizeof directory, &err) == WADI_OK)
        printf("  kernel cache  %s\n", directory);
    else
        printf("  kernel cache  none: %s\n", err.msg);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_version = {
    "version", "", "shows the version, and what it was built with", NULL, run};
