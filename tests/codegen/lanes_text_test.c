/* Every program of tests/codegen/recorded in device C, in every schedule, as OpenCL C and as CUDA C: a compiler of each takes it, and kernels
 * by groups keep the rules that a device cannot check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "codegen/plan/plan.h"
#include "codegen/pipeline.h"
#include "codegen/targets.h"
#include "operators/table.h"
#include "tests/codegen/nvrtc_figures.h"

/* ---- the rules ---- */

typedef struct reading {
    int64_t shared;          /* bytes of the group's memory that the kernel has declared */
    const char *name;        /* of the text */
    WADI_VEC(char *) arrays; /* that the kernel declares */
    int lanes;               /* the indentation of the loop by lanes around, or -1 */
    bool grouped, top;
    bool barriers;                       /* the kernel has some */
    bool parted;                         /* lanes may have gone different ways since the last one */
    int by_lanes, faults, stores, joins; /* how many were seen in all */
} reading;

static void forget_arrays(reading *r) {
    for (size_t k = 0; k < r->arrays.n; k++) free(r->arrays.at[k]);
    r->arrays.n = 0;
}

/* The name that ends in front of `end`. */
static char *name_before(const char *line, const char *end) {
    const char *begin = end;
    while (begin > line &&
           (strchr("_", begin[-1]) != NULL || (begin[-1] >= '0' && begin[-1] <= '9') ||
            (begin[-1] >= 'a' && begin[-1] <= 'z') || (begin[-1] >= 'A' && begin[-1] <= 'Z')))
        begin--;
    return strndup(begin, (size_t)(end - begin));
}

static bool is_array(const reading *r, const char *name) {
    for (size_t k = 0; k < r->arrays.n; k++)
        if (strcmp(r->arrays.at[k], name) == 0) return true;
    return false;
}

/* A line `T name[n];` declares an array of lanes or of the group. */
static void note_array(reading *r, const char *line) {
    const char *bracket = strchr(line, '[');
    const size_t n = strlen(line);
    if (bracket == NULL || n < 3 || strcmp(line + n - 2, "];") != 0 || strchr(line, '=') != NULL)
        return;
    char *name = name_before(line, bracket);
    assert_non_null(name);
    assert_true(wadi_vec_push(&r->arrays, name));
}

static int64_t size_of(const char *type) {
    if (strncmp(type, "wadi_c128", 9) == 0) return 16;
    if (strncmp(type, "wadi_c64", 8) == 0) return 8;
    if (strncmp(type, "float", 5) == 0) return 4;
    const size_t digit = strcspn(type, "0123456789 ");
    return type[digit] == ' ' ? 8 : strtol(type + digit, NULL, 10) / 8;
}

/* "WADI_LOCAL double tile[64];": no more than each device of OpenCL 1.2 has. */
static void note_shared(reading *r, const char *line) {
    static const char begin[] = "WADI_LOCAL ";
    const size_t n = sizeof begin - 1;
    if (strncmp(line, begin, n) != 0) return;
    r->shared += size_of(line + n) * strtol(strchr(line, '[') + 1, NULL, 10);
    if (r->shared > 32768) fail_msg("%s: too much memory of the group: %s", r->name, line);
}

/* A store that all lanes of a group come to. */
static void check_store(reading *r, const char *line) {
    const char *bracket = strchr(line, '['), *set = strstr(line, "] = ");
    if (bracket == NULL || set == NULL || strncmp(line, "const ", 6) == 0) return;
    if (strncmp(line, "if (w->lane == 0) ", 18) == 0) {
        r->stores++;
        return;
    }
    char *name = name_before(line, bracket);
    if (name == NULL || !is_array(r, name)) fail_msg("%s: all lanes store: %s", r->name, line);
    free(name);
}

/* What all lanes decide alike, they come to together: the begin and the end of a loop or a branch. */
static void check_decision(reading *r, const char *line, int indent) {
    const bool alone = strncmp(line, "if (w->lane == 0) ", 18) == 0;
    const bool decides = strncmp(line, "for (", 5) == 0 || (line[0] == '}' && indent > 0) ||
                         (strncmp(line, "if (", 4) == 0 && !alone);
    if (strcmp(line, "WADI_BARRIER") == 0 || strcmp(line, "WADI_JOIN") == 0 ||
        strcmp(line, "return;") == 0)
        r->parted = false;
    r->joins += strcmp(line, "WADI_JOIN") == 0;
    if (decides && r->barriers && r->parted) fail_msg("%s: not together: %s", r->name, line);
    if (alone) r->parted = true;
}

static void check_line(reading *r, const char *line, int indent) {
    const size_t n = strlen(line);
    static const char by_lanes[] = "{ /* by lanes */";
    note_array(r, line);
    note_shared(r, line);
    if (strncmp(line, "WADI_LOCAL", 10) == 0 && !r->top)
        fail_msg("%s: memory of the group is not at the top: %s", r->name, line);
    if (strncmp(line, "WADI_LOCAL", 10) != 0 && strcmp(line, "WADI_ITEM") != 0) r->top = false;
    if (r->lanes >= 0) {
        if (strstr(line, "WADI_BARRIER") != NULL || strstr(line, "WADI_JOIN") != NULL ||
            strncmp(line, "return", 6) == 0)
            fail_msg("%s: a lane alone: %s", r->name, line);
        if (strncmp(line, "goto wadi_end_", 14) == 0) r->faults++;
        if (strcmp(line, "}") == 0 && indent == r->lanes) {
            r->lanes = -1;
            r->parted = true;
        }
    } else if (n >= sizeof by_lanes - 1 &&
               strcmp(line + n - (sizeof by_lanes - 1), by_lanes) == 0) {
        r->by_lanes++;
        r->lanes = indent;
    } else {
        check_store(r, line);
        check_decision(r, line, indent);
    }
}

static void begin_kernel(reading *r) {
    forget_arrays(r);
    r->shared = 0;
    r->lanes = -1;
    r->grouped = r->top = true;
    r->parted = false;
}

/* Kernels by items have no `w->group`; what stands in them is one item's business. */
static void check_kernel(reading *r, const char *at, const char *end) {
    const char *group = strstr(at, "w->group");
    if (group == NULL || group > end) return;
    begin_kernel(r);
    const char *barrier = strstr(at, "WADI_BARRIER");
    r->barriers = barrier != NULL && barrier < end;
    while (at < end) {
        const size_t n = strcspn(at, "\n"), blank = strspn(at, " ");
        char *line = strndup(at + blank, n - blank);
        assert_non_null(line);
        check_line(r, line, (int)blank);
        free(line);
        at += n + 1;
    }
    assert_int_equal(r->lanes, -1);
}

static void check_kernels(reading *r, const char *text) {
    for (const char *at = text; (at = strstr(at, "\nWADI_KERNEL(")) != NULL;) {
        const char *end = strstr(at, "\n/* ---- end of");
        assert_non_null(end);
        at = strchr(at + 1, '\n') + 1;
        check_kernel(r, at, end);
        at = end;
    }
}

/* ---- programs ---- */

typedef struct writing {
    char folder[64];
    const wadi_target *target;
    const char *ending;
    int texts;
    reading r;
} writing;

static bool any_routine(const char *name) {
    return name != NULL;
}

static void keep(writing *w, const char *text) {
    char path[120];
    snprintf(path, sizeof path, "%s/%04d.%s", w->folder, w->texts++, w->ending);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void take_version(writing *w, wadi_versions *versions, int body, wadi_version_key version) {
    wadi_made *made = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_versions_make(versions, body, version, w->target, &made, &err) != WADI_OK)
        fail_msg("%s: %s", w->r.name, err.msg);
    check_kernels(&w->r, made->kernels - 1);
    keep(w, made->source);
    wadi_made_destroy(made);
}

static void take_bodies(writing *w, const wadi_plan *plan, wadi_versions *versions) {
    for (int b = 0; b < plan->nbodies; b++)
        for (int k = 0; k < WADI_BODY_VERSIONS; k++)
            if (wadi_body_offers(&plan->bodies[b], wadi_version_numbered(k)))
                take_version(w, versions, b, wadi_version_numbered(k));
}

static void take_program(writing *w, const char *path) {
    wadi_pipeline_options passes = {.routine = any_routine};
    wadi_plan_options planning = {.unchecked = false};
    wadi_facts facts = {NULL, NULL};
    wadi_module *m = NULL;
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    char *text = NULL;
    size_t n = 0;
    wadi_diag *diag = wadi_diag_create(false);
    assert_non_null(diag);
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    if (wadi_ir_parse(text, path, wadi_operators(), &m, NULL) == WADI_OK &&
        wadi_pipeline_run(m, &passes, diag, &facts, NULL) == WADI_OK &&
        wadi_plan_build(m, &facts, &planning, &plan, &versions, NULL) == WADI_OK)
        take_bodies(w, plan, versions);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    wadi_facts_fini(&facts);
    wadi_diag_destroy(diag);
    wadi_module_destroy(m);
    free(text);
}

static void take_programs(writing *w) {
    const char *root = getenv("WADI_SOURCE");
    char folder[400], path[700];
    snprintf(folder, sizeof folder, "%.300s/tests/codegen/recorded", root ? root : ".");
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 5, ".wadi") != 0) continue;
        snprintf(path, sizeof path, "%.390s/%.300s", folder, e->d_name);
        w->r.name = e->d_name;
        take_program(w, path);
    }
    closedir(d);
}

/* ---- tests ---- */

static int write_all(void **state, writing *w, const char *target) {
    if (wadi_target_find(target, &w->target, NULL) != WADI_OK || mkdtemp(w->folder) == NULL)
        return -1;
    *state = w;
    take_programs(w);
    return 0;
}

static int write_opencl(void **state) {
    static writing w = {.folder = "/tmp/wadi_lanes_XXXXXX", .ending = "cl"};
    return write_all(state, &w, "opencl");
}

static int write_cuda(void **state) {
    static writing w = {.folder = "/tmp/wadi_lanes_XXXXXX", .ending = "cu"};
    return write_all(state, &w, "cuda");
}

static int remove_all(void **state) {
    writing *w = *state;
    char line[120];
    forget_arrays(&w->r);
    wadi_vec_free(&w->r.arrays);
    snprintf(line, sizeof line, "rm -rf '%s'", w->folder);
    return system(line);
}

/* What is not there is not checked: the programs have all that the rules are about. */
static void check_needed(const writing *w) {
    assert_true(w->texts > 300);
    assert_true(w->r.by_lanes > 1000);
    assert_true(w->r.faults > 100);
    assert_true(w->r.stores > 10);
    assert_true(w->r.joins > 10);
}

/* The numbers of the texts that compilers take: each takes half a second of a processor's for every ten. */
static const char *numbers(void) {
    return getenv("WADI_TEST_ALL") != NULL ? "*" : "*[05]";
}

static void a_compiler_takes_all_in_opencl(void **state) {
    const writing *w = *state;
    char line[400];
    check_needed(w);
    if (system("command -v clang >/dev/null") != 0) {
        print_message("no clang: not compiled\n");
        skip();
    }
    snprintf(line, sizeof line,
             "cd '%s' && clang -cc1 -triple spir64 -x cl -cl-std=CL1.2 -finclude-default-header "
             "-fdeclare-opencl-builtins -fsyntax-only -Wall "
             "-Werror=implicit-function-declaration %s.cl 2>log || "
             "{ grep error: log | cut -c1-300 | head -20; false; }",
             w->folder, numbers());
    assert_int_equal(system(line), 0);
}

/* So that eight groups of 64 lanes fit the registers of a multiprocessor. Other kernels have one element a
 * lane, and are not meant to fill it. */
enum { MOST_REGISTERS = 128, MOST_SPILLED = 256, MOST_SPILLED_ALONE = 32768, MOST_SHARED = 32768 };

static const char *judged; /* the text */

static bool is_by_groups(const char *kernel) {
    char mark[200];
    snprintf(mark, sizeof mark, "/* ---- start of %s ---- */", kernel);
    const char *at = strstr(judged, mark);
    const char *end = at != NULL ? strstr(at, "/* ---- end of") : NULL;
    const char *group = at != NULL ? strstr(at, "w->group") : NULL;
    return group != NULL && group < end;
}

static bool is_lean(const char *name, const nvrtc_figures *f) {
    const bool grouped = is_by_groups(f->kernel);
    const bool lean = f->registers > 0 && f->shared <= MOST_SHARED &&
                      f->spilled <= (grouped ? MOST_SPILLED : MOST_SPILLED_ALONE) &&
                      (!grouped || f->registers <= MOST_REGISTERS);
    if (!lean)
        fprintf(stderr, "%s: %s: %d registers, %d bytes spilled, %d bytes shared\n", name,
                f->kernel, f->registers, f->spilled, f->shared);
    return lean;
}

static bool is_taken(const writing *w, int i, const char *machine) {
    char path[120], *text = NULL;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%04d.%s", w->folder, i, w->ending);
    if (wadi_file_read(path, &text, &n, NULL) != WADI_OK) return false;
    const char *end = strstr(text, ", made by wadi"), *name = text + strlen("/* Kernels of ");
    char *title = strndup(name, end != NULL ? (size_t)(end - name) : 0);
    judged = text;
    const bool taken = nvrtc_figures_of(title, text, machine, is_lean);
    free(title);
    free(text);
    return taken;
}

/* Each text for one machine, every tenth for all; of all texts the `part`-th of `parts`. */
static bool are_taken(const writing *w, const char *const *machines, int step, int part,
                      int parts) {
    bool fine = true;
    for (int i = part * step; i < w->texts; i += parts * step)
        for (int m = 0; m < 3; m++)
            if (i % 3 == m || (step == 1 && i % 10 == 0))
                fine = is_taken(w, i, machines[m]) && fine;
    return fine;
}

/* One text of how many NVIDIA's own compiler takes: all of them are ten minutes of a processor's. */
static int nvrtc_step(void) {
    const char *said = getenv("WADI_NVRTC_STEP");
    const int step = said != NULL ? atoi(said) : getenv("WADI_TEST_ALL") != NULL ? 10 : 100;
    return step > 0 ? step : 1;
}

/* NVIDIA's own compiler makes machine code of some, in two processes; of all if WADI_NVRTC_STEP is 1. */
static void check_with_nvrtc(const writing *w) {
    char newest[16];
    const char *const machines[] = {"sm_80", "sm_90", newest};
    const int step = nvrtc_step();
    int status = 0;
    if (!nvrtc_figures_open(newest)) {
        print_message("no compiler of NVIDIA's\n");
        return;
    }
    const pid_t other = fork();
    if (other == 0) _exit(are_taken(w, machines, step, 1, 2) ? 0 : 1);
    const bool fine = are_taken(w, machines, step, 0, 2);
    assert_true(other > 0);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_true(fine);
}

/* The host's compiler behind the declarations that the double of NVRTC has. */
static void a_compiler_takes_all_in_cuda(void **state) {
    const writing *w = *state;
    const char *root = getenv("WADI_SOURCE");
    char line[800];
    check_needed(w);
    if (system("command -v c++ >/dev/null") != 0) {
        print_message("no compiler of C++: not compiled\n");
        skip();
    }
    snprintf(line, sizeof line,
             "cd '%s' && c++ -std=c++17 -x c++ -include '%.300s/tests/devices/doubles/host.h' "
             "-fsyntax-only -w %s.cu 2>log || { grep error: log | cut -c1-300 | head -20; false; }",
             w->folder, root ? root : ".", numbers());
    assert_int_equal(system(line), 0);
    check_with_nvrtc(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_compiler_takes_all_in_opencl, write_opencl, remove_all),
        cmocka_unit_test_setup_teardown(a_compiler_takes_all_in_cuda, write_cuda, remove_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
