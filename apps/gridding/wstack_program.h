/* The programs of a w-stack, for one layout. */
#ifndef WADI_APPS_GRIDDING_WSTACK_PROGRAM_H
#define WADI_APPS_GRIDDING_WSTACK_PROGRAM_H

#include "apps/gridding/wstack_plan.h"

/* Of the fields, those in w are the last, and not there if the stack is flat. The next program reads each by its name. */
enum { WSTACK_FLAT_SPOT = 4, WSTACK_SPOT = 6 };
extern const char *const wstack_spot[WSTACK_SPOT];

/* Entries (wstack_sort.h) become values and kernels.
 *   in   u v w weight f64[n], vis c128[n], entry i64[m]
 *   out  value c[m]   the visibility, weighted, turned by the middle of n - 1
 *        spots [m]    fields of wstack_spot: i32 of the kernel's first point, r of how far it is behind, as es_pieces takes it */
wadi_program *wstack_prepare(const wstack_plan *p);

/* `count` planes from `low` on are added to the image, from above downwards.
 *   in   what prepare gives, field by field, offset i64[k], firsts low count parts (count * tiles) i64[], image c[columns, size], turn c[columns, size]
 *   out  image */
wadi_program *wstack_planes(const wstack_plan *p);

/* The same of whole batches, as a stream: each element is what prepare gives of one, and becomes what wstack_planes makes of an image of zeros, with
 * the same bits.
 *   in   stream "parts" of wstack_part_columns, turn c[columns, size]
 *   out  stream "images" of c[columns, size] */
wadi_program *wstack_part(const wstack_plan *p);

/* An array of a part. If the stack is flat, those of planes are there, and empty. */
typedef struct wstack_column {
    const char *name;
    wadi_type type;
    int rank;
} wstack_column;
enum { WSTACK_PART = WSTACK_SPOT + 3 };
/* value, wstack_spot, offset, planes: i64[], how many there are. */
void wstack_part_columns(const wstack_plan *p, wstack_column out[WSTACK_PART]);

/* The image's real part, corrected, is added to a sum.
 *   in   image c[columns, size], finish c128[size / 2 + 1, size / 2 + 1], sum f64[size, size]
 *   out  sum */
wadi_program *wstack_finish(const wstack_plan *p);

#endif
