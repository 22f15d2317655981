/* Vectors in scratch memory that double when they are full. The memory they have left stays as it is, so pointers into it
 * remain valid. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/sequence/vector.h"

wadi_vector wadi_vector_start(wadi_lower *l, int fields, const wadi_type *type, wadi_lv room,
                              bool fits) {
    wadi_vector v = {.fields = fields, .type = type, .fits = fits};
    for (int f = 0; f < fields; f++) {
        const wadi_lv memory = wadi_lb_scratch(&l->b, type[f], 1, &room, "all");
        v.pointer[f] = wadi_lb_var(&l->b, type[f], true, memory, "all");
    }
    v.room = wadi_lb_var(&l->b, WADI_I64, false, room, "room");
    v.used = wadi_lb_var(&l->b, WADI_I64, false, wadi_lb_i64(&l->b, 0), "used");
    return v;
}

wadi_vector wadi_vector_declare(wadi_lower *l, int fields, const wadi_type *type) {
    wadi_vector v = {.fields = fields, .type = type};
    for (int f = 0; f < fields; f++)
        v.pointer[f] = wadi_lb_var(&l->b, type[f], true, WADI_LV_NONE, "all");
    v.room = wadi_lb_var(&l->b, WADI_I64, false, wadi_lb_i64(&l->b, 0), "room");
    v.used = wadi_lb_var(&l->b, WADI_I64, false, wadi_lb_i64(&l->b, 0), "used");
    return v;
}

void wadi_vector_empty(wadi_lower *l, const wadi_vector *v, wadi_lv room) {
    for (int f = 0; f < v->fields; f++)
        wadi_lb_set(&l->b, v->pointer[f], wadi_lb_scratch(&l->b, v->type[f], 1, &room, "all"));
    wadi_lb_set(&l->b, v->room, room);
    wadi_lb_set(&l->b, v->used, wadi_lb_i64(&l->b, 0));
}

void wadi_vector_reserve(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                         const wadi_vector *v, wadi_lv n) {
    wadi_lb *b = &l->b;
    if (v->fits) return;
    const wadi_lv used = wadi_lb_get(b, v->used), room = wadi_lb_get(b, v->room);
    const wadi_lv need = bin(l, WADI_SOP_ADD, used, n);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, need, room));
    const wadi_lv twice = bin(l, WADI_SOP_MUL, room, wadi_lb_i64(b, 2));
    const wadi_lv more = bin(l, WADI_SOP_MAX, need, twice);
    for (int f = 0; f < v->fields; f++) {
        const wadi_lv memory = wadi_lb_scratch(b, v->type[f], 1, &more, "more");
        const wadi_lv copy[] = {memory, wadi_lb_get(b, v->pointer[f]), used};
        (void)wadi_lb_act(b, WADI_L_COPY, 3, copy);
        wadi_lb_set(b, v->pointer[f], memory);
    }
    wadi_lb_set(b, v->room, more);
    wadi_inner_keep(l, in, home);
    wadi_lb_end(b);
}

void wadi_vector_append(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                        const wadi_vector *v, const wadi_vloc *at, const wadi_array_type *t) {
    wadi_lb *b = &l->b;
    const wadi_lv n = wadi_lower_size(l, t->rank, at->extent);
    wadi_vector_reserve(l, in, home, v, n);
    const wadi_lv used = wadi_lb_get(b, v->used);
    for (int f = 0; f < v->fields; f++) {
        const wadi_lv to = wadi_lb_get(b, v->pointer[f]);
        if (t->rank == 0) {
            wadi_lb_store(b, to, used, at->field[f]);
            continue;
        }
        const wadi_lv copy[] = {wadi_lb_advance(b, to, used), at->field[f], n};
        (void)wadi_lb_act(b, WADI_L_COPY, 3, copy);
    }
    wadi_lb_set(b, v->used, bin(l, WADI_SOP_ADD, used, n));
}
