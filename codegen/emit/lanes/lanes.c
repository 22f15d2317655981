/* Loop IR as device C.
 *
 * A kernel without a loop by groups is a function that does a range of rounds, and every item calls it for ranges of its own. In a kernel by
 * groups, all lanes do what stands between loops by lanes, but only the first lane stores. A fault ends the function of an item. In a loop by
 * lanes it ends the lane's round, and all lanes leave the kernel together behind the loop: each has to reach the barriers. So a lane that has
 * a fault says so in memory of the group. There are two places for that, which take turns: one is written only after all lanes have read
 * the other. */
#include "codegen/emit/lanes/lanes.h"

#include "base/error.h"
#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/c_like/device.h"
#include "codegen/emit/lanes/joint.h"
#include "codegen/emit/lanes/statement.h"
#include "sched/gpu/rt_embed.h"

static const wadi_c_words item_words = {
    .language = WADI_C_DEVICE,
    .arg = {"begin", "end", "w->call->first", "w->call->workers", "w->call->count"},
    .unit = "WADI_AT(w, int64_t, w->call->unit)",
    .scratch_mark = "w->used",
    .segment = "wadi_segment(w, ",
    .pointer = {"WADI_AT(w, ", ", ", ")"},
    .numbers = {"WADI_AT(w, int64_t, ", ")"},
    .stored_bool = "uint8_t"};

static wadi_c_words words_of_groups(void) {
    wadi_c_words words = item_words;
    words.arg[0] = "w->call->begin";
    words.arg[1] = "w->call->n";
    return words;
}

static bool has_groups(const wadi_lfun *f) {
    for (uint32_t v = 0; v < f->n; v++)
        if (f->inst[v]->kind == WADI_L_FOR && f->inst[v]->by == WADI_BY_GROUPS) return true;
    return false;
}

static const char slots[] = "    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, const "
                            "wadi_gpu_slot, w->call->slot);\n";

/* `joint`: what takes small kernels; NULL: nobody. */
static void item_kernel(wadi_c_lanes *c, wadi_c_joint *joint) {
    wadi_text *t = c->w.out;
    const char *name = c->w.f->name;
    wadi_text_addf(t, "WADI_FN int %s_body(wadi_item *w, int64_t begin, int64_t end) {\n%s", name,
                   slots);
    wadi_c_lanes_scope(c, c->w.f->body, 1);
    wadi_text_add(t, "    return 0;\n}\n");
    if (joint != NULL && wadi_c_joint_takes(c->w.f))
        wadi_c_joint_add(joint, name, t);
    else
        wadi_text_addf(t, "\nWADI_KERNEL(%s) {\n    WADI_ITEM\n    WADI_RANGES(%s_body)\n}\n", name,
                       name);
}

/* Memory of the group: OpenCL C wants it at the top. Schedules see to it that there is enough. */
static void shared_arrays(wadi_c_lanes *c) {
    int64_t bytes = 0;
    for (uint32_t v = 0; v < c->w.f->n; v++) {
        const wadi_linst *i = c->w.f->inst[v];
        if (i->kind != WADI_L_LANES || !wadi_c_order_is_shared(&c->order, v) ||
            !c->w.names.at[v].printed)
            continue;
        wadi_text_addf(c->w.out, "    WADI_LOCAL %s %s[%d];\n", wadi_c_stored(&c->w, i->type),
                       c->w.names.at[v].name, i->index);
        bytes += (int64_t)i->index * wadi_type_size(i->type);
    }
    if (bytes > WADI_GROUP_BYTES) c->wrong = "its lanes share more than a group's memory holds";
}

static void group_kernel(wadi_c_lanes *c) {
    wadi_text *t = c->w.out;
    wadi_text_addf(t, "WADI_KERNEL(%s) {\n    WADI_ITEM\n", c->w.f->name);
    shared_arrays(c);
    if (wadi_c_lanes_can_fail(c->w.f->body, false))
        wadi_text_add(t, "    WADI_LOCAL int wadi_failed[2];\n"
                         "    int wadi_turn = 0;\n"
                         "    if (w->lane == 0) wadi_failed[0] = wadi_failed[1] = 0;\n"
                         "    WADI_BARRIER\n");
    wadi_text_add(t, slots);
    wadi_c_lanes_scope(c, c->w.f->body, 1);
    wadi_text_add(t, "}\n");
}

/* *barriers: in, whether the kernel is known to have any; out, how many. */
static wadi_status write_kernel(const wadi_lmodule *m, const wadi_lfun *f, wadi_c_joint *joint,
                                int *barriers, wadi_text *out, wadi_error *err) {
    const wadi_c_words by_groups = words_of_groups();
    wadi_c_lanes c = {.grouped = has_groups(f), .joins = *barriers > 0};
    c.w =
        (wadi_c_writer){.words = c.grouped ? &by_groups : &item_words, .m = m, .f = f, .out = out};
    const bool named = wadi_c_names_init(&c.w.names, f, wadi_c_lanes_is_taken);
    const bool ordered = named && wadi_c_order_init(&c.order, f, &c.w.names);
    if (ordered) {
        wadi_text_addf(out, "/* ---- start of %s ---- */\n", f->name);
        if (c.grouped)
            group_kernel(&c);
        else
            item_kernel(&c, joint);
        wadi_text_addf(out, "/* ---- end of %s ---- */\n\n", f->name);
    }
    const bool fine = ordered && !c.order.failed && !out->failed;
    *barriers = c.barriers;
    wadi_c_order_fini(&c.order);
    wadi_c_names_fini(&c.w.names);
    if (!fine) return wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
    if (c.wrong != NULL) return wadi_fail(err, WADI_INTERNAL, "%s: %s", f->name, c.wrong);
    return WADI_OK;
}

/* Whether it has barriers is known when it has been written; then it is written again. */
static wadi_status kernel(const wadi_lmodule *m, const wadi_lfun *f, wadi_c_joint *joint,
                          wadi_text *out, wadi_error *err) {
    int barriers = 0;
    wadi_text first = {0};
    wadi_status status = write_kernel(m, f, joint, &barriers, &first, err);
    if (status == WADI_OK && barriers == 0)
        wadi_text_add(out, wadi_text_str(&first));
    else if (status == WADI_OK)
        status = write_kernel(m, f, joint, &barriers, out, err);
    wadi_text_fini(&first);
    return status;
}

static bool uses_complex(const wadi_lmodule *m) {
    for (int k = 0; k < m->nfuns; k++)
        for (uint32_t v = 0; v < m->funs[k]->n; v++)
            if (wadi_type_is_complex(m->funs[k]->inst[v]->type)) return true;
    return false;
}

static wadi_status kernels_of(const wadi_lmodule *m, bool joins, wadi_text *out, wadi_error *err) {
    wadi_c_joint joint = {0};
    wadi_status status = WADI_OK;
    for (int k = 0; k < m->nfuns && status == WADI_OK; k++)
        status = kernel(m, m->funs[k], joins ? &joint : NULL, out, err);
    if (!wadi_c_joint_write(&joint, out) && status == WADI_OK)
        status = wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
    return status;
}

wadi_status wadi_emit_lanes(const wadi_lmodule *m, const wadi_dialect *d, wadi_text *out,
                            size_t *out_kernels, wadi_error *err) {
    wadi_text kernels;
    wadi_text_init(&kernels);
    wadi_status status = kernels_of(m, d->joins, &kernels, err);
    wadi_c_comment(out, "Kernels of ", m->name, ", made by wadi.");
    wadi_text_add(out, "\n\n");
    wadi_text_add(out, d->front);
    wadi_text_add(out, wadi_embed_call);
    wadi_text_add(out, wadi_embed_item);
    const bool fine =
        wadi_c_device_scalars(d->words, wadi_text_str(&kernels), uses_complex(m), out);
    *out_kernels = out->n;
    wadi_text_add(out, wadi_text_str(&kernels));
    if (status == WADI_OK && (!fine || out->failed))
        status = wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
    wadi_text_fini(&kernels);
    return status;
}
