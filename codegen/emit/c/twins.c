/* Finds equal kernels by digests. What is digested is the tree of instructions. Values are numbered in the order in which they appear there,
 * slots and places in the order of their first use. Names and notes, which only readers see, are left out. Neither does it matter what the
 * constants are that floats are added to, multiplied by and compared with: a compiler makes little of knowing them. */
#include "codegen/emit/c/twins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/c_like/scalar.h"

enum {
    MANY_KERNELS = 96, /* of a module: a program of a dozen operators has fewer */
    WORTH_SHARING = 4, /* instructions: a call takes as long to compile as fewer */
    DIGEST = 32
};

typedef struct digester {
    const wadi_lmodule *m;
    const wadi_lfun *f;
    wadi_text text;
    uint32_t *number; /* [value] 0: it has not appeared yet */
    bool *literal;    /* [value] a constant that the text must have */
    uint32_t numbers;
    int instructions; /* that compute something */
    wadi_c_numbers *used;
} digester;

static uint32_t number_of(digester *d, wadi_lv v) {
    if (v == WADI_LV_NONE) return 0;
    if (d->number[v] == 0) d->number[v] = ++d->numbers;
    return d->number[v];
}

static void put(digester *d, int64_t x) {
    wadi_text_add_n(&d->text, (const char *)&x, sizeof x);
}

static void put_number(digester *d, wadi_c_number_kind kind, int number, int words) {
    const int at = wadi_c_number_add(d->used, kind, number, words);
    if (at < 0) d->text.failed = true;
    put(d, at);
    if (kind == WADI_C_SLOT) put(d, d->m->slots[number].rank);
}

static bool has_slot(const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_SHAPE:
    case WADI_L_STRIDE:
    case WADI_L_OFFSET:
    case WADI_L_COLUMN:
    case WADI_L_SETSHAPE:
    case WADI_L_EMIT:
        return true;
    default:
        return false;
    }
}

/* Whether `index` of the instruction is a place. */
static bool has_place(const wadi_linst *i) {
    return i->kind == WADI_L_FAULT || i->kind == WADI_L_SCRATCH || i->kind == WADI_L_EMIT;
}

static void put_flags(digester *d, const wadi_linst *i) {
    const bool flags[] = {i->pointer, i->has_value, i->nonneg,    i->independent, i->unrolled,
                          i->brief,   i->seldom,    i->bulky,     i->careful,     i->atomic,
                          i->apart,   i->placing,   i->truncates, i->exact,       i->near};
    wadi_text_add_n(&d->text, (const char *)flags, sizeof flags);
    put(d, i->bits);
    put(d, (int64_t)i->by);
}

static void put_text(digester *d, const char *text) {
    put(d, (int64_t)strlen(text));
    wadi_text_add(&d->text, text);
}

static void put_imm(digester *d, const wadi_linst *i) {
    put(d, (int64_t)i->imm.bits);
    put(d, (int64_t)i->imm.im);
}

/* Constants stand in no scope. */
static void put_argument(digester *d, wadi_lv v) {
    enum { VALUE, LITERAL, REAL };
    const wadi_linst *i = v == WADI_LV_NONE ? NULL : d->f->inst[v];
    if (i == NULL || i->kind != WADI_L_CONST) {
        put(d, VALUE);
        put(d, number_of(d, v));
        return;
    }
    put(d, d->literal[v] ? LITERAL : REAL);
    put(d, (int64_t)i->type);
    if (d->literal[v])
        put_imm(d, i);
    else
        put_number(d, WADI_C_REAL, (int)v, wadi_type_size(i->type) / 4);
}

static void put_scope(digester *d, const wadi_lscope *s);

static void put_instruction(digester *d, const wadi_linst *i) {
    d->instructions += i->kind != WADI_L_CONST;
    put(d, (int64_t)i->kind);
    put(d, (int64_t)i->op);
    put(d, (int64_t)i->type);
    put_flags(d, i);
    put_imm(d, i);
    if (has_slot(i)) put_number(d, WADI_C_SLOT, i->slot, 1);
    if (has_place(i))
        put_number(d, WADI_C_PLACE, i->index, 1);
    else
        put(d, i->index);
    put(d, number_of(d, i->self));
    if (i->kind == WADI_L_FOR) put(d, number_of(d, i->var));
    if (i->kind == WADI_L_FOREIGN) put_text(d, i->text);
    put(d, i->nargs);
    for (int a = 0; a < i->nargs; a++) put_argument(d, i->args[a]);
    for (int k = 0; k < 2; k++) {
        put(d, i->block[k] != NULL);
        if (i->block[k] != NULL) put_scope(d, i->block[k]);
    }
}

static void put_scope(digester *d, const wadi_lscope *s) {
    for (int k = 0; k < s->n; k++)
        if (s->inst[k]->kind != WADI_L_NOTE) put_instruction(d, s->inst[k]);
    put(d, -1);
}

/* Whether the compiler makes the same of any float as argument `a`. It divides by some through multiplication, and a limit of the less and the
 * greater decides how these are written. */
static bool takes_any_real(const wadi_linst *i, int a) {
    if (i->kind != WADI_L_PRIM) return false;
    switch (i->op) {
    case WADI_SOP_ADD:
    case WADI_SOP_SUB:
    case WADI_SOP_MUL:
    case WADI_SOP_FMA:
    case WADI_SOP_EQ:
    case WADI_SOP_NE:
    case WADI_SOP_LT:
    case WADI_SOP_LE:
    case WADI_SOP_GT:
    case WADI_SOP_GE:
        return true;
    case WADI_SOP_FDIV:
        return a == 0;
    default:
        return false;
    }
}

/* Products with -1 and differences from -0 are a change of sign for a compiler that knows the constant: the sign of a NaN changes, too. */
static bool changes_sign(const wadi_linst *i) {
    const uint64_t bits = i->imm.bits;
    return i->type == WADI_F64
               ? bits == UINT64_C(0xbff0000000000000) || bits == UINT64_C(0x8000000000000000)
               : bits == 0xbf800000 || bits == 0x80000000;
}

/* A constant must be in the text if one of its uses asks for it. */
static void find_literals(const wadi_lfun *f, bool *literal) {
    for (uint32_t v = 0; v < f->n; v++)
        literal[v] = !wadi_type_is_float(f->inst[v]->type) || changes_sign(f->inst[v]);
    for (uint32_t v = 0; v < f->n; v++) {
        const wadi_linst *i = f->inst[v];
        for (int a = 0; a < i->nargs; a++)
            if (i->args[a] != WADI_LV_NONE && !takes_any_real(i, a)) literal[i->args[a]] = true;
    }
}

/* False: out of memory. *worth: whether the kernel is long enough. */
static bool digest_of(const wadi_lmodule *m, const wadi_lfun *f, wadi_c_numbers *used,
                      uint8_t out[DIGEST], bool *worth) {
    digester d = {.m = m, .f = f, .used = used};
    d.number = calloc((size_t)f->n + 1, sizeof *d.number);
    d.literal = calloc((size_t)f->n + 1, sizeof *d.literal);
    const bool room = d.number != NULL && d.literal != NULL;
    if (room) {
        find_literals(f, d.literal);
        put_scope(&d, f->body);
    }
    const bool ok = room && !d.text.failed && wadi_blake2b(d.text.at, d.text.n, out) == WADI_OK;
    *worth = d.instructions >= WORTH_SHARING;
    free(d.number);
    free(d.literal);
    wadi_text_fini(&d.text);
    return ok;
}

/* Joins kernel k to the first one before it with the same digest. */
static void join(wadi_c_twin *twins, const uint8_t (*digests)[DIGEST], int k) {
    for (int b = 0; b < k; b++) {
        if (twins[b].model != b || memcmp(digests[b], digests[k], DIGEST) != 0) continue;
        twins[k].model = b;
        twins[b].sharers++;
        return;
    }
    twins[k].model = k;
    twins[k].sharers = 1;
}

static bool find(const wadi_lmodule *m, wadi_c_twin *twins) {
    uint8_t(*digests)[DIGEST] = calloc((size_t)m->nfuns, sizeof *digests);
    bool ok = digests != NULL;
    for (int k = 0; ok && k < m->nfuns; k++) {
        bool worth = false;
        ok = digest_of(m, m->funs[k], &twins[k].numbers, digests[k], &worth);
        if (ok && worth) join(twins, (const uint8_t(*)[DIGEST])digests, k);
    }
    for (int k = 0; k < m->nfuns; k++)
        if (twins[k].model == k && twins[k].sharers == 1) twins[k].model = -1;
    free(digests);
    return ok;
}

wadi_c_twin *wadi_c_twins_find(const wadi_lmodule *m) {
    wadi_c_twin *twins = calloc((size_t)m->nfuns + 1, sizeof *twins);
    if (twins == NULL) return NULL;
    for (int k = 0; k < m->nfuns; k++) twins[k].model = -1;
    if (m->nfuns < MANY_KERNELS || find(m, twins)) return twins;
    wadi_c_twins_free(twins, m);
    return NULL;
}

void wadi_c_twins_free(wadi_c_twin *twins, const wadi_lmodule *m) {
    if (twins == NULL) return;
    for (int k = 0; k < m->nfuns; k++) wadi_vec_free(&twins[k].numbers);
    free(twins);
}

/* ---- tables ---- */

/* A constant as words, in the byte order of the targets, which is the host's. */
static void constant_words(const wadi_linst *i, wadi_text *out) {
    int32_t word[2];
    memcpy(word, &i->imm.bits, sizeof word);
    for (int k = 0; k < wadi_type_size(i->type) / 4; k++)
        wadi_text_addf(out, "%s%" PRId32, k > 0 ? ", " : "", word[k]);
}

static void table_row(const wadi_lmodule *m, const wadi_lfun *f, const wadi_c_number *n,
                      wadi_text *out) {
    if (n->kind == WADI_C_REAL) {
        constant_words(f->inst[n->number], out);
        wadi_text_add(out, " /* ");
        wadi_c_constant(out, WADI_C_HOST, f->inst[n->number]->imm);
        wadi_text_add(out, " */");
        return;
    }
    wadi_text_addf(out, "%d", n->number);
    const char *name = n->kind == WADI_C_SLOT ? m->slots[n->number].name : NULL;
    if (name == NULL) return;
    wadi_text_add(out, " ");
    wadi_c_comment(out, "", name, "");
}

void wadi_c_twins_table(const wadi_lmodule *m, const wadi_lfun *f, const wadi_c_numbers *numbers,
                        wadi_text *out) {
    for (size_t k = 0; k < numbers->n; k++) {
        if (k > 0) wadi_text_add(out, ", ");
        table_row(m, f, &numbers->at[k], out);
    }
    if (numbers->n == 0) wadi_text_add(out, "0");
}
