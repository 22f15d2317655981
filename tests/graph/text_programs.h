/* Programs as text, for the tests of this folder: a little of everything the language has. */
#ifndef WADI_TESTS_GRAPH_TEXT_PROGRAMS_H
#define WADI_TESTS_GRAPH_TEXT_PROGRAMS_H

typedef struct text_program {
    const char *name, *text;
} text_program;

/** Ends with a NULL name. */
extern const text_program text_programs[];

#endif
