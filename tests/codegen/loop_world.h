/* Random loop IR together with terms of the same meaning, and an exact evaluator for both. What the builder makes of a term must
 * have the value of the term, and what it knows about a value must be true.
 *
 * A world is a nest of loops that stay open, with terms in it made of few atoms: unknown numbers, extents, elements of arrays of
 * every integer type, loop variables, numbers of a known range, constants. `world_sample` gives the atoms values. */
#ifndef TESTS_CODEGEN_LOOP_WORLD_H
#define TESTS_CODEGEN_LOOP_WORLD_H

#include "codegen/loop/loop.h"

__extension__ typedef __int128 wide;

typedef enum term_kind {
    TERM_CONST,
    TERM_UNKNOWN, /* any number; between terms arg 0 and arg 1 where they are given */
    TERM_EXTENT,
    TERM_LOADED, /* any number of its type */
    TERM_LOOP,   /* from term arg 0 below term arg 1 by value */
    TERM_KNOWN,  /* term arg 0, an UNKNOWN with a range, with this range known */
    TERM_OP,
    TERM_SELECT
} term_kind;

typedef struct term {
    term_kind kind;
    wadi_sop op;
    wadi_type type;
    int arg[3]; /* -1: none */
    int64_t value;
    wadi_lv lv;
    int depth; /* how many loops are around its atoms at most */
} term;

enum { WORLD_TERMS = 160, WORLD_LOOPS = 4 };

typedef struct world {
    wadi_arena *arena;
    wadi_lb b;
    uint64_t seed;
    bool
        small; /* numbers that few bits hold: where bounds are met; else all magnitudes and the ends of every type */
    int n, loops;
    term term[WORLD_TERMS];
    wadi_lscope *scope[WORLD_LOOPS + 1]; /* the body of the loop before; [0] the function's */
    wide value[WORLD_TERMS];
    bool fault[WORLD_TERMS]; /* a division by zero is in it: its value means nothing */
    bool wraps[WORLD_TERMS]; /* something in it does not fit its type */
    wide *known;             /* [instruction] its value */
    uint32_t room;
} world;

uint64_t world_bits(world *w);
/** A number below n. */
int world_pick(world *w, int n);

void world_open(world *w, uint64_t seed, bool small);
void world_close(world *w);

/* Each adds a term and returns its index. */
int world_const(world *w, int64_t value);
int world_extent(world *w, int slot);
int world_unknown(world *w, int least, int most);
int world_loaded(world *w, wadi_type t);
int world_known(world *w, int least, int most, bool here); /* of an unknown */
int world_loop(world *w, int from, int below, int64_t step);
int world_op(world *w, wadi_sop op, wadi_type t, int x, int y); /* y -1: one argument */
int world_select(world *w, int c, int x, int y);

/** Loops, atoms, and `terms` random terms over them. */
void world_fill(world *w, int terms);

/** Gives every atom a value, and every term and instruction the value it then has. False: these make no world (a loop without a
 *  round, a range without a number). */
bool world_sample(world *w);
/** Gives the loop variable another value, the other atoms keeping theirs. False: it has none. */
bool world_step(world *w, int loop_term, wide to);
/** Whether a term now counts the elements of an array that can exist: exactly, and below 2^WADI_EXTENT_BITS. */
bool world_is_extent(const world *w, int t);
/** The value an instruction has now. */
wide world_value(const world *w, wadi_lv v);

#endif
