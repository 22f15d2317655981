/* Checks files with independent decoders. Nothing here knows how the files were made. */
#include "tests/apps/flac_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/audio/writer.h"
#include "apps/digest/md5.h"
#include "base/file.h"
#include "base/text.h"
#include "connectors/sndfile.h"
#include "tests/apps/flac_model.h"

bool flac_tool_present(void) {
    return system("flac --version >/dev/null 2>&1") == 0;
}

char *flac_scratch(const char *name) {
    wadi_text t = {0};
    wadi_text_addf(&t, "flac_%d_%s", (int)getpid(), name);
    return wadi_text_take(&t);
}

uint8_t *flac_raw_bytes(const int32_t *samples, int64_t n, int bits, int64_t *out_bytes) {
    const int width = (bits + 7) / 8;
    uint8_t *raw = malloc((size_t)(n * width) + 1);
    assert_non_null(raw);
    for (int64_t i = 0; i < n; i++) {
        for (int b = 0; b < width; b++) {
            raw[i * width + b] = (uint8_t)((uint32_t)samples[i] >> (8 * b));
        }
    }
    *out_bytes = n * width;
    return raw;
}

int64_t flac_model_write(const char *path, int level, const flac_format *about,
                         const int32_t *samples, int64_t frames) {
    wadi_error err = {0};
    const flac_recipe recipe = flac_recipe_for(level, about->rate, about->channels, about->bits);
    flac_blocks blocks = {0};
    assert_int_equal(flac_tags_finish(&blocks, "wadi-flac " WADI_VERSION, &err), WADI_OK);
    flac_stream stream = {.format = *about, .total = frames, .blocks = &blocks, .padding = 1024};
    stream.format.block = recipe.block;
    stream.format.shortest = flac_recipe_shortest(&recipe);
    flac_model *model = flac_model_create(&recipe);
    assert_non_null(model);
    flac_writer *writer = NULL;
    assert_int_equal(flac_writer_open(path, true, &stream, &writer, &err), WADI_OK);
    flac_bits bits = {0};
    int64_t index = 0;
    for (int64_t at = 0; at < frames;) {
        const int64_t left = frames - at < recipe.block ? frames - at : recipe.block;
        const int parts = flac_model_cut(model, samples + at * about->channels, left);
        for (int part = 0; part < parts; part++, index++, at += left / parts) {
            flac_frame frame;
            flac_model_analyse(model, samples + at * about->channels, left / parts, &frame);
            flac_bits_clear(&bits);
            const wadi_status st = flac_pack_frame(&frame, &stream.format, index, at, &bits, &err);
            if (st != WADI_OK) print_error("%s\n", err.msg);
            assert_int_equal(st, WADI_OK);
            assert_int_equal(flac_writer_append(writer, bits.at, bits.n, left / parts, &err),
                             WADI_OK);
        }
    }
    int64_t raw_n = 0;
    uint8_t *raw = flac_raw_bytes(samples, frames * about->channels, about->bits, &raw_n);
    wadi_md5 md5 = {0};
    uint8_t digest[16];
    wadi_md5_init(&md5);
    wadi_md5_update(&md5, raw, (size_t)raw_n);
    wadi_md5_final(&md5, digest);
    const int64_t size = flac_writer_bytes(writer);
    assert_int_equal(flac_writer_close(writer, digest, &err), WADI_OK);
    free(raw);
    flac_bits_fini(&bits);
    flac_blocks_fini(&blocks);
    flac_model_destroy(model);
    return size;
}

static int run(const char *format, const char *path) {
    wadi_text command = {0};
    wadi_text_addf(&command, format, path, path);
    assert_false(command.failed);
    const int rc = system(wadi_text_str(&command));
    wadi_text_fini(&command);
    return rc;
}

void assert_flac_decodes_to(const char *path, const flac_format *about, const int32_t *samples,
                            int64_t frames) {
    /* An empty stream's total of 0 reads as unknown, which -w would count as an error. */
    const char *test = frames > 0 ? "flac -s -t -w '%s'" : "flac -s -t '%s' 2>/dev/null";
    if (run(test, path) != 0) fail_msg("%s: refused by flac", path);
    if (about->bits % 8 != 0) return; /* the tool writes no such raw files; its MD5 check stands */
    assert_int_equal(run("flac -s -f -d --force-raw-format --endian=little --sign=signed "
                         "-o '%s.raw' '%s'",
                         path),
                     0);
    wadi_text raw_name = {0};
    wadi_text_addf(&raw_name, "%s.raw", path);
    char *got = NULL;
    size_t got_n = 0;
    assert_int_equal(wadi_file_read(wadi_text_str(&raw_name), &got, &got_n, NULL), WADI_OK);
    int64_t want_n = 0;
    uint8_t *want = flac_raw_bytes(samples, frames * about->channels, about->bits, &want_n);
    assert_int_equal(got_n, want_n);
    assert_memory_equal(got, want, got_n);
    free(want);
    free(got);
    unlink(wadi_text_str(&raw_name));
    wadi_text_fini(&raw_name);
}

void assert_sndfile_decodes_to(const char *path, const flac_format *about, const int32_t *samples,
                               int64_t frames) {
    wadi_sndfile *s = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_sndfile_open(path, 0, &s, &err), WADI_OK);
    const wadi_sndfile_info *info = wadi_sndfile_about(s);
    assert_int_equal(info->rate, about->rate);
    assert_int_equal(info->channels, about->channels);
    assert_int_equal(info->frames, frames);
    const int64_t n = frames * about->channels;
    int32_t *got = malloc((size_t)n * sizeof *got + 1);
    assert_non_null(got);
    int64_t got_frames = 0;
    assert_int_equal(wadi_sndfile_read(s, got, frames, &got_frames, &err), WADI_OK);
    assert_int_equal(got_frames, frames);
    const int unused = info->bits - about->bits;
    for (int64_t i = 0; i < n; i++) {
        if (got[i] >> unused != samples[i]) fail_msg("sample %lld differs", (long long)i);
    }
    free(got);
    wadi_sndfile_close(s);
}
