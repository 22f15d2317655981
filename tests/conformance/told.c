#include "tests/conformance/told.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/pipeline.h"
#include "tests/graph/module_copy.h"

/* Messages, a line each. */
static void note(void *env, const char *message) {
    wadi_text_addf(env, "%s\n", message);
}

/* What the interpreter goes on with where there is no value must not matter: two such numbers are tried, and a message counts that both
 * give. */
static void collect_from(told *t, const wadi_module *m, const wadi_interp_io *given) {
    static const int64_t instead[] = {0, 3};
    for (int i = 0; i < 2; i++) {
        wadi_interp_io io = *given;
        wadi_interp_results *r = NULL;
        wadi_error err = {0};
        io.told = note;
        io.told_env = &t->with[i];
        io.instead = instead[i];
        (void)!wadi_interp_run(m, &io, &r, &err);
        wadi_interp_results_destroy(r);
    }
}

/* The program as it is written, and as the compiler's passes leave it: an array of which only extents are needed may be gone, and does not keep
 * others from being computed then. */
void told_collect(told *t, const conf_case *c) {
    wadi_module *m = module_copy(c->module);
    const wadi_pipeline_options o = {.verify = true};
    wadi_facts facts;
    wadi_error err = {0};
    collect_from(t, c->module, &c->io);
    if (m && wadi_pipeline_run(m, &o, NULL, &facts, &err) == WADI_OK) {
        wadi_facts_fini(&facts);
        collect_from(t, m, &c->io);
    }
    wadi_module_destroy(m);
}

void told_fini(told *t) {
    for (int i = 0; i < 2; i++) wadi_text_fini(&t->with[i]);
}

int64_t told_element(const char *message) {
    const char *at = strstr(message, "element ");
    return at ? strtoll(at + strlen("element "), NULL, 10) : -1;
}

/* The words of a fault in something that no element of the stream is needed for: it is computed once, before the first. */
static bool without_element(const char *want, const char *got) {
    static const char first[] = ", element 0";
    const char *at = strstr(want, first);
    return at && strncmp(want, got, (size_t)(at - want)) == 0 &&
           strcmp(at + sizeof first - 1, got + (at - want)) == 0;
}

/* One of the lines, or the same but for the element. */
static bool is_line(const char *lines, const char *message) {
    const size_t n = strlen(lines);
    char line[sizeof((wadi_error *)0)->msg];
    for (const char *at = lines; at < lines + n;) {
        const char *end = strchr(at, '\n');
        const size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length > 0 && length < sizeof line) {
            memcpy(line, at, length);
            line[length] = '\0';
            if (strcmp(line, message) == 0 || without_element(line, message)) return true;
        }
        at += length + 1;
    }
    return false;
}

static bool is_among(const told *t, const char *message) {
    return is_line(wadi_text_str(&t->with[0]), message) &&
           is_line(wadi_text_str(&t->with[1]), message);
}

/* A negative extent of an array of which nothing else is needed is told by the next array that has it. */
static bool of_same_extent(const char *want, const char *got) {
    static const char what[] = ": extent ";
    const char *x = strstr(want, what), *y = strstr(got, what);
    if (!x || !y || !strstr(x, " is negative in ") || !strstr(y, " is negative in ")) return false;
    const int64_t of = told_element(want), is = told_element(got);
    return strtoll(x + sizeof what - 1, NULL, 10) == strtoll(y + sizeof what - 1, NULL, 10) &&
           (of == is || (of == 0 && is < 0));
}

bool told_allows(const told *t, const conf_case *c, const char *message) {
    const char *want = c->fault.msg;
    return strcmp(want, message) == 0 || without_element(want, message) || is_among(t, message) ||
           of_same_extent(want, message);
}

bool told_of_nothing(const conf_case *c, const char *message) {
    bool idle = false;
    for (int i = 0; i < c->want->nsinks; i++) idle = idle || c->want->sinks[i].n == 0;
    return idle && told_element(message) < 0;
}
