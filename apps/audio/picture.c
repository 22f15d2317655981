/* Parsing the value of --picture and reading the picture. */
#include "apps/audio/picture.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "apps/audio/metadata.h"
#include "base/args.h"
#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"

enum { FRONT_COVER = 3, MAX_TYPE = 20, FIELDS = 5 };

typedef struct picture {
    int64_t type;
    const char *mime;
    uint32_t width, height, depth, colours;
    const uint8_t *data;
    size_t n;
} picture;

/* ---- the header of a picture ---- */

static bool look_at_png(picture *p) {
    if (p->n < 33 || memcmp(p->data, "\x89PNG\r\n\x1a\n", 8) != 0) return false;
    static const int channels[7] = {1, 0, 3, 1, 2, 0, 4};
    const int bits = p->data[24], kind = p->data[25];
    p->mime = "image/png";
    p->width = (uint32_t)flac_be(p->data + 16, 4);
    p->height = (uint32_t)flac_be(p->data + 20, 4);
    p->depth = kind == 3 ? 24 : kind < 7 ? (uint32_t)(bits * channels[kind]) : 0;
    if (kind != 3) return true;
    for (size_t at = 8; p->n - at >= 12;) { /* the palette */
        const size_t length = (size_t)flac_be(p->data + at, 4);
        if (memcmp(p->data + at + 4, "PLTE", 4) == 0) p->colours = (uint32_t)(length / 3);
        if (length > p->n - at - 12) break;
        at += 12 + length;
    }
    return true;
}

/* The frame header of a JPEG: SOF0 to SOF15 without DHT, JPG and DAC. */
static bool look_at_jpeg(picture *p) {
    if (p->n < 4 || p->data[0] != 0xff || p->data[1] != 0xd8) return false;
    p->mime = "image/jpeg";
    for (size_t at = 2; at + 10 <= p->n && p->data[at] == 0xff;) {
        const int marker = p->data[at + 1];
        if (marker == 0xff) {
            at++;
            continue;
        }
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
            marker != 0xcc) {
            p->depth = (uint32_t)p->data[at + 4] * p->data[at + 9];
            p->height = (uint32_t)flac_be(p->data + at + 5, 2);
            p->width = (uint32_t)flac_be(p->data + at + 7, 2);
            return true;
        }
        at += 2 + (size_t)flac_be(p->data + at + 2, 2);
    }
    return true;
}

static bool look_at_gif(picture *p) {
    if (p->n < 13 || memcmp(p->data, "GIF8", 4) != 0) return false;
    p->mime = "image/gif";
    p->width = (uint32_t)flac_le(p->data + 6, 2);
    p->height = (uint32_t)flac_le(p->data + 8, 2);
    p->depth = 24;
    p->colours = 1u << ((p->data[10] & 7) + 1);
    return true;
}

static bool is_icon(const picture *p) {
    return strcmp(p->mime, "image/png") == 0 && p->width == 32 && p->height == 32;
}

/* ---- the specification ---- */

static bool read_size(const char *text, picture *p) {
    int end = 0;
    if (sscanf(text, "%10ux%10ux%10u%n", &p->width, &p->height, &p->depth, &end) != 3) return false;
    if (text[end] == '\0') return true;
    int more = 0;
    return sscanf(text + end, "/%10u%n", &p->colours, &more) == 1 && text[end + more] == '\0';
}

/* Cuts the specification into its fields, in place. If there is only a name, it is the last field. */
static bool cut(char *text, char *field[FIELDS]) {
    static char none[1];
    for (int i = 0; i < FIELDS; i++) field[i] = none;
    if (strchr(text, '|') == NULL) {
        field[FIELDS - 1] = text;
        return true;
    }
    for (int i = 0; i < FIELDS - 1; i++) {
        char *bar = strchr(text, '|');
        if (bar == NULL) return false;
        *bar = '\0';
        field[i] = text;
        text = bar + 1;
    }
    field[FIELDS - 1] = text;
    return true;
}

static void put_number(wadi_text *t, uint64_t v) {
    const char four[4] = {(char)(v >> 24), (char)(v >> 16 & 0xff), (char)(v >> 8 & 0xff),
                          (char)(v & 0xff)};
    wadi_text_add_n(t, four, sizeof four);
}

static void put_text(wadi_text *t, const void *text, size_t n) {
    put_number(t, n);
    wadi_text_add_n(t, text, n);
}

static wadi_status describe(picture *p, char *const field[FIELDS], const char *specification,
                            wadi_error *err) {
    const char *const size = field[3];
    p->type = FRONT_COVER;
    if (*field[0] != '\0' && !wadi_args_number(field[0], 0, MAX_TYPE, &p->type)) {
        return wadi_args_bad("--picture", specification, "a picture: its type is a number 0 to 20",
                             err);
    }
    const bool linked = strcmp(field[1], "-->") == 0;
    const bool known = !linked && (look_at_png(p) || look_at_jpeg(p) || look_at_gif(p));
    if (*field[1] != '\0') p->mime = field[1];
    if (*size != '\0' && !read_size(size, p)) {
        return wadi_args_bad("--picture", specification,
                             "a picture: its size is WIDTHxHEIGHTxDEPTH[/COLOURS]", err);
    }
    if (p->mime == NULL || (!known && !linked && *size == '\0')) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "--picture: %s is neither PNG, JPEG nor GIF; name its MIME type and size",
                         field[4]);
    }
    if (!wadi_utf8_is(field[2], strlen(field[2]))) {
        return wadi_args_bad("--picture", specification, "a picture: its text is not UTF-8", err);
    }
    if (p->type == 1 && !is_icon(p)) {
        return wadi_fail(err, WADI_INVALID,
                         "--picture: %s: a file icon (type 1) is a PNG of 32x32 pixels", field[4]);
    }
    return WADI_OK;
}

static wadi_status make(char *text, const char *specification, wadi_text *out, wadi_error *err) {
    char *field[FIELDS], *data = NULL;
    picture p = {0};
    if (!cut(text, field) || *field[4] == '\0') {
        return wadi_args_bad("--picture", specification,
                             "[TYPE]|[MIME]|[TEXT]|[SIZE]|FILE or the name of a file", err);
    }
    if (strcmp(field[1], "-->") == 0) {
        p.data = (const uint8_t *)field[4];
        p.n = strlen(field[4]);
    } else {
        WADI_TRY(wadi_file_read_most(field[4], FLAC_MAX_BLOCK_BYTES, &data, &p.n, err));
        p.data = (const uint8_t *)data;
    }
    const wadi_status st = describe(&p, field, specification, err);
    if (st == WADI_OK) {
        const uint32_t size[4] = {p.width, p.height, p.depth, p.colours};
        put_number(out, (uint64_t)p.type);
        put_text(out, p.mime, strlen(p.mime));
        put_text(out, field[2], strlen(field[2]));
        for (int i = 0; i < 4; i++) put_number(out, size[i]);
        put_text(out, p.data, p.n);
    }
    free(data);
    return st;
}

wadi_status flac_picture_make(const char *specification, wadi_text *out, wadi_error *err) {
    wadi_text copy = {0};
    wadi_text_add(&copy, specification);
    if (copy.failed) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status st = make(copy.at, specification, out, err);
    wadi_text_fini(&copy);
    return st;
}
