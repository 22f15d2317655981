/* wadi kernels: what bundles of kernels hold, and whether this wadi on this machine can use it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "codegen/build/bundles.h"
#include "codegen/targets.h"

/* What a row says after the target. */
static const char *use_of(const wadi_bundle_entry *e) {
    const wadi_target *t = NULL;
    if (wadi_target_named(e->target, &t, NULL) != WADI_OK) return "for a device";
    if (t->language != wadi_targets[0].language) return "for a device";
    return wadi_target_fits(t, NULL) == WADI_OK ? "fits" : "not for this processor";
}

/* By label, then by target. */
static int by_label(const void *a, const void *b) {
    const wadi_bundle_entry *x = *(const wadi_bundle_entry *const *)a,
                            *y = *(const wadi_bundle_entry *const *)b;
    const int order = strcmp(x->label, y->label);
    return order != 0 ? order : strcmp(x->target, y->target);
}

static void print_rows(const wadi_bundle *b) {
    const size_t n = wadi_bundle_count(b);
    const wadi_bundle_entry **row = calloc(n + 1, sizeof *row);
    for (size_t i = 0; row != NULL && i < n; i++) row[i] = wadi_bundle_at(b, i);
    if (row != NULL) qsort(row, n, sizeof *row, by_label);
    for (size_t i = 0; row != NULL && i < n; i++)
        if (row[i]->target[0] != '\0')
            printf("  %-10s %-22s %8llu bytes  %s\n", row[i]->target, use_of(row[i]),
                   (unsigned long long)row[i]->size, row[i]->label);
    free(row);
}

static void tell(void *env, const char *path, const wadi_bundle *b, const char *why) {
    const bool rows = *(const bool *)env;
    if (b == NULL) {
        printf("%s\n", why);
        return;
    }
    size_t images = 0;
    for (size_t i = 0; i < wadi_bundle_count(b); i++)
        images += wadi_bundle_at(b, i)->target[0] != 0;
    printf("%s: %zu images, of this wadi\n", path, images);
    if (rows) print_rows(b);
}

static int show(const char *path) {
    wadi_bundle *b = NULL;
    wadi_error err = {0};
    bool rows = true;
    if (wadi_bundle_open(path, &b, &err) != WADI_OK) return wadi_cli_fail(&err);
    tell(&rows, path, b, NULL);
    wadi_bundle_close(b);
    return WADI_CLI_OK;
}

static int run(int argc, char **argv) {
    int status = WADI_CLI_OK;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            return wadi_cli_misuse(&wadi_cli_kernels, "unexpected \"%s\"", argv[i]);
    for (int i = 1; i < argc; i++)
        if (show(argv[i]) != WADI_CLI_OK) status = WADI_CLI_FAILED;
    if (argc > 1) return status;
    char *folders = wadi_bundles_folders();
    bool rows = false;
    printf("looked for in %s\n", folders != NULL ? folders : "?");
    free(folders);
    wadi_bundles_list(tell, &rows);
    return status;
}

const wadi_cli_command wadi_cli_kernels = {
    "kernels", "[FILE.kernels..]", "shows what bundles of kernels hold, and what of it fits",
    "With files: a line for each image: its target, whether it fits this processor, its size, "
    "program, body and\n"
    "schedule. Without: the bundles that runs look into ($WADI_KERNELS, or kernels/ beside the "
    "modules), and why some\n"
    "cannot be used. See wadi build.\n",
    run};
