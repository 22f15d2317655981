/* What to write instead of a usual mistake: words of other languages, scalar operations where arrays are meant, and the reverse. A hint stands
 * in the message in parentheses. */
#include <string.h>

#include "base/text.h"
#include "graph/ir/literal.h"
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
    {"var", "a binding is written name = operator .."},
    {"const", "a binding is written name = operator .."},
    {"def", "a function is written where it is used: map a (x) { .. }"},
    {"fn", "a function is written where it is used: map a (x) { .. }"},
    {"function", "a function is written where it is used: map a (x) { .. }"},
    {"lambda", "a function is written where it is used: map a (x) { .. }"},
    {"return", "a region ends with yield a, a program delivers with output a"},
    {"yield", "a region ends with it; a program delivers with output a"},
    {"print", "output a"},
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

static const char *near_operator(const wadi_parser *p, const wadi_token *t) {
    wadi_near near = {.to = t};
    const wadi_derived *d = NULL;
    for (int i = 0; i < p->ops->n; i++) wadi_near_offer(&near, p->ops->ops[i]->name);
    for (int i = 0; (d = p->ops->derived(i)) != NULL; i++)
        if (!d->scalar) wadi_near_offer(&near, d->name);
    wadi_near_offer(&near, "output");
    return wadi_near_hint(p, &near);
}

const char *wadi_parse_hint_operator(wadi_parser *p, const wadi_token *t, bool in_region) {
    wadi_val v;
    if (t->kind == WADI_TOKEN_NUMBER)
        return in_parentheses(p, wadi_arena_printf(p->m->arena,
                                                   "a number alone is written unit { %.*s }",
                                                   (int)(t->n < 40 ? t->n : 40), t->at));
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
        instead = in_region ? wadi_arena_printf(p->m->arena,
                                                "it is a value; a region gives it by: yield %.*s",
                                                (int)t->n, t->at)
                            : "it is a value, which has a name already";
    return instead ? in_parentheses(p, instead) : near_operator(p, t);
}

const char *wadi_parse_hint_type(const wadi_parser *p, const wadi_token *t) {
    static const struct word types[] = {
        {"float", "f32 or f64"},  {"double", "f64"},      {"int", "i64 or i32"},
        {"integer", "i64"},       {"long", "i64"},        {"uint", "u64 or u32"},
        {"float32", "f32"},       {"float64", "f64"},     {"int8", "i8"},
        {"int16", "i16"},         {"int32", "i32"},       {"int64", "i64"},
        {"uint8", "u8"},          {"uint16", "u16"},      {"uint32", "u32"},
        {"uint64", "u64"},        {"byte", "u8"},         {"char", "u8"},
        {"string", "u8[n]"},      {"boolean", "bool"},    {"complex", "c128 or c64"},
        {"complex64", "c64"},     {"complex128", "c128"}, {"half", "f32"},
        {"number", "f64 or i64"}, {"real", "f64"},        {"seq", "seq(f64), outermost alone"}};
    wadi_near near = {.to = t};
    for (size_t i = 0; t->kind == WADI_TOKEN_NAME && i < sizeof types / sizeof *types; i++)
        if (is_word(t, types[i].word))
            return in_parentheses(
                p, wadi_arena_printf(p->m->arena, "it is written %s", types[i].instead));
    for (int type = 0; type < WADI_TYPE_COUNT; type++)
        wadi_near_offer(&near, wadi_type_name((wadi_type)type));
    if (t->kind == WADI_TOKEN_MARK && *t->at == '[') return " (extents stand behind: f64[n])";
    return wadi_near_hint(p, &near);
}

/* Whether the line that begins with token `at` binds the name: "a = ..", "a, b = ..". */
static bool binds(const wadi_parser *p, size_t at, const wadi_token *name) {
    const wadi_token *t = &p->tokens.at[at], *end = p->tokens.at + p->tokens.n;
    bool named = false;
    for (; t + 1 < end && t->kind == WADI_TOKEN_NAME; t += 2) {
        named = named || wadi_parse_same_word(t, name);
        if (*t[1].at != ',') return named && *t[1].at == '=';
    }
    return false;
}

/* The line further down where the name is bound, outside of functions and regions that open on the way; 0: nowhere. */
static int bound_later(const wadi_parser *p, const wadi_token *t) {
    int depth = 0, least = 0;
    for (size_t i = p->at; i < p->tokens.n; i++) {
        const wadi_token *later = &p->tokens.at[i];
        const bool mark = later->kind == WADI_TOKEN_MARK;
        if (mark && *later->at == '{') depth++;
        if (mark && *later->at == '}') depth--;
        if (depth < least) least = depth;
        if (depth == least && later->kind == WADI_TOKEN_LINE && binds(p, i + 1, t))
            return later[1].line;
    }
    return 0;
}

static const wadi_op *operator_named(const wadi_parser *p, const wadi_token *t) {
    for (int i = 0; i < p->ops->n; i++)
        if (is_word(t, p->ops->ops[i]->name)) return p->ops->ops[i];
    return NULL;
}

const char *wadi_parse_hint_value(wadi_parser *p, const wadi_token *t) {
    if (t->kind != WADI_TOKEN_NAME) return "";
    const char *extent = extent_named(p, t);
    const int line = bound_later(p, t);
    wadi_near near = {.to = t};
    if (extent)
        return in_parentheses(
            p, wadi_arena_printf(p->m->arena, "as a value it is unit { %s }", extent));
    if (line > 0)
        return in_parentheses(
            p, wadi_arena_printf(p->m->arena, "it is bound in line %d, which is later", line));
    if (operator_named(p, t))
        return " (it is an operator: its result gets a name in a line of its own)";
    for (size_t i = 0; i < p->scope.n; i++) wadi_near_offer(&near, p->scope.at[i]);
    return wadi_near_hint(p, &near);
}

/* Words of other languages for scalar operations. */
static const char *instead_of_operation(const wadi_token *t) {
    static const struct word operations[] = {
        {"plus", "add x y"},
        {"minus", "sub x y, neg x"},
        {"times", "mul x y"},
        {"multiply", "mul x y"},
        {"subtract", "sub x y"},
        {"divide", "fdiv x y, of integers quot x y or div x y"},
        {"power", "pow x y"},
        {"square", "mul x x"},
        {"sqr", "a root is sqrt x, a square mul x x"},
        {"ln", "log x"},
        {"float", "convert f64 x"},
        {"double", "convert f64 x"},
        {"int", "convert i64 x"},
        {"cast", "convert f64 x"},
        {"select", "if c { x } else { y }"},
        {"where", "if c { x } else { y }"},
        {"cond", "if c { x } else { y }"},
        {"for", "iterate n (i, s) { .. } from s0"},
        {"equal", "eq x y"},
        {"less", "lt x y"},
        {"greater", "gt x y"},
        {"random", "random_f64 seed i"},
        {"rand", "random_f64 seed i"},
        {"return", "a function ends with its results, without a word before them"},
        {"yield", "a function ends with its results, without a word before them"},
        {"pi", "a number: 3.141592653589793"},
        {"let", "name = expression"},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (is_word(t, operations[i].word)) return operations[i].instead;
    return NULL;
}

static const char *near_scalar(const wadi_parser *p, wadi_near *near) {
    const wadi_derived *d = NULL;
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
        wadi_near_offer(near, wadi_sop_get((wadi_sop)op)->name);
    for (int i = 0; (d = p->ops->derived(i)) != NULL; i++)
        if (d->scalar) wadi_near_offer(near, d->name);
    for (size_t i = 0; i < p->scope.n; i++) wadi_near_offer(near, p->scope.at[i]);
    return wadi_near_hint(p, near);
}

const char *wadi_parse_hint_scalar(wadi_parser *p, const wadi_token *t, wadi_near *near) {
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
    if (extent) return in_parentheses(p, extent);
    if (t->kind != WADI_TOKEN_NAME) return "";
    const wadi_sop_info *op = operation(t);
    if (op)
        return in_parentheses(p, wadi_arena_printf(p->m->arena,
                                                   "as an argument it stands in parentheses: (%s "
                                                   "x%s)",
                                                   op->name,
                                                   op->arity == 1   ? ""
                                                   : op->arity == 2 ? " y"
                                                                    : " y z"));
    if (operator_named(p, t))
        return " (it is an operator on arrays, which no function contains; perhaps a '}' is "
               "missing before it)";
    const char *instead = instead_of_operation(t);
    return instead ? in_parentheses(p, instead) : near_scalar(p, near);
}

const char *wadi_parse_hint_behind(const wadi_parser *p, const wadi_token *t) {
    const bool begins = t > p->tokens.at && t[-1].kind == WADI_TOKEN_LINE;
    const wadi_sop_info *op = t->kind == WADI_TOKEN_NAME ? operation(t) : NULL;
    if (t->kind == WADI_TOKEN_NUMBER && *t->at == '-')
        return " (operations stand in front: sub x y)";
    if (t->kind == WADI_TOKEN_MARK && *t->at == '?')
        return " (a choice is written if c { x } else { y })";
    if (t->kind == WADI_TOKEN_MARK && *t->at == '[') return " (an element is written a ! i)";
    if (t->kind == WADI_TOKEN_MARK && *t->at == '(' && t > p->tokens.at &&
        t[-1].kind == WADI_TOKEN_NAME)
        return " (an argument with arguments stands in parentheses: add x (neg y))";
    if (t->kind == WADI_TOKEN_MARK && *t->at == ',')
        return " (arguments stand side by side: add x y)";
    if (op && op->arity == 2 && !begins)
        return in_parentheses(
            p, wadi_arena_printf(p->m->arena, "operations stand in front: %s x y", op->name));
    if (op) return " (lines before the results are written name = ..)";
    return "";
}

const char *wadi_parse_hint_types(const wadi_parser *p, wadi_sop op, const wadi_type *types) {
    const int n = wadi_sop_get(op)->arity;
    const bool shifts =
        op == WADI_SOP_SHL || op == WADI_SOP_SHR || op == WADI_SOP_ROTL || op == WADI_SOP_ROTR;
    wadi_type to = types[0], same[3], result;
    if (shifts) return wadi_type_is_int(types[0]) ? " (a distance is an i32: convert i32 n)" : "";
    for (int k = 1; k < n; k++) {
        const bool wider = wadi_type_is_int(to) == wadi_type_is_int(types[k]) &&
                           wadi_type_size(types[k]) > wadi_type_size(to);
        if (wider || (wadi_type_is_int(to) && !wadi_type_is_int(types[k]))) to = types[k];
    }
    bool differ = false;
    for (int k = 0; k < n; k++) differ = differ || types[k] != to;
    if (!differ && wadi_type_is_int(to)) to = WADI_F64; /* a function of floats alone */
    for (int k = 0; k < n; k++) same[k] = to;
    if (to == types[0] && !differ) return "";
    if (to == WADI_BOOL || !wadi_sop_type(op, same, &result)) return "";
    return in_parentheses(p, wadi_arena_printf(p->m->arena, "%sconvert %s x",
                                               differ ? "of one type: " : "", wadi_type_name(to)));
}

/* ---- literals ---- */

/* What a literal without a suffix must be to have the type; NULL: it cannot be said. */
static const char *literal_of(const wadi_parser *p, const wadi_token *t, wadi_type type) {
    const size_t digits = strspn(t->at, "-0123456789");
    const bool whole = digits == t->n, real = wadi_type_is_float(type);
    const size_t all = strspn(t->at, "-.0123456789");
    if (all != t->n || (!whole && !real) || !(real || wadi_type_is_int(type))) return NULL;
    const bool plain = type == WADI_I64 || type == WADI_F64;
    const char *literal =
        wadi_arena_printf(p->m->arena, "%.*s%s%s", (int)t->n, t->at, whole && real ? ".0" : "",
                          plain ? "" : wadi_type_name(type));
    wadi_scalar value;
    const char *why = NULL;
    if (!literal || !wadi_literal_read(literal, strlen(literal), &type, &value, &why)) return NULL;
    return literal;
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

const char *wadi_parse_hint_element(wadi_parser *p, const wadi_bind *b) {
    for (int k = 0; k < b->nargs; k++) {
        const wadi_value *v = &p->m->values[b->args[k]];
        for (int other = 0; v->def == WADI_DEF_CONST && other < b->nargs; other++) {
            const wadi_value *o = &p->m->values[b->args[other]];
            if (o->def == WADI_DEF_CONST || o->type.is_seq || o->type.array->elem.fields != 1 ||
                o->type.array->elem.type[0] == v->imm.type || !wadi_type_is_int(v->imm.type))
                continue;
            wadi_text number;
            wadi_text_init(&number);
            wadi_literal_print(v->imm, true, &number);
            const wadi_token t = {WADI_TOKEN_NUMBER, wadi_text_str(&number),
                                  strlen(wadi_text_str(&number)), 0, 0};
            const wadi_type type = o->type.array->elem.type[0];
            const char *instead = literal_of(p, &t, type);
            wadi_text_fini(&number);
            return in_parentheses(p, instead ? wadi_arena_printf(p->m->arena,
                                                                 "%s is a literal of type %s",
                                                                 instead, wadi_type_name(type))
                                             : NULL);
        }
    }
    return "";
}

const char *wadi_parse_hint_form(wadi_parser *p, const wadi_op *op) {
    return in_parentheses(p, op->form ? wadi_arena_printf(p->m->arena, "it is written %s", op->form)
                                      : NULL);
}
