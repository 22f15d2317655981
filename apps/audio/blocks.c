/* Reading, changing and writing metadata blocks as bytes. Vorbis comments are the only block with little-endian lengths:
 * vendor, number of tags, tags. */
#include "apps/audio/blocks.h"

#include <string.h>
#include <strings.h>

#include "apps/audio/endian.h"
#include "apps/audio/metadata.h"
#include "base/error.h"
#include "base/utf8.h"

/* ---- blocks ---- */

void flac_blocks_fini(flac_blocks *b) {
    for (size_t i = 0; i < b->list.n; i++) wadi_text_fini(&b->list.at[i].body);
    wadi_vec_free(&b->list);
}

wadi_status flac_blocks_add(flac_blocks *b, int type, wadi_text *owned_body, wadi_error *err) {
    wadi_status st = WADI_OK;
    if (owned_body->n > FLAC_MAX_BLOCK_BYTES) {
        st = wadi_fail(err, WADI_UNSUPPORTED,
                       "%zu bytes of metadata: a block of FLAC holds less than 16 MiB",
                       owned_body->n);
    } else if (owned_body->failed || !wadi_vec_push(&b->list, (flac_block){type, *owned_body})) {
        st = wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    if (st != WADI_OK) wadi_text_fini(owned_body);
    *owned_body = (wadi_text){0};
    return st;
}

flac_block *flac_blocks_find(const flac_blocks *b, int type) {
    for (size_t i = 0; i < b->list.n; i++) {
        if (b->list.at[i].type == type) return &b->list.at[i];
    }
    return NULL;
}

void flac_blocks_remove(flac_blocks *b, size_t index) {
    wadi_text_fini(&b->list.at[index].body);
    memmove(b->list.at + index, b->list.at + index + 1,
            (b->list.n - index - 1) * sizeof *b->list.at);
    b->list.n--;
}

int64_t flac_blocks_remove_type(flac_blocks *b, int type) {
    int64_t bytes = -FLAC_BLOCK_HEADER_BYTES;
    for (size_t i = b->list.n; i-- > 0;) {
        if (b->list.at[i].type != type) continue;
        bytes += FLAC_BLOCK_HEADER_BYTES + (int64_t)b->list.at[i].body.n;
        flac_blocks_remove(b, i);
    }
    return bytes;
}

/* ---- tags ---- */

typedef struct comments {
    const uint8_t *p; /* behind the vendor */
    size_t n;         /* bytes from there */
    uint32_t tags;
    size_t at;
} comments;

static void add_length(wadi_text *t, size_t v) {
    const char four[4] = {(char)(v & 0xff), (char)(v >> 8 & 0xff), (char)(v >> 16 & 0xff),
                          (char)(v >> 24 & 0xff)};
    wadi_text_add_n(t, four, sizeof four);
}

/* False when the vendor's length does not fit. */
static bool begin(const flac_block *block, comments *out) {
    const uint8_t *p = (const uint8_t *)block->body.at;
    const size_t n = block->body.n;
    if (n < 8 || flac_le(p, 4) > n - 8) return false;
    const size_t vendor = 4 + (size_t)flac_le(p, 4);
    *out = (comments){p + vendor, n - vendor, (uint32_t)flac_le(p + vendor, 4), 4};
    return true;
}

/* The next tag; false at the end of the bytes. */
static bool next(comments *c, const char **out, size_t *out_n) {
    if (c->n - c->at < 4) return false;
    const size_t n = (size_t)flac_le(c->p + c->at, 4);
    if (n > c->n - c->at - 4) return false;
    *out = (const char *)c->p + c->at + 4;
    *out_n = n;
    c->at += 4 + n;
    return true;
}

static wadi_status make_comments(flac_blocks *b, wadi_error *err) {
    wadi_text body = {0};
    add_length(&body, 0);
    add_length(&body, 0);
    WADI_TRY(flac_blocks_add(b, FLAC_BLOCK_COMMENTS, &body, err));
    const flac_block made = wadi_vec_last(&b->list);
    memmove(b->list.at + 1, b->list.at, (b->list.n - 1) * sizeof *b->list.at);
    b->list.at[0] = made;
    return WADI_OK;
}

static wadi_status not_what_they_say(wadi_error *err) {
    return wadi_fail(err, WADI_IO, "the tags are damaged: they do not hold what their lengths say");
}

/* The name is printable ASCII without '=', the value is UTF-8 (RFC 9639, section 8.6). */
static bool is_tag(const char *tag, size_t n) {
    const char *equals = memchr(tag, '=', n);
    if (equals == NULL || equals == tag) return false;
    for (const char *p = tag; p < equals; p++) {
        if (*p < 0x20 || *p > 0x7d) return false;
    }
    return wadi_utf8_is(equals + 1, n - (size_t)(equals + 1 - tag));
}

wadi_status flac_tags_add(flac_blocks *b, const char *tag, size_t n, wadi_error *err) {
    if (!is_tag(tag, n)) {
        return wadi_fail(err, WADI_INVALID, "\"%.*s\" is not a tag: expected NAME=value in UTF-8",
                         (int)(n < 100 ? n : 100), tag);
    }
    flac_block *block = flac_blocks_find(b, FLAC_BLOCK_COMMENTS);
    if (block == NULL) {
        WADI_TRY(make_comments(b, err));
        block = &b->list.at[0];
    }
    comments c;
    if (!begin(block, &c)) return not_what_they_say(err);
    const size_t count_at = block->body.n - c.n;
    add_length(&block->body, n);
    wadi_text_add_n(&block->body, tag, n);
    if (block->body.failed) return wadi_fail(err, WADI_MEMORY, "out of memory");
    if (block->body.n > FLAC_MAX_BLOCK_BYTES) {
        return wadi_fail(err, WADI_UNSUPPORTED, "the tags are longer than 16 MiB");
    }
    for (int i = 0; i < 4; i++) {
        block->body.at[count_at + (size_t)i] = (char)((c.tags + 1) >> (8 * i) & 0xff);
    }
    return WADI_OK;
}

const char *flac_tags_find(const flac_blocks *b, const char *name, size_t *out_n) {
    const flac_block *block = flac_blocks_find(b, FLAC_BLOCK_COMMENTS);
    const size_t length = strlen(name);
    comments c;
    const char *tag = NULL;
    if (block == NULL || !begin(block, &c)) return NULL;
    for (size_t n = 0; next(&c, &tag, &n);) {
        if (n <= length || tag[length] != '=' || strncasecmp(tag, name, length) != 0) continue;
        *out_n = n - length - 1;
        return tag + length + 1;
    }
    return NULL;
}

wadi_status flac_tags_finish(flac_blocks *b, const char *vendor, wadi_error *err) {
    if (flac_blocks_find(b, FLAC_BLOCK_COMMENTS) == NULL) WADI_TRY(make_comments(b, err));
    flac_block *block = flac_blocks_find(b, FLAC_BLOCK_COMMENTS);
    comments c;
    if (!begin(block, &c)) return not_what_they_say(err);
    wadi_text body = {0};
    add_length(&body, strlen(vendor));
    wadi_text_add(&body, vendor);
    wadi_text_add_n(&body, (const char *)c.p, c.n);
    const char *tag = NULL;
    size_t n = 0;
    uint32_t found = 0;
    while (found < c.tags && next(&c, &tag, &n)) found++;
    if (found != c.tags || body.failed) {
        const bool failed = body.failed;
        wadi_text_fini(&body);
        return failed ? wadi_fail(err, WADI_MEMORY, "out of memory") : not_what_they_say(err);
    }
    wadi_text_fini(&block->body);
    block->body = body;
    return WADI_OK;
}
