/* Writing and reading charters. Nothing that is read is trusted. */
#include "sched/run/charter.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static const char title[] = "wadi charter 4";

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

static void put_stretches(const wadi_stretch_list *all, wadi_text *out) {
    wadi_state_put(out, all->n);
    for (int i = 0; i < all->n; i++) {
        wadi_state_put(out, all->at[i].keyed);
        wadi_state_put(out, all->at[i].n);
        for (int k = 0; k < all->at[i].n; k++) wadi_state_put(out, all->at[i].stage[k]);
    }
}

wadi_status wadi_charter_write(const wadi_plan *plan, const wadi_loader *loader, int phase,
                               const wadi_stretch_list *stretches, wadi_reports reports,
                               wadi_slots *once, wadi_buffers *buffers, wadi_text *out,
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
    put_stretches(stretches, out);
    wadi_state_put(out, reports);
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

/* A number up to `most`. */
static bool take_int(wadi_state_reader *r, int most, int *out) {
    int64_t n = 0;
    const bool good = wadi_state_take_count(r, most, &n, NULL) == WADI_OK;
    *out = (int)n;
    return good;
}

static bool take_stretches(wadi_state_reader *r, wadi_stretch_list *out) {
    bool good = take_int(r, WADI_STRETCHES, &out->n);
    for (int i = 0; good && i < out->n; i++) {
        wadi_stretch *t = &out->at[i];
        int keyed = 0;
        good = take_int(r, 1, &keyed) && take_int(r, WADI_STRETCH_STAGES, &t->n);
        t->keyed = keyed != 0;
        for (int k = 0; good && k < t->n; k++) good = take_int(r, INT32_MAX, &t->stage[k]);
    }
    return good;
}

wadi_status wadi_charter_read(const void *bytes, int64_t n, wadi_charter *out, wadi_error *err) {
    wadi_state_reader r = {bytes, (size_t)n};
    int reports = 0;
    if (!is_whole(r.at, r.left)) return damaged(err);
    r.left -= 8;
    if (!is_next(&r, title))
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "the charter of the job is of another version of wadi");
    WADI_TRY(check_version(&r, err));
    if (!take_hash(&r, out->hash) || !take_program(&r, &out->program) ||
        !take_int(&r, INT32_MAX, &out->phase) || !take_stretches(&r, &out->stretches) ||
        !take_int(&r, WADI_REPORTS_KINDS, &reports))
        return damaged(err);
    out->reports = (wadi_reports)reports;
    out->values = r;
    return WADI_OK;
}

/* ---- what was read, against the plan ---- */

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
    if (c->components != 1 || c->count != 1 ||
        !wadi_item_is_like(&c->component[0], &plan->slots[slot])) {
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
