/* A tile: memory of a group for some elements of as many rows as there are lanes, or of fewer. Neighbouring lanes fill and empty it with
 * neighbouring elements, which makes use of whole cache lines. In between, each lane that has a row goes through it. */
#ifndef WADI_CODEGEN_KERNEL_TILE_H
#define WADI_CODEGEN_KERNEL_TILE_H

#include "codegen/kernel/lower.h"

typedef struct wadi_tile {
    int fields, rows, columns;
    const wadi_type *type;
    wadi_lv array[WADI_MAX_FIELDS];
} wadi_tile;

/** Declares the memory of a tile for elements of these types, as many of a row as are worth it. */
void wadi_tile_declare(wadi_lower *l, int fields, const wadi_type *type, wadi_tile *out);
/** The same of `rows` rows, a power of two that is at most the number of lanes: the fewer rows, the more of each. */
void wadi_tile_declare_rows(wadi_lower *l, int rows, int fields, const wadi_type *type,
                            wadi_tile *out);
/** The same of that many rows and columns. */
void wadi_tile_declare_of(wadi_lower *l, int rows, int columns, int fields, const wadi_type *type,
                          wadi_tile *out);
/** The place of element `column` of row `row`. */
wadi_lv wadi_tile_place(wadi_lower *l, const wadi_tile *t, wadi_lv row, wadi_lv column);
/** Code for the element at that place. */
typedef void (*wadi_tile_body)(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at);
/** Writes a loop by lanes over all elements, row by row. at_once: each lane does all of its rounds in one go. Otherwise all lanes do a
 *  round before any does the next, in the order of the elements, for code that may fault. */
void wadi_tile_each(wadi_lower *l, const wadi_tile *t, bool at_once, wadi_tile_body body,
                    void *env);

/** What an element of the tile shall be. */
typedef void (*wadi_tile_value)(wadi_lower *l, void *env, wadi_lv row, wadi_lv column,
                                wadi_lv *out);
/** Fills the tile. Each lane first reads all of its elements, which nothing may keep from being read, and so waits for memory once. */
void wadi_tile_fill(wadi_lower *l, const wadi_tile *t, wadi_tile_value value, void *env);

/** The greatest of counts[lane], a lane array of i64: how long the longest row is. */
wadi_lv wadi_tile_longest(wadi_lower *l, wadi_lv counts);

/* An operation that combines two values with these fields. */
typedef struct wadi_taking {
    int fields;
    const wadi_type *type;
    const wadi_lv *nothing; /* its identity */
    void (*combine)(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out);
    const void *env;
} wadi_taking;

/** An array for each field, with an element for each lane. */
void wadi_taking_declare(wadi_lower *l, const wadi_taking *t, const char *name, wadi_lv *out);
/** array[lane] = the values of all lanes up to it, combined, in log2(lanes) steps. `spare`: a second array. */
void wadi_taking_scan(wadi_lower *l, const wadi_taking *t, const wadi_lv *array,
                      const wadi_lv *spare);
/** array[0] = the values of all lanes, combined in any order. */
void wadi_taking_join(wadi_lower *l, const wadi_taking *t, const wadi_lv *array);
/** Replaces the n elements at the pointers by their scan from the left. */
void wadi_taking_scan_memory(wadi_lower *l, const wadi_taking *t, const wadi_lv *pointer,
                             wadi_lv first, wadi_lv n);

#endif
