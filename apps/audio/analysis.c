/* The pipeline and its last step: the four arrays of a frame. The steps before are in analysis_signal.c, analysis_lpc.c and
 * analysis_choice.c. */
#include "apps/audio/analysis.h"

#include <stddef.h>

#include "apps/audio/analysis_parts.h"
#include "apps/audio/frame.h"

typedef struct outputs {
    const flac_signal *s;
    const flac_choice *c;
    wadi_acc parameters; /* i64[channels + 1]: Rice parameters before each channel, prefix sum */
    wadi_acc wide_rice;  /* bool[channels]: some parameter needs 5 bits */
} outputs;

static wadi_exp head_entry(void *env, wadi_ix ix) {
    const outputs *o = env;
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(0)), wadi_the(o->s->mode), wadi_i32(0));
}

static wadi_exp chosen_column(const outputs *o, wadi_exp channel, wadi_exp j) {
    return wadi_index3(o->c->coef, channel, wadi_index1(o->c->best, channel), j);
}

/* Row of `sub`: see enum flac_sub. Entries without meaning for the kind of subframe are 0. */
static wadi_exp sub_entry(void *env, wadi_ix ix) {
    const outputs *o = env;
    const wadi_exp channel = ix.at[0], j = ix.at[1], kind = wadi_index1(o->c->kind, channel);
    const wadi_exp coded = wadi_ge(kind, wadi_i32(FLAC_FIXED)),
                   lpc = wadi_eq(kind, wadi_i32(FLAC_LPC));
    const wadi_exp zero = wadi_i32(0), tap = wadi_sub(j, wadi_i64(FLAC_SUB_COEFFICIENTS));
    const struct {
        int entry;
        wadi_exp value;
    } entries[] = {
        {FLAC_SUB_KIND, kind},
        {FLAC_SUB_ORDER,
         wadi_cond(coded, chosen_column(o, channel, wadi_i64(FLAC_COEF_ORDER)), zero)},
        {FLAC_SUB_WASTED, wadi_index1(o->s->wasted, channel)},
        {FLAC_SUB_BITS, wadi_index1(o->s->bits, channel)},
        {FLAC_SUB_PRECISION,
         wadi_cond(lpc, chosen_column(o, channel, wadi_i64(FLAC_COEF_PRECISION)), zero)},
        {FLAC_SUB_SHIFT,
         wadi_cond(lpc, chosen_column(o, channel, wadi_i64(FLAC_COEF_SHIFT)), zero)},
        {FLAC_SUB_PARTITION_ORDER, wadi_cond(coded, wadi_index1(o->c->order, channel), zero)},
        {FLAC_SUB_RICE_METHOD, wadi_convert(WADI_I32, wadi_index1(o->wide_rice, channel))},
    };
    const wadi_exp is_tap =
        wadi_land(wadi_ge(tap, wadi_i64(0)), wadi_lt(tap, wadi_i64(FLAC_COEF_ORDER)));
    wadi_exp value = wadi_cond(wadi_land(lpc, is_tap), chosen_column(o, channel, tap), zero);
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++)
        value = wadi_cond(wadi_eq(j, wadi_i64(entries[e].entry)), entries[e].value, value);
    return value;
}

static wadi_exp parameter_count(wadi_exp kind, wadi_exp order) {
    return wadi_cond(wadi_ge(kind, wadi_i32(FLAC_FIXED)), flac_pow2(order), wadi_i64(0));
}

/* Rice parameter j of a channel's chosen candidate and partition order. */
static wadi_exp chosen_rice(const outputs *o, wadi_exp channel, wadi_exp j) {
    const wadi_exp first = wadi_sub(flac_pow2(wadi_index1(o->c->order, channel)), wadi_i64(1));
    return wadi_index3(o->c->rice, channel, wadi_index1(o->c->best, channel), wadi_add(first, j));
}

static wadi_exp rice_if_used(void *env, wadi_ix ix) {
    const outputs *o = env;
    const wadi_exp count =
        parameter_count(wadi_index1(o->c->kind, ix.at[0]), wadi_index1(o->c->order, ix.at[0]));
    return wadi_cond(wadi_lt(ix.at[1], count), chosen_rice(o, ix.at[0], ix.at[1]), wadi_i32(0));
}

static wadi_exp over_14(wadi_exp k) {
    return wadi_gt(k, wadi_i32(14));
}

/* Parameter t of all channels' parameters in a row. */
static wadi_exp rice_in_row(void *env, wadi_ix ix) {
    const outputs *o = env;
    wadi_exp channel = wadi_i64(0);
    for (int c = 1; c < o->s->recipe->channels; c++) {
        const wadi_exp begins = wadi_index1(o->parameters, wadi_i64(c));
        channel = wadi_cond(wadi_ge(ix.at[0], begins), wadi_i64(c), channel);
    }
    return chosen_rice(o, channel, wadi_sub(ix.at[0], wadi_index1(o->parameters, channel)));
}

/* Warm-up samples and residuals, or the samples themselves. */
static wadi_exp coded_sample(void *env, wadi_ix ix) {
    const outputs *o = env;
    const wadi_exp channel = ix.at[0];
    const wadi_exp raw = wadi_lt(wadi_index1(o->c->kind, channel), wadi_i32(FLAC_FIXED));
    const wadi_exp x = wadi_index2(o->s->x, channel, wadi_add(ix.at[1], wadi_i64(FLAC_PAD)));
    const wadi_exp r =
        wadi_index3(o->c->resid, channel, wadi_index1(o->c->best, channel), ix.at[1]);
    return wadi_convert(o->s->recipe->bits < 32 ? WADI_I32 : WADI_I64, wadi_cond(raw, x, r));
}

static wadi_acc cut_block(void *env, wadi_acc block) {
    return flac_cut_build(env, block);
}

static wadi_acc analyse_block(void *env, wadi_acc block) {
    const flac_recipe *recipe = env;
    const flac_signal s = flac_signal_build(recipe, block);
    const flac_choice c = flac_choice_build(&s);
    outputs o = {.s = &s, .c = &c};
    const wadi_exp channels = wadi_i64(recipe->channels);
    o.parameters =
        wadi_scanl(wadi_add, wadi_i64(0), wadi_zip_with(parameter_count, c.kind, c.order));
    const wadi_acc used = wadi_generate_env(wadi_ix2(channels, c.parts), rice_if_used, &o);
    o.wide_rice = wadi_map(over_14, wadi_fold(wadi_max, wadi_i32(0), used));
    const wadi_exp total = wadi_index1(o.parameters, channels);
    const wadi_acc frame[4] = {
        wadi_named("head", wadi_generate_env(wadi_ix1(wadi_i64(FLAC_HEAD_SIZE)), head_entry, &o)),
        wadi_named("subframes",
                   wadi_generate_env(wadi_ix2(channels, wadi_i64(FLAC_SUB_SIZE)), sub_entry, &o)),
        wadi_named("parameters", wadi_generate_env(wadi_ix1(total), rice_in_row, &o)),
        wadi_named("coded", wadi_generate_env(wadi_ix2(channels, s.n), coded_sample, &o)),
    };
    return wadi_tuple(4, frame);
}

void flac_analysis_build(const flac_recipe *recipe) {
    char channels[8];
    const char *extents[2] = {"?", channels};
    channels[0] = (char)('0' + recipe->channels);
    channels[1] = '\0';
    const wadi_component block = {
        .elem = wadi_scalar_elem(WADI_I32), .rank = 2, .extents = extents};
    flac_recipe copy = *recipe;
    wadi_seq blocks = wadi_stream_in(FLAC_SAMPLES, 1, &block);
    if (recipe->cuts > 0) blocks = wadi_expand_seq_env(cut_block, &copy, blocks);
    wadi_stream_out(wadi_map_seq_env(analyse_block, &copy, blocks), FLAC_FRAMES);
}
