/* Putting together the metadata of an output. */
#include "apps/audio/dress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "apps/audio/metadata.h"
#include "apps/audio/picture.h"
#include "base/error.h"
#include "base/file.h"

#define MASK_TAG "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"

enum { NEW_PADDING = 1024 }; /* bytes, if the source is not FLAC */

/* ---- tags ---- */

static wadi_status add_file_tag(flac_blocks *b, const char *value, wadi_error *err) {
    const char *equals = strchr(value, '=');
    char *text = NULL;
    size_t n = 0;
    wadi_text tag = {0};
    WADI_TRY(wadi_file_read_most(equals + 1, FLAC_MAX_BLOCK_BYTES, &text, &n, err));
    wadi_text_add_n(&tag, value, (size_t)(equals + 1 - value));
    wadi_text_add_n(&tag, text, n);
    const wadi_status st = tag.failed ? wadi_fail(err, WADI_MEMORY, "out of memory")
                                      : flac_tags_add(b, tag.at, tag.n, err);
    wadi_text_fini(&tag);
    free(text);
    return st;
}

/* Speakers are part of the sound, so their tag stays when others are replaced. */
static wadi_status add_mask(flac_input *in, wadi_error *err) {
    char tag[64];
    if (in->info.mask == 0) return WADI_OK;
    const int n = snprintf(tag, sizeof tag, MASK_TAG "=0x%04X", (unsigned)in->info.mask);
    return flac_tags_add(&in->blocks, tag, (size_t)n, err);
}

static void remember_mask(flac_input *in) {
    size_t n = 0;
    const char *value = flac_tags_find(&in->blocks, MASK_TAG, &n);
    if (value != NULL && n < 16 && in->info.mask == 0) {
        char text[16] = {0};
        memcpy(text, value, n);
        in->info.mask = (uint32_t)strtoul(text, NULL, 0);
    }
}

static wadi_status add_tags(flac_input *in, const flac_options *o, bool *out_replaced,
                            wadi_error *err) {
    const bool has_own = flac_blocks_find(&in->blocks, FLAC_BLOCK_COMMENTS) != NULL;
    *out_replaced = in->info.is_flac && has_own && o->tags.n > 0;
    if (*out_replaced) {
        remember_mask(in);
        flac_blocks_remove_type(&in->blocks, FLAC_BLOCK_COMMENTS);
    }
    if (!in->info.is_flac || *out_replaced) WADI_TRY(add_mask(in, err));
    for (size_t i = 0; i < o->tags.n; i++) {
        const flac_tag_option *t = &o->tags.at[i];
        WADI_TRY(t->from_file ? add_file_tag(&in->blocks, t->value, err)
                              : flac_tags_add(&in->blocks, t->value, strlen(t->value), err));
    }
    return WADI_OK;
}

/* ---- pictures ---- */

/* A stream has at most one file icon and one other icon, so a new one replaces the old one. */
static void remove_icon(flac_blocks *b, uint64_t type) {
    for (size_t i = b->list.n; i-- > 0;) {
        const flac_block *block = &b->list.at[i];
        if (block->type == FLAC_BLOCK_PICTURE && block->body.n >= 4 &&
            flac_be((const uint8_t *)block->body.at, 4) == type) {
            flac_blocks_remove(b, i);
        }
    }
}

static wadi_status add_pictures(flac_input *in, const flac_options *o, wadi_error *err) {
    for (size_t i = 0; i < o->pictures.n; i++) {
        wadi_text body = {0};
        WADI_TRY(flac_picture_make(o->pictures.at[i], &body, err));
        const uint64_t type = flac_be((const uint8_t *)body.at, 4);
        if (type == 1 || type == 2) remove_icon(&in->blocks, type);
        WADI_TRY(flac_blocks_add(&in->blocks, FLAC_BLOCK_PICTURE, &body, err));
    }
    return WADI_OK;
}

/* ---- all ---- */

/* All padding of the source becomes one block at the end. */
static int64_t choose_padding(flac_blocks *b, const flac_options *o) {
    const int64_t own = flac_blocks_remove_type(b, FLAC_BLOCK_PADDING);
    if (o->no_padding || o->padding == 0) return -1;
    if (o->padding > 0) return o->padding;
    if (own > FLAC_MAX_BLOCK_BYTES) return FLAC_MAX_BLOCK_BYTES;
    return own >= 0 ? own : NEW_PADDING;
}

wadi_status flac_dress(flac_input *in, const flac_options *options, int64_t *out_padding,
                       bool *out_replaced, wadi_error *err) {
    const char *path = flac_bytes_path(in->bytes);
    wadi_error why = {0};
    wadi_status st = add_tags(in, options, out_replaced, &why);
    if (st == WADI_OK) st = add_pictures(in, options, &why);
    if (st == WADI_OK) st = flac_tags_finish(&in->blocks, "wadi-flac " WADI_VERSION, &why);
    *out_padding = choose_padding(&in->blocks, options);
    return st == WADI_OK ? st : wadi_fail(err, st, "%s: %s", path, why.msg);
}
