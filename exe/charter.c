/* The program of a charter (sched/run/charter.h). Whoever compiles the same text with the same options makes the same plan, which its hash tells; if
 * libraries of routines differ, it does not. */
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "exe/exe.h"

typedef struct recipe {
    wadi_text libraries, disable, file, text;
    int64_t flags;
} recipe;

static void recipe_fini(recipe *r) {
    wadi_text_fini(&r->libraries);
    wadi_text_fini(&r->disable);
    wadi_text_fini(&r->file);
    wadi_text_fini(&r->text);
}

static wadi_status read_recipe(wadi_state_reader from, recipe *out, wadi_error *err) {
    WADI_TRY(wadi_state_take_text(&from, &out->libraries, err));
    WADI_TRY(wadi_state_take_count(
        &from, WADI_RECIPE_UNCHECKED | WADI_RECIPE_NO_FOREIGN | WADI_RECIPE_STEADY, &out->flags,
        err));
    WADI_TRY(wadi_state_take_text(&from, &out->disable, err));
    WADI_TRY(wadi_state_take_text(&from, &out->file, err));
    return wadi_state_take_text(&from, &out->text, err);
}

static wadi_status check_same(wadi_exe *exe, const wadi_charter *c, const recipe *r,
                              wadi_error *err) {
    wadi_text libraries = {0};
    uint8_t hash[WADI_CHARTER_HASH];
    wadi_exe_describe_libraries(exe, &libraries);
    const bool alike = strcmp(wadi_text_str(&libraries), wadi_text_str(&r->libraries)) == 0;
    wadi_text_fini(&libraries);
    wadi_plan_layout_hash(exe->plan, hash);
    if (!alike)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "the program calls routines of libraries (--routines) that are not the "
                         "same here as at home");
    if (memcmp(hash, c->hash, sizeof hash) == 0) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "the program compiles to another plan here than at home, which has another "
                     "build of wadi, or routines that are missing here");
}

/* Errors name the file, when nothing is left of the job. So names stay, a few of them. */
static const char *keep_name(const char *name) {
    enum { NAMES = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *names[NAMES];
    const char *kept = "the job's program";
    if (name[0] == '\0') return kept;
    (void)pthread_mutex_lock(&lock);
    int i = 0;
    while (i < NAMES && names[i] != NULL && strcmp(names[i], name) != 0) i++;
    if (i < NAMES && names[i] == NULL) names[i] = strdup(name);
    if (i < NAMES && names[i] != NULL) kept = names[i];
    (void)pthread_mutex_unlock(&lock);
    return kept;
}

static wadi_status compile(const wadi_charter *c, const recipe *r, const char *target,
                           wadi_exe **out, wadi_error *err) {
    const wadi_compile_options options = {.disable =
                                              r->disable.n > 0 ? wadi_text_str(&r->disable) : NULL,
                                          .target = target,
                                          .math = WADI_MATH_EXACT,
                                          .unchecked = (r->flags & WADI_RECIPE_UNCHECKED) != 0,
                                          .no_foreign = (r->flags & WADI_RECIPE_NO_FOREIGN) != 0,
                                          .steady = (r->flags & WADI_RECIPE_STEADY) != 0};
    WADI_TRY(wadi_compile_text(wadi_text_str(&r->text), keep_name(wadi_text_str(&r->file)),
                               &options, out, err));
    const wadi_status st = check_same(*out, c, r, err);
    if (st == WADI_OK) return WADI_OK;
    wadi_exe_destroy(*out);
    *out = NULL;
    return st;
}

wadi_status wadi_exe_of_charter(const wadi_charter *charter, const char *target, wadi_exe **out,
                                wadi_error *err) {
    recipe r = {.flags = 0};
    wadi_status st = read_recipe(charter->program, &r, NULL);
    if (st == WADI_OK)
        st = compile(charter, &r, target, out, err);
    else
        st = wadi_fail(err, WADI_IO, "the charter of the job is damaged");
    recipe_fini(&r);
    return st;
}
