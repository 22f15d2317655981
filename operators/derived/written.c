/* Derived functions as texts write them: `sort a`. A row has what the text gives it as arguments of the C function of that name, which builds the
 * operators. The program that comes out is printed, and the parser reads it in place of the call. */
#include "operators/derived/written.h"

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "operators/derived/sort_keys.h"

typedef struct row row;

/* A call inside the program that is made for it. */
typedef struct making {
    const row *row;
    const wadi_derived_call *call;
    wadi_acc *array; /* [call->n] the arguments; of a scalar function none */
} making;

struct row {
    wadi_derived d;                            /* first: a pointer to it is one to the row */
    wadi_acc (*of_arrays)(const making *c);    /* of a scalar function NULL, */
    wadi_exp (*of_scalars)(const wadi_exp *x); /* of any other one this */
};

/* ---- orders ---- */

static wadi_acc sort(const making *c) {
    return wadi_sort(c->array[0]);
}

static wadi_acc argsort(const making *c) {
    return wadi_argsort(c->array[0]);
}

/* The orders of the keys, which follow the array. Attribute k says whether order k descends. Returns their number; 0 after a mistake. */
static int orders_of(const making *c, wadi_order *orders) {
    const int n = c->call->n - 1;
    if (c->call->nattrs > n) {
        wadi_lang_fail(WADI_INVALID, "%s: %d directions for %d key%s", c->row->d.name,
                       c->call->nattrs, n, n == 1 ? "" : "s");
        return 0;
    }
    for (int k = 0; k < c->call->nattrs; k++) {
        const int64_t down = c->call->attrs[k];
        if (down != 0 && down != 1) {
            wadi_lang_fail(WADI_INVALID, "%s: down is %lld, expected 0 or 1", c->row->d.name,
                           (long long)down);
            return 0;
        }
        orders[k].down = down == 1;
    }
    return n;
}

static wadi_acc positions(const making *c) {
    wadi_order orders[WADI_MAX_FIELDS] = {{0}};
    const int n = orders_of(c, orders);
    if (n == 0) return WADI_NO_ACC;
    const char *outer = wadi_lang_call(c->row->d.name);
    return wadi_acc_called(outer, wadi_sort_positions(c->row->d.name, n, orders, c->array + 1));
}

static wadi_acc sort_by(const making *c) {
    wadi_order orders[WADI_MAX_FIELDS] = {{0}};
    const int n = orders_of(c, orders);
    if (n == 0) return WADI_NO_ACC;
    const char *outer = wadi_lang_call(c->row->d.name);
    return wadi_acc_called(
        outer, wadi_sort_elements(c->row->d.name, n, orders, c->array + 1, c->array[0]));
}

/* Argument `i`, a number. A literal stays one: an array of rank 0 would have to be read. */
static wadi_exp number(const making *c, int i) {
    const wadi_scalar v = c->call->literals[i];
    if (c->call->is_literal[i] && wadi_type_is_int(v.type))
        return wadi_convert(v.type, wadi_i64((int64_t)v.bits));
    if (c->call->is_literal[i]) return wadi_literal(v.type, 0);
    const wadi_array_type *t = &c->call->types[i];
    if (t->rank == 0) return wadi_the(c->array[i]);
    return wadi_exp_of(wadi_lang_fail(WADI_SHAPE, "%s: argument %d is %s, expected rank 0",
                                      c->row->d.name, i + 1, wadi_array_type_text(t)));
}

static wadi_acc largest(const making *c) {
    return wadi_largest(number(c, 1), c->array[0]);
}

static wadi_acc smallest(const making *c) {
    return wadi_smallest(number(c, 1), c->array[0]);
}

static wadi_acc unique(const making *c) {
    return wadi_unique(c->array[0]);
}

static wadi_acc group_ids(const making *c) {
    return wadi_group_ids(c->array[0]);
}

static wadi_acc lower_bound(const making *c) {
    return wadi_lower_bound(c->array[0], c->array[1]);
}

static wadi_acc upper_bound(const making *c) {
    return wadi_upper_bound(c->array[0], c->array[1]);
}

static wadi_acc matmul(const making *c) {
    return wadi_matmul(c->array[0], c->array[1]);
}

/* ---- elementary functions ---- */

static wadi_exp sincos(const wadi_exp *x) {
    return wadi_sincos(x[0]);
}

/* ---- random numbers ---- */

static wadi_exp random_words(const wadi_exp *x) {
    return wadi_random_words(x[0], x[1], x[2]);
}

static wadi_exp random_u32(const wadi_exp *x) {
    return wadi_random_u32(x[0], x[1]);
}

static wadi_exp random_u64(const wadi_exp *x) {
    return wadi_random_u64(x[0], x[1]);
}

static wadi_exp random_f32(const wadi_exp *x) {
    return wadi_random_f32(x[0], x[1]);
}

static wadi_exp random_f64(const wadi_exp *x) {
    return wadi_random_f64(x[0], x[1]);
}

static wadi_exp random_below(const wadi_exp *x) {
    return wadi_random_below(x[0], x[1], x[2]);
}

static wadi_exp random_between(const wadi_exp *x) {
    return wadi_random_between(x[0], x[1], x[2], x[3]);
}

static wadi_exp random_normal_f64(const wadi_exp *x) {
    return wadi_random_normal_f64(x[0], x[1]);
}

static wadi_exp random_normal_f32(const wadi_exp *x) {
    return wadi_random_normal_f32(x[0], x[1]);
}

/* ---- the program of a call ---- */

static wadi_elem_type elem_type(const wadi_elem *e) {
    wadi_elem_type t = {.fields = e->fields};
    for (int f = 0; f < e->fields; f++) {
        t.type[f] = e->type[f];
        t.name[f] = e->name[f];
    }
    return t;
}

static void make_arrays(const row *r, const wadi_derived_call *call) {
    wadi_acc args[WADI_DRAFT_ARGS];
    making c = {r, call, args};
    for (int i = 0; i < call->n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a%d", i);
        args[i] = wadi_input_rec(name, elem_type(&call->types[i].elem), call->types[i].rank, NULL);
    }
    wadi_output("r", r->of_arrays(&c));
}

static const char *const fields[WADI_DERIVED_SCALARS] = {"x0", "x1", "x2", "x3"};

static wadi_exp of_record(void *env, wadi_exp x) {
    const making *c = env;
    wadi_exp args[WADI_DERIVED_SCALARS] = {x};
    for (int i = 0; c->call->n > 1 && i < c->call->n; i++) args[i] = wadi_get(x, fields[i]);
    return c->row->of_scalars(args);
}

static void make_scalar(const row *r, const wadi_derived_call *call) {
    making c = {.row = r, .call = call};
    wadi_elem_type t = {.fields = call->n};
    for (int i = 0; i < call->n; i++) {
        t.type[i] = call->types[i].elem.type[0];
        t.name[i] = call->n > 1 ? fields[i] : NULL;
    }
    wadi_output("r", wadi_map_env(of_record, &c, wadi_input_rec("a", t, 1, NULL)));
}

static wadi_status write(const wadi_derived *d, const wadi_op_table *ops,
                         const wadi_derived_call *call, wadi_text *out, wadi_error *err) {
    const row *r = (const row *)(const void *)d;
    wadi_module *m = NULL;
    const wadi_lang_aside outside = wadi_lang_set_aside();
    wadi_program *p = wadi_program_create(d->name);
    if (!p) {
        wadi_lang_put_back(&outside);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    if (r->of_scalars)
        make_scalar(r, call);
    else
        make_arrays(r, call);
    const wadi_status st = wadi_program_lower(p, ops, &m, err);
    if (st == WADI_OK) wadi_ir_print(m, out);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
    wadi_lang_put_back(&outside);
    return st;
}

/* ---- the table ---- */

#define ARRAYS(word, form_, types_, about_, n, keys_, attrs_, f) \
    {                                                            \
        {.name = (word),                                         \
         .form = (form_),                                        \
         .types = (types_),                                      \
         .about = (about_),                                      \
         .attrs = (attrs_),                                      \
         .nargs = (n),                                           \
         .keys = (keys_),                                        \
         .text = write},                                         \
            .of_arrays = (f)                                     \
    }
/* A number of scalars for which there is room. */
#define SCALARS(n) ((int)(sizeof(char[(n) <= WADI_DERIVED_SCALARS ? (n) : -1])))
#define SCALAR(word, form_, types_, about_, n, f) \
    {                                             \
        {.name = (word),                          \
         .form = (form_),                         \
         .types = (types_),                       \
         .about = (about_),                       \
         .scalar = true,                          \
         .nargs = SCALARS(n),                     \
         .text = write},                          \
            .of_scalars = (f)                     \
    }

static const row rows[] = {
    ARRAYS("sort", "sort a", "a[.., n] -> a[.., n]",
           "each row in ascending order; stable, NaN last", 1, 0, NULL, sort),
    ARRAYS("sort_by_key", "sort_by_key a (x) { key }", "a[.., n], (a -> k) -> a[.., n]",
           "each row in ascending order of the keys of its elements", 1, 1, NULL, sort_by),
    ARRAYS("sort_by", "sort_by down=0.. a (x) { key } ..", "a[.., n], (a -> k).. -> a[.., n]",
           "each row by several keys, the first one first; those whose down is 1 descend", 1,
           WADI_MAX_FIELDS, "down", sort_by),
    ARRAYS("argsort", "argsort a", "a[.., n] -> i64[.., n]",
           "the positions that the elements of the sorted row had", 1, 0, NULL, argsort),
    ARRAYS("argsort_by", "argsort_by down=0.. a (x) { key } ..",
           "a[.., n], (a -> k).. -> i64[.., n]", "the positions in the order of sort_by", 1,
           WADI_MAX_FIELDS, "down", positions),
    ARRAYS("largest", "largest a k", "a[.., n], integer -> a[.., min(k, n)], i64[.., min(k, n)]",
           "the k greatest elements of each row, the greatest first, and their positions", 2, 0,
           NULL, largest),
    ARRAYS("smallest", "smallest a k", "a[.., n], integer -> a[.., min(k, n)], i64[.., min(k, n)]",
           "the k least elements of each row, the least first, and their positions", 2, 0, NULL,
           smallest),
    ARRAYS("unique", "unique a", "a[.., n] -> a[m], i64[m], i64[..]",
           "runs of equal neighbours: first elements, lengths, and how many in each row", 1, 0,
           NULL, unique),
    ARRAYS("group_ids", "group_ids a", "a[.., n] -> i64[.., n]",
           "for each element the number of its run of equal neighbours", 1, 0, NULL, group_ids),
    ARRAYS("lower_bound", "lower_bound sorted needles", "a[.., n], a[.., m] -> i64[.., m]",
           "for each needle how many elements of the sorted row are less", 2, 0, NULL, lower_bound),
    ARRAYS("upper_bound", "upper_bound sorted needles", "a[.., n], a[.., m] -> i64[.., m]",
           "for each needle how many elements of the sorted row are less or equal", 2, 0, NULL,
           upper_bound),
    ARRAYS("matmul", "matmul a b", "a[.., m, k], a[.., k, n] -> a[.., m, n]",
           "products of matrices; extents that differ: fault", 2, 0, NULL, matmul),
    SCALAR("sincos", "sincos x", "a float or a complex number; two of the same",
           "sine and cosine, which share their work", 1, sincos),
    SCALAR("random_words", "random_words seed index above",
           "integer, integer, integer -> u32, u32, u32, u32",
           "the 128 bits at the counter index + 2^64 above", 3, random_words),
    SCALAR("random_u32", "random_u32 seed index", "integer, integer -> u32",
           "all values equally likely", 2, random_u32),
    SCALAR("random_u64", "random_u64 seed index", "integer, integer -> u64",
           "all values equally likely", 2, random_u64),
    SCALAR("random_f32", "random_f32 seed index", "integer, integer -> f32",
           "in [0, 1): a multiple of 2^-24, all equally likely", 2, random_f32),
    SCALAR("random_f64", "random_f64 seed index", "integer, integer -> f64",
           "in [0, 1): a multiple of 2^-53, all equally likely", 2, random_f64),
    SCALAR("random_below", "random_below seed index n", "integer, integer, a -> a",
           "0 .. n - 1; n below 1 gives 0", 3, random_below),
    SCALAR("random_between", "random_between seed index low high", "integer, integer, a, a -> a",
           "low .. high, both included; high below low gives low", 4, random_between),
    SCALAR("random_normal_f64", "random_normal_f64 seed index", "integer, integer -> f64",
           "normal, mean 0, deviation 1", 2, random_normal_f64),
    SCALAR("random_normal_f32", "random_normal_f32 seed index", "integer, integer -> f32",
           "the same as random_normal_f64, rounded to f32", 2, random_normal_f32),
};

const wadi_derived *wadi_derived_row(int i) {
    return i < (int)(sizeof rows / sizeof *rows) ? &rows[i].d : NULL;
}
