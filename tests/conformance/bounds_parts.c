#include "tests/conformance/bounds_maker.h"

#include <stdio.h>
#include <string.h>

int bounds_below(bounds_maker *m, int n) {
    return gen_below(&m->r, n);
}

const char *bounds_one_of(bounds_maker *m, const char *const *list, int n) {
    return list[bounds_below(m, n)];
}

void bounds_fresh(bounds_maker *m, char *name) {
    (void)snprintf(name, BOUNDS_NAME, "a%d", m->names++);
}

const bounds_array *bounds_any_array(bounds_maker *m, int rank, bool tame) {
    const bounds_array *found = NULL;
    int n = 0;
    for (int i = 0; i < m->arrays; i++) {
        const bounds_array *a = &m->pool[i];
        if (a->rank != rank || (tame && !a->tame)) continue;
        n += 1 + (i > 2); /* younger ones are taken more often */
        if (bounds_below(m, n) < 1 + (i > 2)) found = a;
    }
    return found;
}

const char *bounds_any_number(bounds_maker *m) {
    return m->number[bounds_below(m, m->numbers)];
}

/* ---- numbers ---- */

static void add_atom(bounds_maker *m) {
    static const char *const constants[] = {"0", "1", "2", "3", "-1", "15", "16", "17"};
    const int choice = bounds_below(m, 4);
    if (choice == 0)
        wadi_text_add(m->out, BOUNDS_ONE_OF(m, constants));
    else
        wadi_text_addf(m->out, "(the %s)", bounds_any_number(m));
}

/* A length that memory has, or none has: nothing between 2^16 and 2^44 comes of such numbers. */
static void add_length(bounds_maker *m, int depth) {
    static const char *const two[] = {"add", "add", "sub", "sub", "min", "max"};
    static const char *const with[] = {"rem", "mod", "add", "sub"};
    static const char *const small[] = {"2", "3", "16"};
    if (depth == 0) {
        add_atom(m);
        return;
    }
    const bool both = bounds_below(m, 2);
    wadi_text_addf(m->out, "(%s ", both ? BOUNDS_ONE_OF(m, two) : BOUNDS_ONE_OF(m, with));
    add_length(m, depth - 1);
    wadi_text_add(m->out, " ");
    if (both)
        add_length(m, depth - 1);
    else
        wadi_text_add(m->out, BOUNDS_ONE_OF(m, small));
    wadi_text_add(m->out, ")");
}

void bounds_keep_number(bounds_maker *m, const char *name) {
    if (m->numbers < BOUNDS_NUMBERS) memcpy(m->number[m->numbers++], name, BOUNDS_NAME);
}

void bounds_write_number(bounds_maker *m) {
    char name[BOUNDS_NAME];
    bounds_fresh(m, name);
    wadi_text_addf(m->out, "%s = unit { add 0 ", name);
    add_length(m, 1 + bounds_below(m, 2));
    wadi_text_add(m->out, " }\n");
    bounds_keep_number(m, name);
}

/* ---- indices ---- */

static void add_index_atom(bounds_maker *m) {
    static const char *const constants[] = {
        "0",          "1",          "2",          "-1",         "15",
        "16",         "2147483647", "2147483648", "4294967296", "4611686018427387904",
        "-2147483648"};
    const int choice = bounds_below(m, 6);
    if (choice < 3 && m->indices > 0)
        wadi_text_add(m->out, m->index[bounds_below(m, m->indices)]);
    else if (choice == 5)
        wadi_text_add(m->out, bounds_one_of(m, constants, bounds_below(m, 5) ? 6 : 11));
    else
        wadi_text_addf(m->out, "(the %s)", bounds_any_number(m));
}

static void add_any_index(bounds_maker *m, int depth) {
    static const char *const two[] = {"add", "add", "sub", "sub", "mul", "min", "max"};
    if (depth == 0) {
        add_index_atom(m);
        return;
    }
    wadi_text_addf(m->out, "(%s ", BOUNDS_ONE_OF(m, two));
    add_any_index(m, depth - 1);
    wadi_text_add(m->out, " ");
    add_any_index(m, depth - 1);
    wadi_text_add(m->out, ")");
}

/* An index of `a`: any, or in range if there is one. */
void bounds_add_index(bounds_maker *m, const bounds_array *a) {
    const int depth = bounds_below(m, 3);
    switch (bounds_below(m, 12)) {
    case 0:
        add_any_index(m, depth);
        return;
    case 1:
        add_index_atom(m);
        return;
    case 2:
    case 3:
    case 4:
    case 5:
        wadi_text_addf(m->out, "(max 0 (min (sub (extent %s 0) 1) ", a->name);
        add_any_index(m, depth);
        wadi_text_add(m->out, "))");
        return;
    default:
        wadi_text_add(m->out, "(mod ");
        add_any_index(m, depth);
        wadi_text_addf(m->out, " (max 1 (extent %s 0)))", a->name);
    }
}

/* Mostly of an array that is not empty. */
static void add_read(bounds_maker *m) {
    const bounds_array *a = bounds_below(m, 3) ? bounds_any_array(m, 1, false) : &m->pool[1];
    wadi_text_addf(m->out, "(%s ! ", a->name);
    bounds_add_index(m, a);
    wadi_text_add(m->out, ")");
}

/* One side reads, or both. */
static void add_choice(bounds_maker *m) {
    static const char *const compare[] = {"lt", "ge", "gt", "eq"};
    wadi_text_addf(m->out, "if %s ", BOUNDS_ONE_OF(m, compare));
    add_index_atom(m);
    wadi_text_add(m->out, " ");
    add_index_atom(m);
    wadi_text_add(m->out, " { add 0 ");
    add_read(m);
    wadi_text_add(m->out, " } else { add 0 ");
    if (bounds_below(m, 2))
        add_read(m);
    else
        add_index_atom(m);
    wadi_text_add(m->out, " }");
}

/* What a function of the indices gives. */
void bounds_add_element(bounds_maker *m) {
    switch (bounds_below(m, 5)) {
    case 0:
        add_choice(m);
        return;
    case 1:
        wadi_text_add(m->out, "add ");
        add_read(m);
        wadi_text_add(m->out, " ");
        add_read(m);
        return;
    case 2:
        wadi_text_add(m->out, "add 1 ");
        add_any_index(m, 1);
        return;
    default:
        wadi_text_add(m->out, "add ");
        add_read(m);
        wadi_text_add(m->out, " ");
        add_index_atom(m);
    }
}

void bounds_begin_function(bounds_maker *m, int n) {
    static const char *const names[] = {"x", "y", "z"};
    m->indices = n;
    for (int i = 0; i < n; i++) (void)snprintf(m->index[i], BOUNDS_NAME, "%s", names[i]);
    wadi_text_addf(m->out, " (%s) { ", n == 1 ? "x" : n == 2 ? "x, y" : "x, y, z");
}

void bounds_end_function(bounds_maker *m) {
    m->indices = 0;
    wadi_text_add(m->out, " }\n");
}
