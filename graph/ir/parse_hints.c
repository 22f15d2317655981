/* What to write instead of a usual mistake: words of other languages, scalar operations where arrays are meant, and the reverse. A hint stands
 * in the message in parentheses. */
#include <string.h>

#include "graph/ir/parse.h"

/* ---- words of other languages ---- */

static const struct word {
    const char *word, *instead;
} words[] = {
    {"sum", "a sum is fold z a (x, y) { add x y }"},
    {"product", "a product is fold z a (x, y) { mul x y }"},
    {"reduce", "fold z a (x, y) { .. }"},
    {"foldl", "fold z a (x, y) { .. }"},
    {"mean", "a mean is a fold, then fdiv by the extent in a unit"},
    {"average", "a mean is a fold, then fdiv by the extent in a unit"},
    {"argmax", "a fold of pairs of element and index, which imap makes"},
    {"argmin", "a fold of pairs of element and index, which imap makes"},
    {"any", "fold false a (x, y) { lor x y }"},
    {"all", "fold true a (x, y) { land x y }"},
    {"scan", "scanl z a (x, y) { .. }"},
    {"cumsum", "sums of beginnings are scanl1 a (x, y) { add x y }"},
    {"filter", "a filter is compact n a (x) { keep }, where n is how many it keeps"},
    {"where", "a filter is compact n a (x) { keep }, where n is how many it keeps"},
    {"count", "a count is a map to 1 or 0, and a fold that adds"},
    {"length", "unit { extent a 0 }"},
    {"len", "unit { extent a 0 }"},
    {"size", "unit { extent a 0 }"},
    {"shape", "unit { extent a 0 }"},
    {"iota", "generate n (i) { i }"},
    {"range", "generate n (i) { i }"},
    {"arange", "generate n (i) { i }"},
    {"zeros", "replicate new=1 0.0 n"},
    {"ones", "replicate new=1 1.0 n"},
    {"fill", "replicate new=1 a n"},
    {"zip", "zip_with a b (x, y) { x: x, y: y }"},
    {"zipWith", "zip_with a b.. (x, y..) { .. }"},
    {"flatten", "reshape a n"},
    {"dot", "zip_with a b (x, y) { mul x y }, then a fold"},
    {"search", "lower_bound sorted needles, or upper_bound sorted needles"},
    {"random", "in a function, as in generate n (i) { random_f64 seed i }"},
    {"top", "largest a k, or smallest a k"},
    {"topk", "largest a k, or smallest a k"},
    {"histogram", "permute defaults a keys.. (new, old) { .. } (i.., k..) { keep, index.. }"},
    {"scatter", "permute defaults a keys.. (new, old) { .. } (i.., k..) { keep, index.. }"},
    {"repeat", "replicate new=1 a n"},
    {"index", "gather indices v"},
    {"append", "concat dim=0 a b.."},
    {"if", "acond p { yield a.. } else { yield b.. }"},
    {"while", "awhile a.. (x..) { yield p } do (x..) { yield b.. }"},
    {"for", "awhile a.. (x..) { yield p } do (x..) { yield b.. }"},
    {"let", "a binding is written name = operator .."},
    {"convert", "in a function, as in map a (x) { convert f64 x }"},
    {"extent", "in a function, as in unit { extent a 0 }"},
    {"the", "in a function, as in unit { the a }"},
};

static bool is_word(const wadi_token *t, const char *word) {
    return strlen(word) == t->n && memcmp(word, t->at, t->n) == 0;
}

static const char *instead_of_word(const wadi_token *t) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(t, words[i].word)) return words[i].instead;
    return NULL;
}

static const wadi_sop_info *operation(const wadi_token *t) {
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
        if (is_word(t, wadi_sop_get((wadi_sop)op)->name)) return wadi_sop_get((wadi_sop)op);
    return NULL;
}

static const char *in_parentheses(const wadi_parser *p, const char *text) {
    const char *hint = text ? wadi_arena_printf(p->m->arena, " (%s)", text) : NULL;
    return hint ? hint : "";
}

/* ---- values ---- */

static bool lookup(wadi_parser *p, const wadi_token *t, wadi_val *out) {
    uint64_t bound = 0;
    const char *name =
        t->kind == WADI_TOKEN_NAME ? wadi_intern_add_n(&p->strings, t->at, t->n) : NULL;
    if (name) (void)wadi_map64_get(&p->bound, (uint64_t)(uintptr_t)name, &bound);
    *out = (wadi_val)(bound - 1);
    return bound != 0;
}

/* Where an array is declared with this name as an extent: "extent xs 0". NULL: nowhere. */
static const char *extent_named(const wadi_parser *p, const wadi_token *t) {
    for (uint32_t v = 0; t->kind == WADI_TOKEN_NAME && v < p->m->nvalues; v++) {
        const wadi_value *x = &p->m->values[v];
        if (x->type.is_seq || x->type.arrays != 1 || !x->name) continue;
        const wadi_array_type *a = x->type.array;
        for (int d = 0; a->extent && d < a->rank; d++)
            if (a->extent[d].kind == WADI_EXTENT_NAMED && is_word(t, a->extent[d].name))
                return wadi_arena_printf(p->m->arena, "extent %s %d", x->name, d);
    }
    return NULL;
}

const char *wadi_parse_hint_operator(wadi_parser *p, const wadi_token *t, bool in_region) {
    wadi_val v;
    if (t->kind != WADI_TOKEN_NAME) return "";
    const wadi_sop_info *op = operation(t);
    const wadi_derived *derived = wadi_op_derived(p->ops, t->at, t->n);
    const char *instead = instead_of_word(t);
    if (derived)
        instead = wadi_arena_printf(p->m->arena,
                                    "it takes scalars, as in generate n (i) { .. } or unit { .. }: "
                                    "it is written %s",
                                    derived->form);
    else if (op && in_region)
        instead =
            "it takes scalars; a region has bindings, as in r = unit { .. }, and then 'yield r'";
    else if (op && op->arity == 1)
        instead = wadi_arena_printf(
            p->m->arena, "it takes scalars, as in map a (x) { %s x } or unit { .. }", op->name);
    else if (op)
        instead = wadi_arena_printf(
            p->m->arena,
            "it takes scalars, as in %s { %s x y%s }, fold1 a (x, y) { .. } or unit { .. }",
            op->arity == 2 ? "zip_with a b (x, y)" : "zip_with a b c (x, y, z)", op->name,
            op->arity == 2 ? "" : " z");
    else if (!instead && lookup(p, t, &v))
        instead = "it is a value, which has a name already";
    return in_parentheses(p, instead);
}

const char *wadi_parse_hint_value(wadi_parser *p, const wadi_token *t) {
    const char *extent = extent_named(p, t);
    return extent ? in_parentheses(
                        p, wadi_arena_printf(p->m->arena, "as a value it is unit { %s }", extent))
                  : "";
}

const char *wadi_parse_hint_scalar(wadi_parser *p, const wadi_token *t) {
    wadi_val v;
    const char *extent = extent_named(p, t);
    if (lookup(p, t, &v)) {
        const wadi_val_type *type = &p->m->values[v].type;
        return type->is_seq ? " (it is a sequence)"
               : type->array->rank > 0
                   ? in_parentheses(p, wadi_arena_printf(p->m->arena,
                                                         "of an array, %.*s ! %s is an element",
                                                         (int)t->n, t->at,
                                                         type->array->rank == 1 ? "i" : "(i, ..)"))
                   : in_parentheses(
                         p, wadi_arena_printf(p->m->arena,
                                              "of an array of rank 0 it is written: the %.*s",
                                              (int)t->n, t->at));
    }
    const wadi_derived *derived =
        t->kind == WADI_TOKEN_NAME ? wadi_op_derived(p->ops, t->at, t->n) : NULL;
    if (derived && derived->scalar)
        return in_parentheses(p, wadi_arena_printf(p->m->arena,
                                                   "as an argument it stands in parentheses: (%s)",
                                                   derived->form));
    if (derived && !extent)
        return in_parentheses(p, wadi_arena_printf(p->m->arena,
                                                   "it takes arrays, in a line of its own: "
                                                   "y = %s",
                                                   derived->form));
    return in_parentheses(p, extent);
}

/* ---- literals ---- */

/* What a literal without a suffix must be to have the type; NULL: it cannot be said. */
static const char *literal_of(const wadi_parser *p, const wadi_token *t, wadi_type type) {
    const size_t digits = strspn(t->at, "-0123456789");
    const bool whole = digits == t->n, real = wadi_type_is_float(type);
    const size_t all = strspn(t->at, "-.0123456789");
    if (all != t->n || (!whole && !real) || !(real || wadi_type_is_int(type))) return NULL;
    const bool plain = type == WADI_I64 || type == WADI_F64;
    return wadi_arena_printf(p->m->arena, "%.*s%s%s", (int)t->n, t->at, whole && real ? ".0" : "",
                             plain ? "" : wadi_type_name(type));
}

const char *wadi_parse_hint_literal(wadi_parser *p, int n, const wadi_token *const *args,
                                    const wadi_type *types) {
    for (int k = 0; k < n; k++) {
        if (args[k]->kind != WADI_TOKEN_NUMBER) continue;
        for (int other = 0; other < n; other++) {
            if (args[other]->kind == WADI_TOKEN_NUMBER || types[other] == types[k]) continue;
            const char *instead = literal_of(p, args[k], types[other]);
            return in_parentheses(
                p, instead ? wadi_arena_printf(p->m->arena, "%s is a literal of type %s", instead,
                                               wadi_type_name(types[other]))
                           : NULL);
        }
    }
    return "";
}

const char *wadi_parse_hint_form(wadi_parser *p, const wadi_op *op) {
    return in_parentheses(p, op->form ? wadi_arena_printf(p->m->arena, "it is written %s", op->form)
                                      : NULL);
}
