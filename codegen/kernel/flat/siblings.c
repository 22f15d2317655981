/* Schedule flat of siblings (codegen/pass/siblings.c): one pass over units, each of which is a block of a row for all of them.
 *
 * A unit computes the block for one sibling after the other, so what they share comes from memory once and from the nearest cache after
 * that. Folds that fit into the registers share the innermost loop as well (kernel/together.c). Each sibling keeps the steps that follow:
 * the results of a fold's blocks are combined where the fold stands. */
#include <string.h>

#include "base/error.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/skeleton.h"

enum { MEMBERS = 8 };

typedef struct family {
    int n;
    wadi_flat_part part[MEMBERS];
} family;

/* ---- who belongs to it ---- */

/* Whether it has that number, and the steps of the binding are still to be made. A state that changes in place is left where it is. */
static bool is_member(const wadi_flat *c, const wadi_bind *bind, int number) {
    if (bind->nresults != 1) return false;
    const wadi_val v = bind->results[0];
    return c->y->m->values[v].siblings == number && !c->known[v] && c->parts[v] < 0 &&
           c->y->takes[v] == WADI_NONE;
}

/* Pieces of rows as they are cut if nothing else is said. */
static void in_pieces(wadi_flat *c, const wadi_bind *bind, wadi_flat_part *out) {
    const wadi_val v = bind->results[0];
    if (!wadi_is_stored(c->y, v) || c->y->grouped) return;
    out->cut = &wadi_flat_pieces_cut;
    out->slot = c->y->slot_of[v];
    c->known[v] = true;
}

static wadi_status add(wadi_flat *c, family *f, const wadi_bind *bind) {
    const wadi_skeleton_row *row = wadi_skeleton_of(c->y, bind);
    wadi_flat_part *p = &f->part[f->n];
    *p = (wadi_flat_part){.bind = bind, .table = -1, .together = 1};
    if (row->beside)
        WADI_TRY(row->beside(c, bind, p));
    else
        in_pieces(c, bind, p);
    if (p->cut) f->n++;
    return WADI_OK;
}

/* ---- their order ---- */

/* The first part says how many units there are. Parts that share loops stand behind the others. */
static int turn_of(const wadi_flat_part *p) {
    return p->cut->joins ? 2 : p->empty ? 0 : 1;
}

static void put_in_order(family *f) {
    family sorted = {.n = 0};
    for (int turn = 0; turn < 3; turn++)
        for (int k = 0; k < f->n; k++)
            if (turn_of(&f->part[k]) == turn) sorted.part[sorted.n++] = f->part[k];
    *f = sorted;
}

static void share_loops(family *f, const wadi_lower *l) {
    const wadi_bind *joining[MEMBERS];
    for (int k = 0; k < f->n;) {
        int n = 0;
        for (; k + n < f->n && f->part[k + n].cut->joins; n++) joining[n] = f->part[k + n].bind;
        const int together = n > 1 ? wadi_lower_folds_together(l, n, joining) : 1;
        f->part[k].together = together;
        for (int j = 1; j < together; j++) f->part[k + j].together = 0;
        k += together;
    }
}

wadi_status wadi_flat_siblings(wadi_flat *c, int n, const wadi_bind *const *binds) {
    family f = {.n = 0};
    if (binds[0]->nresults != 1) return WADI_OK;
    const int number = c->y->m->values[binds[0]->results[0]].siblings;
    if (number == 0 || !is_member(c, binds[0], number)) return WADI_OK;
    int members = 0;
    for (int i = 0; i < n; i++) members += is_member(c, binds[i], number);
    if (members < 2) return WADI_OK;
    for (int i = 0; i < n && f.n < MEMBERS; i++)
        if (is_member(c, binds[i], number)) WADI_TRY(add(c, &f, binds[i]));
    if (f.n == 0) return WADI_OK;
    put_in_order(&f);
    const wadi_lower l = {.y = c->y, .m = c->y->m};
    share_loops(&f, &l);
    return wadi_flat_cut_all(c, f.n, f.part);
}
