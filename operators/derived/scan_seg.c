/* Scans of segments: by lengths, from the right, and without their first or last results. All are built from the scans of segments
 * from the left. A scan from the right reverses the array, and so the segments: one from o to p then lies from n - p to n - o. */
#include "graph/lang/node.h"
#include "operators/segments.h"

typedef struct flipped {
    wadi_fn2_env f;
    void *env;
} flipped;

static wadi_exp call_flipped(void *env, wadi_exp a, wadi_exp b) {
    const flipped *g = env;
    return WADI_ASK_EXP(g->f, g->env, b, a);
}

static wadi_exp from_end(void *env, wadi_exp offset) {
    return wadi_sub(*(const wadi_exp *)env, offset);
}

/* The offsets of the segments in the reversed array. */
static wadi_acc turned(wadi_acc offsets, wadi_acc a) {
    const wadi_array_type *t = wadi_acc_type(a);
    if (!t || t->rank < 1) return WADI_NO_ACC;
    wadi_exp n = wadi_extent(a, t->rank - 1);
    return wadi_map_env(from_end, &n, wadi_reverse(offsets));
}

/* ---- from the left ---- */

wadi_acc wadi_scanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_scanl_offsets_env(f, env, z, wadi_segments_offsets("scanl_seg", lengths), a);
}

wadi_acc wadi_scanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_scanl_seg_env(wadi_call2, &f, z, lengths, a);
}

wadi_acc wadi_scanl1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a) {
    return wadi_scanl1_offsets_env(f, env, wadi_segments_offsets("scanl1_seg", lengths), a);
}

wadi_acc wadi_scanl1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a) {
    return wadi_scanl1_seg_env(wadi_call2, &f, lengths, a);
}

wadi_acc wadi_prescanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                               wadi_acc a) {
    return wadi_prescanl_offsets_env(f, env, z, wadi_segments_offsets("prescanl_seg", lengths), a);
}

wadi_acc wadi_prescanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_prescanl_seg_env(wadi_call2, &f, z, lengths, a);
}

/* For a scan that has not used z yet: combines z with every prefix of a segment from the left, or with every suffix from the right. */
typedef struct started {
    wadi_fn2_env f;
    void *env;
    wadi_exp z, end; /* end: where the last segment ends */
    bool right;
} started;

/* An element that lies in no segment is zero and stays zero. */
static wadi_exp with_start(void *env, wadi_ix ix, wadi_exp x) {
    const started *s = env;
    const wadi_exp inside =
        s->right ? WADI_ASK_EXP(s->f, s->env, x, s->z) : WADI_ASK_EXP(s->f, s->env, s->z, x);
    return wadi_cond(wadi_lt(ix.at[ix.rank - 1], s->end), inside, x);
}

static wadi_acc start(started s, wadi_acc offsets, wadi_acc scanned) {
    if (!wadi_acc_type(offsets) || !wadi_acc_type(scanned)) return WADI_NO_ACC;
    const wadi_exp last = wadi_sub(wadi_extent(offsets, 0), wadi_i64(1));
    s.end = wadi_the(wadi_unit(wadi_index1(offsets, last)));
    return wadi_imap_env(with_start, &s, scanned);
}

wadi_acc wadi_postscanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a) {
    const started s = {.f = f, .env = env, .z = z};
    const wadi_acc offsets = wadi_segments_offsets("postscanl_seg", lengths);
    return start(s, offsets, wadi_scanl1_offsets_env(f, env, offsets, a));
}

wadi_acc wadi_postscanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_postscanl_seg_env(wadi_call2, &f, z, lengths, a);
}

wadi_acc wadi_scanl_total_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                  wadi_acc a) {
    const wadi_acc offsets = wadi_segments_offsets("scanl_total_seg", lengths);
    return wadi_tuple2(wadi_prescanl_offsets_env(f, env, z, offsets, a),
                       wadi_fold_offsets_env(f, env, z, offsets, a));
}

wadi_acc wadi_scanl_total_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_scanl_total_seg_env(wadi_call2, &f, z, lengths, a);
}

/* ---- from the right ---- */

wadi_acc wadi_scanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    flipped g = {f, env};
    const wadi_acc offsets = turned(wadi_segments_offsets("scanr_seg", lengths), a);
    return wadi_reverse(wadi_scanl_offsets_env(call_flipped, &g, z, offsets, wadi_reverse(a)));
}

wadi_acc wadi_scanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_scanr_seg_env(wadi_call2, &f, z, lengths, a);
}

static wadi_acc scanr1_offsets(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a) {
    flipped g = {f, env};
    return wadi_reverse(
        wadi_scanl1_offsets_env(call_flipped, &g, turned(offsets, a), wadi_reverse(a)));
}

wadi_acc wadi_scanr1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a) {
    return scanr1_offsets(f, env, wadi_segments_offsets("scanr1_seg", lengths), a);
}

wadi_acc wadi_scanr1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a) {
    return wadi_scanr1_seg_env(wadi_call2, &f, lengths, a);
}

wadi_acc wadi_prescanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                               wadi_acc a) {
    flipped g = {f, env};
    const wadi_acc offsets = turned(wadi_segments_offsets("prescanr_seg", lengths), a);
    return wadi_reverse(wadi_prescanl_offsets_env(call_flipped, &g, z, offsets, wadi_reverse(a)));
}

wadi_acc wadi_prescanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_prescanr_seg_env(wadi_call2, &f, z, lengths, a);
}

wadi_acc wadi_postscanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a) {
    const started s = {.f = f, .env = env, .z = z, .right = true};
    const wadi_acc offsets = wadi_segments_offsets("postscanr_seg", lengths);
    return start(s, offsets, scanr1_offsets(f, env, offsets, a));
}

wadi_acc wadi_postscanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_postscanr_seg_env(wadi_call2, &f, z, lengths, a);
}
