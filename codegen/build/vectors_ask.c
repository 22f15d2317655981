/* Asks the C compiler which loops it vectorises: it compiles the text once more, with flags that make it tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/outfile.h"
#include "codegen/build/cc.h"
#include "codegen/build/parts.h"
#include "codegen/build/vectors.h"

enum { SAID_ROOM = 64 << 20, PATH_ROOM = 1024, VERSION_ROOM = 256 };

static wadi_status ask_in(const wadi_folder *work, const wadi_image_builder *cc, const char *source,
                          const char *mark, bool clang, char *said, wadi_text *out,
                          wadi_error *err) {
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    char c_file[PATH_ROOM], object[PATH_ROOM];
    (void)snprintf(c_file, sizeof c_file, "%.900s/kernel.c", work->path);
    (void)snprintf(object, sizeof object, "%.900s/kernel.o", work->path);
    const wadi_cc_call call = {.inputs = {c_file},
                               .output = object,
                               .tmpdir = work->path,
                               .part = true,
                               .brief = wadi_parts_of(source, mark, 1).brief,
                               .more = wadi_remarks_flags(clang),
                               .said = said,
                               .room = SAID_ROOM};
    wadi_remarks remarks = {0};
    WADI_TRY(wadi_outfile_put(c_file, source, strlen(source), &options, err));
    WADI_TRY(wadi_cc_run(cc, &call, err));
    const bool ok = wadi_remarks_read(said, c_file, &remarks) &&
                    wadi_vectors_print(source, mark, &remarks, out);
    wadi_vec_free(&remarks);
    return ok ? WADI_OK : wadi_fail(err, WADI_MEMORY, "vectors: out of memory");
}

wadi_status wadi_vectors_write(const wadi_image_builder *cc, const char *source, const char *mark,
                               wadi_text *out, wadi_error *err) {
    char version[VERSION_ROOM];
    wadi_folder work;
    WADI_TRY(wadi_cc_version(cc, version, sizeof version, err));
    wadi_text_addf(out, "%s: ", version);
    (void)wadi_folder_sweep(wadi_folder_parent(), "wadi-vectors-");
    char *said = malloc(SAID_ROOM); /* touched as far as the compiler talks */
    if (said == NULL) return wadi_fail(err, WADI_MEMORY, "vectors: out of memory");
    wadi_status st = wadi_folder_make(wadi_folder_parent(), "wadi-vectors-", &work, err);
    if (st == WADI_OK) {
        st = ask_in(&work, cc, source, mark, strstr(version, "clang") != NULL, said, out, err);
        wadi_folder_remove(&work);
    }
    free(said);
    return st;
}
