/* A load is of its unit's piece in two cases. Its place is one that the same round stores to. Or its place is the number of the unit, times a
 * constant, and something from 0 up to below that constant (span.h): so the blocks of a fold are read. */
#include "codegen/loop/reach.h"

#include "codegen/loop/own.h"
#include "codegen/loop/span.h"

enum { SLOTS = 64, NOWHERE = -1, UNKNOWN = -2 };

typedef struct reach {
    const wadi_lfun *f;
    wadi_reach_units units;
    wadi_units by;
    bool known, quiet, of_shapes;
    int n;
    wadi_plan_touch of[SLOTS];
} reach;

static const wadi_linst *inst(const reach *r, wadi_lv v) {
    return r->f->inst[v];
}

/* The slot that the pointer points into. */
static int slot_of(const reach *r, wadi_lv pointer) {
    const wadi_linst *i = wadi_l_root(r->f, pointer);
    if (i->kind == WADI_L_COLUMN) return i->slot;
    return i->kind == WADI_L_SCRATCH ? NOWHERE : UNKNOWN;
}

static wadi_plan_touch *touch_of(reach *r, int slot) {
    for (int i = 0; i < r->n; i++)
        if (r->of[i].slot == slot) return &r->of[i];
    if (r->n == SLOTS) return NULL;
    r->of[r->n] = (wadi_plan_touch){.slot = slot, .own = -1};
    return &r->of[r->n++];
}

/* own: elements of a unit's piece; 0: any. */
static void add(reach *r, int slot, bool writes, int64_t own) {
    if (slot == NOWHERE) return;
    wadi_plan_touch *t = slot == UNKNOWN ? NULL : touch_of(r, slot);
    if (t == NULL) {
        r->known = false;
        return;
    }
    t->reads = t->reads || !writes;
    t->writes = t->writes || writes;
    t->own = t->own < 0 || t->own == own ? own : 0;
}

/* ---- places that are stored to ---- */

static wadi_lv advanced_by(const reach *r, wadi_lv pointer) {
    const wadi_linst *i = inst(r, pointer);
    return i->kind == WADI_L_ADVANCE ? i->args[1] : WADI_LV_NONE;
}

/* Whether what is stored is in the piece of the unit, and the load is at the same place in the same round. */
static bool is_stored_to(const reach *r, const wadi_linst *load) {
    for (uint32_t v = 0; v < r->f->n; v++) {
        const wadi_linst *s = inst(r, v);
        if (s->kind != WADI_L_STORE || slot_of(r, s->args[0]) != r->units.target) continue;
        if (wadi_own_plain(r->f, s->args[1]) != wadi_own_plain(r->f, load->args[1])) continue;
        if (advanced_by(r, s->args[0]) != advanced_by(r, load->args[0])) continue;
        if (wadi_own_is_made_in(r->f, load->self, s->scope)) return true;
    }
    return false;
}

/* ---- blocks ---- */

/* Elements of the block that the place lies in, where units have blocks of one row one behind the other; 0: it is no such place. */
static int64_t block_of(const reach *r, const wadi_linst *i) {
    if (r->units.rank != 1 || advanced_by(r, i->args[0]) != WADI_LV_NONE) return 0;
    const wadi_span s = wadi_span_of(&r->by, i->args[1], i->scope);
    const bool within = s.has_least && s.has_most && s.least >= 0 && s.most < s.size;
    return within ? s.size : 0;
}

/* The block that all that is stored to the target lies in. */
static int64_t find_piece(const reach *r) {
    int64_t piece = 0;
    for (uint32_t v = 0; v < r->f->n; v++) {
        const wadi_linst *i = inst(r, v);
        if (i->kind != WADI_L_STORE || slot_of(r, i->args[0]) != r->units.target) continue;
        const int64_t own = block_of(r, i);
        if (own == 0 || (piece > 0 && own != piece)) return 0;
        piece = own;
    }
    return piece;
}

/* ---- all instructions ---- */

static void look_at(reach *r, const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_LOAD:
    case WADI_L_FRESH:
        r->of_shapes = false;
        add(r, slot_of(r, i->args[0]), false,
            r->units.piece > 0 && is_stored_to(r, i) ? r->units.piece : block_of(r, i));
        break;
    case WADI_L_STORE: {
        const int slot = slot_of(r, i->args[0]);
        r->of_shapes = false;
        add(r, slot, true, slot == r->units.target ? r->units.piece : 0);
        if (i->atomic) add(r, slot, false, 0);
        break;
    }
    case WADI_L_COPY:
        r->of_shapes = false;
        add(r, slot_of(r, i->args[0]), true, 0);
        add(r, slot_of(r, i->args[1]), false, 0);
        break;
    case WADI_L_FOREIGN:
    case WADI_L_EMIT:
        r->known = r->quiet = r->of_shapes = false;
        break;
    case WADI_L_FAULT:
    case WADI_L_SCRATCH:
        r->quiet = r->of_shapes = false;
        break;
    case WADI_L_STRIDE:
    case WADI_L_UNIT:
    case WADI_L_SEGMENT:
        r->of_shapes = false;
        break;
    case WADI_L_ARG: /* 2: which elements of the stream these are */
        r->of_shapes = r->of_shapes && i->index != 2;
        break;
    default:
        break;
    }
}

wadi_plan_touches wadi_reach_of(const wadi_lfun *f, const wadi_reach_units *units,
                                wadi_arena *keep) {
    reach r = {.f = f,
               .units = *units,
               .by = wadi_units_of(f, units->whole),
               .known = true,
               .quiet = true,
               .of_shapes = true};
    if (r.units.piece == WADI_REACH_FIND) r.units.piece = find_piece(&r);
    for (uint32_t v = 0; v < f->n; v++) look_at(&r, f->inst[v]);
    wadi_plan_touch *of = WADI_NEW_N(keep, wadi_plan_touch, (size_t)r.n + 1);
    if (!r.known || !of) return (wadi_plan_touches){.quiet = r.quiet, .of_shapes = false};
    for (int i = 0; i < r.n; i++) of[i] = r.of[i];
    return (wadi_plan_touches){.quiet = r.quiet,
                               .of_shapes = r.of_shapes,
                               .known = true,
                               .n = r.n,
                               .of = of,
                               .target = r.units.target,
                               .piece = r.units.piece};
}
