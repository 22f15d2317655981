/* A cmocka fixture: *state is a `fixture` with a builder of loop code. To be included once, by the file of the test. */
#ifndef TESTS_CODEGEN_CODE_FIXTURE_H
#define TESTS_CODEGEN_CODE_FIXTURE_H

#include "base/arena.h"
#include "codegen/loop/loop.h"

typedef struct fixture {
    wadi_arena *arena;
    wadi_lb b;
} fixture;

static int open_fixture(void **state) {
    static fixture f;
    f.arena = wadi_arena_create();
    wadi_lb_init(&f.b, f.arena, "test");
    *state = &f;
    return f.arena ? 0 : -1;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    wadi_lb_fini(&f->b);
    wadi_arena_destroy(f->arena);
    return 0;
}

#endif
