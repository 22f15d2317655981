/* Array fusion: decides which values never reach memory.
 *
 * Law: an array is its shape and a function from index to element (McDonell et al. 2013, section 4; components of tuples one by one:
 * Clifton-Everest et al. 2017, section 6.2). A delayed value is not stored: its readers compute the elements that they need.
 * This pass only marks values and rewrites nothing.
 *
 * A value is delayed if that repeats no work worth mentioning:
 *   - a producer that is cheap (an element costs no more than a load), however often it is read. A piece of an array from
 *     outside the body is cheap too, because it is read from that array;
 *   - a producer that is read once, element by element, by a binding of the same block. If the reader may read an element
 *     several times (replicate, backpermute, gather), the producer's function must be light;
 *   - the same where the reader reads a number of places near each other: if computing an element again for each of them costs less than a
 *     trip through memory (TRIP). In a chain of such readers the numbers are multiplied, so chains end;
 *     Readers whose loops have no interior (graph/skeletons.def) test for the edges at each element, so a stencil is stored for them;
 *   - a fold that is read once, at the same index, by element-wise producers that end in a stored array of the same shape: the
 *     map after a fold becomes part of the fold's kernel. A fold over all pairs is stored, because tiles compute it;
 *   - a filter that one fold reads and nobody else, through element-wise producers if there are some (a masked fold: K23 of Reppy and
 *     Wingerter 2020).
 * A value is stored if scalar code reads it by `!`, or if it is a result, a condition, the state of a loop, or an argument of an
 * operator that takes arrays whole. Reads of extents alone never count: shapes are known without the elements.
 *
 * Bindings are visited backwards, so every reader is decided before the values that it reads. A delayed reader reads its
 * arguments as often, and as deep in loops, as it is read itself.
 */
#include "codegen/pass.h"

#include <string.h>

#include "base/error.h"
#include "codegen/all_pairs.h"
#include "codegen/kept.h"
#include "codegen/rewrite.h"
#include "operators/reduce_tree.h"

/* Costs of scalar code in additions, roughly. */
enum {
    LIGHT = 8,  /* cheaper to recompute than to store, even if a reader repeats reads */
    CHEAP = 4,  /* no more than a load */
    ACCESS = 4, /* a checked read of an array */
    DIVISION = 4,
    ELEMENTARY = 16,
    LOOP = 1000,
    TRIP = 24,   /* storing an element and loading it again */
    MANY = 4096, /* where counts of places end */
    SHORT = 16,  /* places of a fold over all pairs, from which on tiles pay */
    MORE = 3,    /* readers of a value that a note names besides the last */
    FAR = 16     /* element-wise producers between a filter and its fold */
};

/* How a value is read, by all its readers together. */
typedef struct reads {
    int count; /* element by element, saturating at 2 */
    int places; /* elements that an element of a stored array reads of it, through readers with places */
    bool repeats;   /* one of the readers may read an element several times */
    bool elsewhere; /* one of the readers is in another block */
    bool counted; /* one of the readers is a reshape, whose indices are quotients and remainders */
    bool indexed; /* by `!` in scalar code */
    bool whole;   /* as a whole, as a result, or as a scalar */
    wadi_val reader;     /* the last of the program */
    wadi_val more[MORE]; /* those before it, the last one first, for notes */
    int nmore, times;    /* reads by all of them together */
    bool others;         /* readers besides these */
    const char *why_whole;
    bool
        aligned; /* its only reader ends in a stored array through element-wise producers of the same shape */
    int folded; /* its only reader is a fold, so many element-wise producers away; 0: it is not so */
    bool
        tested; /* one of the readers, or what they are delayed into, goes through elements by a loop without an interior */
    bool masked; /* it is a fold, and goes through what a filter keeps */
} reads;

typedef struct fusing {
    wadi_module *m;
    wadi_pass_cx *cx;
    reads *reads; /* [value] */
    wadi_homes homes;
} fusing;

/* ---- costs ---- */

static int cost_of_op(wadi_sop op, wadi_type t) {
    switch (op) {
    case WADI_SOP_CONST:
    case WADI_SOP_EXTENT:
    case WADI_SOP_THE:
    case WADI_SOP_CONVERT:
    case WADI_SOP_BITCAST:
        return 0;
    case WADI_SOP_INDEX:
    case WADI_SOP_INDEX_LINEAR:
        return ACCESS;
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
    case WADI_SOP_FDIV:
    case WADI_SOP_SQRT:
        return DIVISION;
    case WADI_SOP_WHILE:
    case WADI_SOP_ITERATE:
        return LOOP;
    default:
        return wadi_sop_is_costly(op, t) ? ELEMENTARY : 1;
    }
}

static int cost_of_block(const wadi_fun *f, const wadi_sblock *b) {
    int cost = 0;
    for (int i = 0; i < b->ninsts && cost < LOOP; i++) {
        const wadi_sinst *inst = b->insts[i];
        cost += cost_of_op(inst->op, inst->nargs > 0 ? f->types[inst->args[0]] : WADI_BOOL);
        for (int k = 0; k < 2; k++)
            if (inst->block[k]) cost += cost_of_block(f, inst->block[k]);
    }
    return cost;
}

static int cost(const wadi_bind *b) {
    int sum = 0;
    for (int i = 0; i < b->nfuns; i++) sum += cost_of_block(b->funs[i], b->funs[i]->body);
    return sum;
}

static bool reads_by_index(const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts; i++) {
        const wadi_sinst *inst = b->insts[i];
        if (inst->op == WADI_SOP_INDEX || inst->op == WADI_SOP_INDEX_LINEAR) return true;
        for (int k = 0; k < 2; k++)
            if (inst->block[k] && reads_by_index(inst->block[k])) return true;
    }
    return false;
}

/* Whether `v` is parameter `p` plus or minus numbers. */
static bool is_moved(const wadi_fun *f, wadi_sval v, wadi_sval p) {
    if (v == p) return true;
    const wadi_sinst *i = wadi_sblock_maker(f->body, v);
    if (!i || i->op != WADI_SOP_ADD) return false;
    const wadi_sval a = i->args[0], b = i->args[1];
    return (is_moved(f, a, p) && !is_moved(f, b, p)) || (is_moved(f, b, p) && !is_moved(f, a, p));
}

/* Whether the result is a segment, row or tile of an array from outside the block, which is best read from that array: its
 * indices cost a few sums and products and are consecutive along the innermost dimension. */
static bool is_piece(const fusing *s, const wadi_bind *b) {
    if (!b->op->picks || cost(b) > CHEAP) return false;
    const wadi_fun *f = b->funs[0];
    for (int i = 0; i < f->body->ninsts; i++) {
        const wadi_sop op = f->body->insts[i]->op;
        if (op != WADI_SOP_ADD && op != WADI_SOP_SUB && op != WADI_SOP_MUL &&
            cost_of_op(op, WADI_I64) > 0)
            return false;
    }
    const int from = f->body->nyields, to = f->body->nparams;
    if (from == 0 || to == 0) return false;
    return wadi_homes_get(&s->homes, b->args[0]) != wadi_homes_get(&s->homes, b->results[0]) &&
           is_moved(f, f->body->yields[from - 1], f->body->params[to - 1]);
}

/* Whether the result is a tile: a part of an array of rank 2 or more whose rows are not adjacent in memory. */
static bool is_tile(const fusing *s, const wadi_bind *b) {
    return b->op->picks && s->m->values[b->args[0]].type.array->rank > 1 &&
           s->m->values[b->results[0]].type.array->rank > 1;
}

/* How many arrays `b` reads, without those of rank 0 that are an extent or an index. */
static int arrays_read(const wadi_bind *b) {
    int n = 0;
    for (int i = 0; i < b->nargs; i++) n += wadi_op_reads(b->op, i) != 's';
    return n;
}

/* Whether function 0 gets the fields of one element and nothing else. */
static bool takes_an_element(const fusing *s, const wadi_bind *b) {
    return b->op->one_to_one && b->nfuns == 1 && arrays_read(b) == 1 &&
           b->funs[0]->body->nparams == s->m->values[b->args[0]].type.array->elem.fields;
}

/* Whether recomputing an element costs no more than loading it. A producer that reads no array may cost as much as a load. One
 * that reads an element for each of its own may do only what is free: choose fields, or convert for free. */
static bool is_cheap(const fusing *s, const wadi_bind *b) {
    if (b->op->cheap || is_piece(s, b)) return true;
    if (b->op->kind != WADI_OP_PRODUCER || b->op->scalar) return false;
    if (arrays_read(b) == 0)
        return b->nfuns == 1 && cost(b) <= CHEAP && !reads_by_index(b->funs[0]->body);
    return takes_an_element(s, b) && cost(b) == 0;
}

/* How many elements of argument `arg` an element of the result reads, as far as the binding says it. */
static int places_in(const wadi_bind *b, int arg) {
    return b->op->places ? b->op->places(b, arg) : 1;
}

/* What an element costs: its function, and its reads. */
static int element_cost(const wadi_bind *b) {
    int sum = cost(b);
    for (int i = 0; i < b->nargs; i++)
        if (wadi_op_reads(b->op, i) != 's') sum += places_in(b, i);
    return sum;
}

/* ---- collecting reads; readers have been decided before ---- */

static bool is_delayed(const fusing *s, wadi_val v) {
    return s->m->values[v].storage == WADI_STORE_DELAYED;
}

static int at_most_two(int n) {
    return n > 2 ? 2 : n;
}

static void read_whole(fusing *s, wadi_val v, wadi_val reader, const char *why) {
    reads *r = &s->reads[v];
    if (!r->whole) r->why_whole = why;
    r->whole = true;
    if (r->reader == WADI_NONE) r->reader = reader;
}

static wadi_val first_result(const wadi_bind *b) {
    return b && b->nresults > 0 ? b->results[0] : WADI_NONE;
}

static bool same_shape(const fusing *s, wadi_val a, wadi_val b) {
    return wadi_shapes_same(s->cx->shapes, s->m, a, b);
}

/* How many steps the fold that alone reads a vector is away, if argument `arg` of `b` is read by it or on the way to it; else 0. */
static int steps_to_fold(const fusing *s, const wadi_bind *b, int arg, const reads *on) {
    if (s->m->values[b->args[arg]].type.array[0].rank != 1) return 0;
    if (wadi_op_has(b->op, WADI_TRAIT_REDUCES_ROWS)) return arg == b->nargs - 1;
    return on && b->op->one_to_one && on->folded > 0 && on->folded < FAR ? on->folded + 1 : 0;
}

static void add_reader(reads *r, wadi_val reader) {
    bool known = reader == r->reader;
    r->times++;
    for (int k = 0; k < r->nmore; k++) known = known || reader == r->more[k];
    if (r->reader == WADI_NONE)
        r->reader = reader;
    else if (!known && r->nmore < MORE)
        r->more[r->nmore++] = reader;
    else if (!known)
        r->others = true;
}

/* Counts the reads of an argument that is read element by element: as many as there are of its reader, or one if the reader is
 * stored. */
static void read_elements(fusing *s, wadi_val v, const wadi_block *block, const wadi_bind *b,
                          int arg, bool repeats) {
    reads *r = &s->reads[v];
    const wadi_val reader = first_result(b);
    const bool through = reader != WADI_NONE && is_delayed(s, reader);
    const reads *on = through ? &s->reads[reader] : NULL;
    const int times = on ? on->count : 1;
    r->aligned = r->count == 0 && times == 1 && b->op->one_to_one && !repeats &&
                 (!on || on->aligned) && same_shape(s, v, reader);
    r->folded = r->count == 0 && times == 1 && !repeats ? steps_to_fold(s, b, arg, on) : 0;
    r->count = at_most_two(r->count + times);
    const int64_t near = (int64_t)places_in(b, arg) * (on && on->places > 0 ? on->places : 1);
    r->places = near + r->places > MANY ? MANY : (int)near + r->places;
    repeats = repeats && b->op->places == NULL;
    r->repeats = r->repeats || repeats || (on && on->repeats);
    r->indexed = r->indexed || (on && on->indexed);
    r->counted = r->counted || b->op->keeps_memory || (on && on->counted);
    r->tested = r->tested || (on && on->tested) ||
                (b->op->kind != WADI_OP_PRODUCER && !wadi_op_has(b->op, WADI_TRAIT_SPLITS));
    r->elsewhere = r->elsewhere || block != wadi_homes_get(&s->homes, v) || (on && on->elsewhere);
    add_reader(r, reader);
}

static void collect_arg(fusing *s, const wadi_read *r) {
    const wadi_bind *b = r->bind;
    const wadi_val v = *r->at;
    const wadi_val reader = first_result(b);
    switch (wadi_op_reads(b->op, r->number)) {
    case 'e':
        read_elements(s, v, r->block, b, r->number, false);
        break;
    case 'm':
        read_elements(s, v, r->block, b, r->number, true);
        break;
    case 'c': /* copied whole: the argument may be generated in place if that is as good as a copy */
        if (s->m->values[v].def == WADI_DEF_BIND && is_cheap(s, s->m->values[v].bind))
            read_elements(s, v, r->block, b, r->number, false);
        else
            read_whole(s, v, reader, "it is the start of the result, which is changed in place");
        break;
    case 's':
        read_whole(s, v, reader, "it is read as a scalar");
        break;
    default:
        read_whole(s, v, reader, "its reader takes arrays whole");
    }
}

static void collect(void *env, const wadi_read *r) {
    fusing *s = env;
    const wadi_val v = *r->at;
    switch (r->kind) {
    case WADI_READ_ARG:
        collect_arg(s, r);
        break;
    case WADI_READ_THE:
        read_whole(s, v, first_result(r->bind), "scalar code reads it");
        break;
    case WADI_READ_INDEX:
        s->reads[v].indexed = true;
        s->reads[v].elsewhere = s->reads[v].elsewhere || r->block != wadi_homes_get(&s->homes, v);
        if (s->reads[v].reader == WADI_NONE) s->reads[v].reader = first_result(r->bind);
        break;
    case WADI_READ_EXTENT:
        break;
    case WADI_READ_YIELD:
        read_whole(s, v, WADI_NONE,
                   r->block->parent ? "it is what its block yields"
                                    : "it is a result of the program");
        break;
    }
}

/* ---- deciding ---- */

/* Why a producer must be stored; NULL if it is delayed. */
static const char *producer_obstacle(const fusing *s, const reads *r, const wadi_bind *b) {
    if (b->op->scalar) return "a scalar: computed once where it is bound";
    if (r->whole) return r->why_whole;
    if (r->counted && is_tile(s, b))
        return "its reader counts its elements: delayed, indices would be divided for each";
    if (r->tested && b->op->places)
        return "its reader's loop has no interior: delayed, each element would be tested for the "
               "edges";
    if (is_cheap(s, b)) return NULL;
    if (r->indexed) return "scalar code reads it by index";
    if (r->elsewhere) return "it is read inside another block";
    if (r->count > 1)
        return "it is read more than once: delayed, its elements would be computed each time";
    if (r->repeats && cost(b) > LIGHT)
        return "its reader may read an element several times, and its function is not light";
    if (r->places > 1 && (int64_t)(r->places - 1) * element_cost(b) > TRIP)
        return "its reader reads several places: computing each again costs more than memory";
    return NULL;
}

/* Whether tiles compute it, which share what they read with all results of a tile; then its results are computed together, and stored. A
 * short fold would gain less than its results cost. */
static bool has_tiles(const fusing *s, const wadi_bind *b) {
    int64_t n = MANY;
    const wadi_val array = b->args[b->nargs - 1];
    const int rank = s->m->values[array].type.array[0].rank;
    if (!wadi_op_has(b->op, WADI_TRAIT_REDUCES_ROWS) || rank < 3) return false;
    const wadi_ext e = wadi_shapes_extent(s->cx->shapes, array, 0, rank - 1);
    if (e != WADI_EXT_NONE) (void)wadi_ext_is_const(s->cx->shapes->extents, e, &n);
    return n >= SHORT && wadi_fun_has_lanes(b->funs[0]) && wadi_folds_all_pairs(s->m, b);
}

static const char *fold_obstacle(const fusing *s, const reads *r, const wadi_bind *b) {
    if (r->whole) return r->why_whole;
    if (r->indexed) return "scalar code reads it by index";
    if (r->elsewhere) return "it is read inside another block";
    if (r->count > 1) return "it is read more than once: delayed, it would be reduced each time";
    if (r->count == 1 && !r->aligned)
        return "its reader is no element-wise producer of a stored array of the same shape";
    if (has_tiles(s, b)) return "it goes over all pairs: on processors, tiles compute its results";
    return NULL;
}

/* ", by x, y and z" for a value that is read several times. NULL: out of memory. */
static const char *readers(const fusing *s, const reads *r) {
    if (r->times < 2 || r->reader == WADI_NONE) return "";
    if (r->nmore == 0)
        return wadi_arena_printf(s->cx->scratch, ", %s by %%%u",
                                 r->times == 2 ? "twice" : "several times", r->reader);
    const char *text = ", by";
    for (int k = r->nmore; text && k-- > 0;)
        text = wadi_arena_printf(s->cx->scratch, "%s %%%u%s", text, r->more[k],
                                 k > 0 || r->others ? "," : " and");
    return text ? wadi_arena_printf(s->cx->scratch, "%s %%%u%s", text, r->reader,
                                    r->others ? " and others" : "")
                : NULL;
}

/* The reason, with the readers where it is that there are several. */
static void keep(const fusing *s, wadi_val v, const reads *r, const char *why) {
    static const char more[] = "it is read more than once";
    const size_t n = sizeof more - 1;
    const bool several = strncmp(why, more, n) == 0;
    const char *by = several && s->cx->diag ? readers(s, r) : "";
    wadi_diag_note(s->cx->diag, WADI_NOTE_KEPT, v, r->reader, "%.*s%s%s", several ? (int)n : 0, why,
                   by ? by : "", several ? why + n : why);
}

/* The fold that alone reads what the filter keeps. */
static wadi_val fold_of(const fusing *s, const reads *r) {
    wadi_val at = r->reader;
    for (int k = r->folded; k > 1; k--) at = s->reads[at].reader;
    return at;
}

/* What a filter keeps need not be stored if a fold is all that reads it: the fold finds the elements itself. Then it must be sure how many they
 * are before it has seen them. */
static const char *filter_obstacle(const fusing *s, const reads *r, const wadi_bind *b) {
    if (r->whole) return r->why_whole;
    if (r->indexed) return "scalar code reads it by index";
    if (r->elsewhere) return "it is read inside another block";
    if (r->folded == 0) return "a filter is stored unless one fold is all that reads it";
    if (s->reads[fold_of(s, r)].masked) return "the fold goes through one filter, and has one";
    return wadi_counts_kept(s->m, b) ? NULL
                                     : "its count is not seen to be the number of elements kept";
}

static void decide_filter(fusing *s, const wadi_bind *b, wadi_val v) {
    const reads *r = &s->reads[v];
    const char *why = filter_obstacle(s, r, b);
    if (!why) {
        s->m->values[v].storage = WADI_STORE_DELAYED;
        s->reads[fold_of(s, r)].masked = true;
        wadi_diag_note(s->cx->diag, WADI_NOTE_FUSED, v, r->reader,
                       "only folded: the fold goes through what is filtered");
    } else if (r->count > 0) {
        wadi_diag_note(s->cx->diag, WADI_NOTE_KEPT, v, r->reader, "%s", why);
    }
}

static void tell_fused(const fusing *s, const wadi_bind *b, wadi_val v) {
    const reads *r = &s->reads[v];
    const char *why = "read once, element by element";
    if (wadi_op_has(b->op, WADI_TRAIT_ALONE))
        why = "what follows the reduction is done in its kernel";
    else if (r->count + (int)r->indexed == 0)
        why = "only its shape is read";
    else if (is_cheap(s, b))
        why = "an element costs no more than reading it";
    else if (r->repeats)
        why = "light, so its reader computes an element anew wherever it reads it";
    if (r->places > 1 && !is_cheap(s, b))
        wadi_diag_note(s->cx->diag, WADI_NOTE_FUSED, v, r->reader,
                       "computed again at each of %d places, which costs less than memory",
                       r->places);
    else
        wadi_diag_note(s->cx->diag, WADI_NOTE_FUSED, v, r->reader, "%s", why);
}

static void decide(fusing *s, const wadi_bind *b, wadi_val v) {
    const reads *r = &s->reads[v];
    const bool folds = wadi_op_has(b->op, WADI_TRAIT_ALONE);
    const bool candidate = (b->op->kind == WADI_OP_PRODUCER || folds) && b->nresults == 1;
    s->m->values[v].storage = WADI_STORE_MANIFEST;
    if (wadi_op_has(b->op, WADI_TRAIT_KEEPS)) {
        decide_filter(s, b, v);
        return;
    }
    if (!candidate) {
        if (b->op->kind == WADI_OP_CONSUMER && r->count > 0)
            wadi_diag_note(s->cx->diag, WADI_NOTE_KEPT, v, r->reader,
                           "%s gives all its elements at once", b->op->name);
        return;
    }
    const char *why = folds ? fold_obstacle(s, r, b) : producer_obstacle(s, r, b);
    if (why) {
        if (r->reader != WADI_NONE && !b->op->scalar) keep(s, v, r, why);
        return;
    }
    s->m->values[v].storage = WADI_STORE_DELAYED;
    tell_fused(s, b, v);
}

static void fuse_block(fusing *s, wadi_block *block) {
    for (int y = 0; y < block->nyields; y++)
        collect(s, &(wadi_read){WADI_READ_YIELD, NULL, block, y, &block->yields[y]});
    for (int i = block->nbinds; i-- > 0;) {
        wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++)
            if (!s->m->values[b->results[r]].type.is_seq) decide(s, b, b->results[r]);
        for (int k = b->nblocks; k-- > 0;) fuse_block(s, b->blocks[k]);
        wadi_reads_own(block, b, collect, s);
    }
}

wadi_status wadi_pass_fuse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    fusing s = {.m = m, .cx = cx, .reads = WADI_NEW_N(cx->scratch, reads, m->nvalues)};
    if (!s.reads || !wadi_homes_init(&s.homes, cx->scratch, m))
        return wadi_fail(err, WADI_MEMORY, "fuse: out of memory");
    for (wadi_val v = 0; v < m->nvalues; v++) s.reads[v].reader = WADI_NONE;
    fuse_block(&s, m->main);
    return WADI_OK;
}
