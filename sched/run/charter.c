/* Writing and reading charters and items. Nothing that is read is trusted. */
#include "sched/run/charter.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static const char title[] = "wadi charter 1";

/* ---- charters ---- */

/* A ONCE slot as a chunk of one element, whose columns it borrows. */
static wadi_status put_value(wadi_slots *once, int slot, wadi_buffers *buffers, wadi_text *out,
                             wadi_error *err) {
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(buffers, 1, &c, err));
    c->count = 1;
    wadi_slots_take(once, slot, c, 0);
    const wadi_status status = wadi_state_put_chunk(out, c, err);
    wadi_chunk_release(c);
    return status;
}

/* Of an array that nobody reads any more only the shape is left. */
static bool has_columns(const wadi_slots *once, int slot) {
    return once->slot[slot].col[0] != NULL;
}

static wadi_status put_slot(wadi_slots *once, int slot, wadi_buffers *buffers, wadi_text *out,
                            wadi_error *err) {
    const int rank = once->plan->slots[slot].rank;
    wadi_state_put(out, slot);
    wadi_state_put(out, has_columns(once, slot));
    if (has_columns(once, slot)) return put_value(once, slot, buffers, out, err);
    for (int d = 0; d < rank; d++) wadi_state_put(out, once->slot[slot].shape[d]);
    return WADI_OK;
}

/* Arrays of the program itself are in its text. */
static bool travels(const wadi_slots *once, int slot) {
    const wadi_plan_slot *p = &once->plan->slots[slot];
    return p->kind == WADI_SLOT_ONCE && p->data == NULL && !wadi_slots_is_empty(once, slot);
}

static wadi_status put_values(wadi_slots *once, wadi_buffers *buffers, wadi_text *out,
                              wadi_error *err) {
    int64_t n = 0;
    for (int i = 0; i < once->plan->nslots; i++) n += travels(once, i);
    wadi_state_put(out, n);
    for (int i = 0; i < once->plan->nslots; i++)
        if (travels(once, i)) WADI_TRY(put_slot(once, i, buffers, out, err));
    return WADI_OK;
}

static wadi_status put_program(const wadi_loader *loader, wadi_text *out, wadi_error *err) {
    wadi_text program = {0};
    if (loader->charter == NULL)
        return wadi_fail(err, WADI_UNSUPPORTED, "the program has no text that could travel");
    const wadi_status status = loader->charter(loader->self, &program, err);
    if (status == WADI_OK) {
        wadi_state_put(out, (int64_t)program.n);
        wadi_text_add_n(out, program.at, program.n);
    }
    wadi_text_fini(&program);
    return status;
}

wadi_status wadi_charter_write(const wadi_plan *plan, const wadi_loader *loader, int phase,
                               int stage, wadi_slots *once, wadi_buffers *buffers, wadi_text *out,
                               wadi_error *err) {
    uint8_t hash[WADI_CHARTER_HASH];
    char digits[2 * WADI_CHARTER_HASH + 1];
    wadi_plan_layout_hash(plan, hash);
    wadi_hex(hash, WADI_CHARTER_HASH, digits);
    wadi_state_put_text(out, title);
    wadi_state_put_text(out, WADI_VERSION);
    wadi_state_put_text(out, digits);
    WADI_TRY(put_program(loader, out, err));
    wadi_state_put(out, phase);
    wadi_state_put(out, stage);
    WADI_TRY(put_values(once, buffers, out, err));
    wadi_state_put(out, (int64_t)wadi_crc32c(0, out->at, out->n));
    return out->failed ? wadi_fail(err, WADI_MEMORY, "charter: out of memory") : WADI_OK;
}

static wadi_status damaged(wadi_error *err) {
    return wadi_fail(err, WADI_IO, "the charter of the job is damaged");
}

/* Goes behind this text; false: another one stands there, and it can still be read. */
static bool is_next(wadi_state_reader *r, const char *s) {
    wadi_state_reader behind = *r;
    if (wadi_state_expect_text(&behind, s, NULL) != WADI_OK) return false;
    *r = behind;
    return true;
}

static wadi_status check_version(wadi_state_reader *r, wadi_error *err) {
    wadi_text other = {0};
    if (is_next(r, WADI_VERSION)) return WADI_OK;
    wadi_status status = wadi_state_take_text(r, &other, NULL);
    if (status == WADI_OK)
        status = wadi_fail(err, WADI_UNSUPPORTED, "home is wadi %.40s, and this is wadi %s",
                           wadi_text_str(&other), WADI_VERSION);
    else
        status = damaged(err);
    wadi_text_fini(&other);
    return status;
}

static bool take_hash(wadi_state_reader *r, uint8_t out[WADI_CHARTER_HASH]) {
    int64_t n = 0;
    if (wadi_state_take(r, &n, NULL) != WADI_OK || n != 2 * WADI_CHARTER_HASH ||
        r->left < (size_t)n)
        return false;
    if (!wadi_hex_read(r->at, WADI_CHARTER_HASH, out)) return false;
    r->at += n;
    r->left -= (size_t)n;
    return true;
}

static bool take_program(wadi_state_reader *r, wadi_state_reader *out) {
    int64_t n = 0;
    if (wadi_state_take_count(r, INT64_MAX, &n, NULL) != WADI_OK || r->left < (uint64_t)n)
        return false;
    *out = (wadi_state_reader){r->at, (size_t)n};
    r->at += n;
    r->left -= (size_t)n;
    return true;
}

static bool is_whole(const char *at, size_t n) {
    int64_t crc = 0;
    if (n < 8) return false;
    wadi_state_reader end = {at + n - 8, 8};
    return wadi_state_take(&end, &crc, NULL) == WADI_OK &&
           crc == (int64_t)wadi_crc32c(0, at, n - 8);
}

wadi_status wadi_charter_read(const void *bytes, int64_t n, wadi_charter *out, wadi_error *err) {
    wadi_state_reader r = {bytes, (size_t)n};
    int64_t phase = 0, stage = 0;
    if (!is_whole(r.at, r.left)) return damaged(err);
    r.left -= 8;
    if (!is_next(&r, title))
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "the charter of the job is of another version of wadi");
    WADI_TRY(check_version(&r, err));
    if (!take_hash(&r, out->hash) || !take_program(&r, &out->program) ||
        wadi_state_take_count(&r, INT32_MAX, &phase, NULL) != WADI_OK ||
        wadi_state_take_count(&r, INT32_MAX, &stage, NULL) != WADI_OK)
        return damaged(err);
    out->phase = (int)phase;
    out->stage = (int)stage;
    out->values = r;
    return WADI_OK;
}

/* ---- what was read, against the plan ---- */

static bool is_like(const wadi_chunk_component *c, const wadi_plan_slot *p) {
    if (c->rank != p->rank || c->fields != p->fields) return false;
    for (int f = 0; f < p->fields; f++)
        if (c->type[f] != p->type[f]) return false;
    return true;
}

/* Whether the component is stored as a body makes it. */
static bool is_made(const wadi_chunk_component *c, const wadi_plan_slot *p) {
    static const wadi_chunk_layout layout[] = {[WADI_SLOT_ONCE] = WADI_LAYOUT_AVOID,
                                               [WADI_SLOT_REGULAR] = WADI_LAYOUT_REGULAR,
                                               [WADI_SLOT_IRREGULAR] = WADI_LAYOUT_IRREGULAR};
    return c->layout == layout[p->kind];
}

static wadi_status take_shape(wadi_state_reader *r, wadi_slots *slots, int slot, wadi_error *err) {
    if (!wadi_slots_room_for_shapes(slots, slot, 1))
        return wadi_fail(err, WADI_MEMORY, "charter: out of memory");
    const int rank = slots->plan->slots[slot].rank;
    int64_t *shape = slots->slot[slot].shape;
    for (int d = 0; d < rank; d++)
        if (wadi_state_take_count(r, INT64_MAX, &shape[d], NULL) != WADI_OK) return damaged(err);
    return wadi_shape_values(rank, shape) >= 0 ? WADI_OK : damaged(err);
}

static wadi_status take_value(wadi_state_reader *r, const wadi_plan *plan, wadi_slots *slots,
                              int slot, wadi_buffers *buffers, wadi_chunk *held, wadi_error *err) {
    wadi_chunk *c = NULL;
    wadi_status status = wadi_state_take_chunk(r, buffers, &c, NULL);
    if (status != WADI_OK) return status == WADI_MEMORY ? status : damaged(err);
    if (c->components != 1 || c->count != 1 || !is_like(&c->component[0], &plan->slots[slot])) {
        status = damaged(err);
    } else {
        const wadi_array a = wadi_chunk_array(c, 0, 0);
        wadi_chunk_hold(held, c);
        status = wadi_slots_bind_array(slots, slot, &a, err);
    }
    wadi_chunk_release(c);
    return status;
}

static wadi_status take_slot(wadi_state_reader *r, const wadi_plan *plan, wadi_slots *slots,
                             wadi_buffers *buffers, wadi_chunk *held, wadi_error *err) {
    int64_t slot = 0, columns = 0;
    if (wadi_state_take_count(r, plan->nslots - 1, &slot, NULL) != WADI_OK ||
        wadi_state_take_count(r, 1, &columns, NULL) != WADI_OK ||
        plan->slots[slot].kind != WADI_SLOT_ONCE)
        return damaged(err);
    return columns != 0 ? take_value(r, plan, slots, (int)slot, buffers, held, err)
                        : take_shape(r, slots, (int)slot, err);
}

wadi_status wadi_charter_values(const wadi_charter *c, const wadi_plan *plan, wadi_slots *slots,
                                wadi_buffers *buffers, wadi_chunk **out_held, wadi_error *err) {
    wadi_state_reader r = c->values;
    int64_t n = 0;
    if (wadi_state_take_count(&r, plan->nslots, &n, NULL) != WADI_OK) return damaged(err);
    WADI_TRY(wadi_chunk_create(buffers, (int)n, out_held, err));
    wadi_status status = WADI_OK;
    for (int64_t i = 0; status == WADI_OK && i < n; i++)
        status = take_slot(&r, plan, slots, buffers, *out_held, err);
    if (status == WADI_OK && r.left != 0) status = damaged(err);
    return status;
}

static bool has(const int *list, int n, int slot) {
    for (int i = 0; i < n; i++)
        if (list[i] == slot) return true;
    return false;
}

int wadi_charter_results(const wadi_plan *plan, const wadi_plan_stage *p, const wadi_slots *once,
                         int *out) {
    int n = 0;
    for (int i = 0; i < p->nresults; i++) {
        const int slot = p->results[i];
        if (has(p->parts, p->nparts, slot)) continue;
        if (plan->slots[slot].kind == WADI_SLOT_ONCE && !wadi_slots_is_empty(once, slot)) continue;
        out[n++] = slot;
    }
    return n;
}

/* ---- items ---- */

wadi_status wadi_item_write(wadi_chunk *c, wadi_text *out, wadi_error *err) {
    WADI_TRY(wadi_state_put_chunk(out, c, err));
    return out->failed ? wadi_fail(err, WADI_MEMORY, "item: out of memory") : WADI_OK;
}

static bool are_like(const wadi_chunk *c, const wadi_plan *plan, int nslots, const int *slots,
                     bool as_made) {
    if (c->components != nslots) return false;
    for (int i = 0; i < nslots; i++) {
        const wadi_plan_slot *p = &plan->slots[slots[i]];
        if (!is_like(&c->component[i], p)) return false;
        if (as_made && !is_made(&c->component[i], p)) return false;
    }
    return true;
}

wadi_status wadi_item_read(const void *bytes, int64_t n, const wadi_plan *plan, int nslots,
                           const int *slots, bool as_made, wadi_buffers *buffers, wadi_chunk **out,
                           wadi_error *err) {
    wadi_state_reader r = {bytes, (size_t)n};
    WADI_TRY(wadi_state_take_chunk(&r, buffers, out, err));
    if (r.left == 0 && are_like(*out, plan, nslots, slots, as_made)) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return wadi_fail(err, WADI_IO, "item: a chunk of another stage, or none");
}
