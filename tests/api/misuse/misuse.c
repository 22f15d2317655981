/* Makes each call of the table in a child process. No call may crash or hang, and a mistake must be reported, by the status or by
 * the program. calls.awk writes WADI_CALLS from the public headers. A parameter type that this file does not know does not
 * compile. */
#define _POSIX_C_SOURCE 200809L
#define WADI_NO_PLACES
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include WADI_HEADERS

typedef enum rule { ANYTHING, TOLD, ALONE, ALONE_TOLD } rule;
typedef struct row {
    const char *what;
    void (*call)(void);
    rule rule;
} row;

static wadi_program *program;
static wadi_error error;
static wadi_status status = WADI_OK;

static void note_status(wadi_status st) {
    status = st;
}

/* ---- arguments ---- */

static double numbers[4] = {1, 2, 3, 4};
static const wadi_array vector = {
    .rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {4}, .column = {numbers}};
static wadi_exp e, e_other;
static wadi_acc a, a_other;
static wadi_seq s, s_other;
static wadi_eat c, c_other;

static void handles(wadi_exp *out_e, wadi_acc *out_a, wadi_seq *out_s, wadi_eat *out_c) {
    *out_e = wadi_i64(1);
    *out_a = wadi_use(&vector);
    *out_s = wadi_to_seq(*out_a);
    *out_c = wadi_elements(*out_s);
}

static wadi_exe *an_exe(void) {
    wadi_exe *exe = NULL;
    const char *text = "program p\ninput x : f64[n]\noutput x\n";
    if (wadi_compile_text(text, "p.wadi", NULL, &exe, NULL) != WADI_OK) _exit(99);
    return exe;
}

static wadi_run *a_run(void) {
    wadi_run *run = NULL;
    if (wadi_run_create(an_exe(), NULL, &run, NULL) != WADI_OK) _exit(98);
    return run;
}

static wadi_watch *a_watch(void) {
    wadi_watch *watch = NULL;
    const wadi_watch_options hidden = {.no_socket = true};
    if (wadi_watch_begin(&hidden, &watch, NULL) != WADI_OK) _exit(96);
    return watch;
}

/* Nobody is at its address. */
static wadi_worker *a_worker(void) {
    wadi_worker *worker = NULL;
    const wadi_worker_options brief = {.wait_s = 0.001};
    if (wadi_worker_create("ipc://misuse.sock", &brief, &worker, NULL) != WADI_OK) _exit(95);
    return worker;
}

static wadi_source *a_source(void) {
    wadi_source *source = NULL;
    if (wadi_source_memory(&vector, &source, NULL) != WADI_OK) _exit(97);
    return source;
}

static wadi_sink *a_sink(void) {
    wadi_sink *sink = NULL;
    if (wadi_sink_memory(&sink, NULL) != WADI_OK) _exit(96);
    return sink;
}

static wadi_vis *some_visibilities(void) {
    wadi_vis *v = NULL;
    if (wadi_vis_open("visibilities.txt", NULL, &v, &error) != WADI_OK) {
        fprintf(stderr, "%s\n", error.msg);
        _exit(95);
    }
    return v;
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    (void)env, (void)index, (void)yield, (void)err;
    return WADI_OK;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *x, wadi_error *err) {
    (void)env, (void)index, (void)parts, (void)x, (void)err;
    return WADI_OK;
}

static wadi_status fill(void *env, int64_t k, const wadi_array *x, int64_t *n, wadi_error *err) {
    (void)env, (void)k, (void)x, (void)err;
    *n = 0;
    return WADI_OK;
}

static wadi_status drain(void *env, int64_t first, int64_t count, int parts, const wadi_array *x,
                         wadi_error *err) {
    (void)env, (void)first, (void)count, (void)parts, (void)x, (void)err;
    return WADI_OK;
}

static wadi_status routine(void *env, int n, const wadi_foreign_array *in,
                           const wadi_foreign_array *out, wadi_error *err) {
    (void)env, (void)n, (void)in, (void)out, (void)err;
    return WADI_UNSUPPORTED;
}

static void hear(void *env, wadi_log_level level, const char *line) {
    (void)env, (void)level, (void)line;
}

static wadi_exp f1(wadi_exp x) {
    return x;
}
static wadi_exp f2(wadi_exp x, wadi_exp y) {
    (void)y;
    return x;
}
static wadi_exp f3(wadi_exp x, wadi_exp y, wadi_exp z) {
    (void)y, (void)z;
    return x;
}
static wadi_exp f4(wadi_exp x, wadi_exp y, wadi_exp z, wadi_exp w) {
    (void)y, (void)z, (void)w;
    return x;
}
static wadi_exp f1e(void *v, wadi_exp x) {
    (void)v;
    return x;
}
static wadi_exp f2e(void *v, wadi_exp x, wadi_exp y) {
    (void)v, (void)y;
    return x;
}
static wadi_exp f3e(void *v, wadi_exp x, wadi_exp y, wadi_exp z) {
    (void)v;
    return f3(x, y, z);
}
static wadi_exp f4e(void *v, wadi_exp x, wadi_exp y, wadi_exp z, wadi_exp w) {
    (void)v;
    return f4(x, y, z, w);
}
static wadi_exp fix(wadi_ix ix) {
    (void)ix;
    return wadi_f64(1);
}
static wadi_exp fixe(void *v, wadi_ix ix) {
    (void)v, (void)ix;
    return wadi_f64(1);
}
static wadi_exp fimap(wadi_ix ix, wadi_exp x) {
    (void)ix;
    return x;
}
static wadi_exp fimape(void *v, wadi_ix ix, wadi_exp x) {
    (void)v, (void)ix;
    return x;
}
static wadi_ix fixix(wadi_ix ix) {
    return ix;
}
static wadi_ix fixixe(void *v, wadi_ix ix) {
    (void)v;
    return ix;
}
static wadi_acc facc1(wadi_acc x) {
    return x;
}
static wadi_acc facc2(wadi_acc x, wadi_acc y) {
    (void)y;
    return x;
}
static wadi_acc facc1e(void *v, wadi_acc x) {
    (void)v;
    return x;
}
static wadi_acc facc2e(void *v, wadi_acc x, wadi_acc y) {
    (void)v, (void)y;
    return x;
}
static wadi_acc faccn(int n, const wadi_acc *x) {
    (void)n;
    return x[0];
}
static wadi_acc faccne(void *v, int n, const wadi_acc *x) {
    (void)v, (void)n;
    return x[0];
}
static wadi_acc fprod(wadi_exp i) {
    return wadi_unit(i);
}
static wadi_acc fprode(void *v, wadi_exp i) {
    (void)v;
    return wadi_unit(i);
}
static wadi_exp fn(int n, const wadi_exp *x) {
    (void)n;
    return x[0];
}
static wadi_exp fne(void *v, int n, const wadi_exp *x) {
    (void)v, (void)n;
    return x[0];
}
static wadi_exp fizip(wadi_ix ix, wadi_exp x, wadi_exp y) {
    (void)ix, (void)y;
    return x;
}
static wadi_exp fizipe(void *v, wadi_ix ix, wadi_exp x, wadi_exp y) {
    (void)v, (void)ix, (void)y;
    return x;
}
static wadi_exp fizipne(void *v, wadi_ix ix, int n, const wadi_exp *x) {
    (void)v, (void)ix, (void)n;
    return x[0];
}
static wadi_ix ftarget(void *v, wadi_ix ix, int n, const wadi_exp *x) {
    (void)v, (void)n, (void)x;
    return ix;
}

static wadi_exp fnear(wadi_window *w) {
    return wadi_near1(w, 1);
}
static wadi_exp fneare(void *v, wadi_window *w) {
    (void)v;
    return wadi_near1(w, 1);
}
static wadi_exp fnear2(wadi_window *w, wadi_window *x) {
    (void)x;
    return wadi_near1(w, 1);
}
static wadi_exp fnear2e(void *v, wadi_window *w, wadi_window *x) {
    (void)v, (void)x;
    return wadi_near1(w, 1);
}
static wadi_exp fnearne(void *v, int n, wadi_window *const *w) {
    (void)v, (void)n;
    return wadi_near1(w[0], 1);
}

static const char *strings[] = {"n", "m", NULL};
static const wadi_component component = {.elem = {1, {WADI_F64}, {NULL}}, .rank = 1};
static void *place;
static int64_t number_out;
static size_t size_out;
static wadi_array array_out;
static wadi_run_stats stats_out;
static wadi_guarantee guarantee_out;
static wadi_worker_stats worker_stats_out;
static wadi_exp exps[2];
static wadi_acc accs[2];
static wadi_spec specs[1];
static const wadi_edge edges[1] = {{.kind = WADI_EDGE_CLAMP}};
static const wadi_order orders[1] = {{.key = f1}};

#define valid_wadi_exp e
#define valid_wadi_acc a
#define valid_wadi_seq s
#define valid_wadi_eat c
#define another_wadi_exp e_other
#define another_wadi_acc a_other
#define another_wadi_seq s_other
#define another_wadi_eat c_other
#define valid_wadi_ix wadi_ix1(e)
#define valid_wadi_spec wadi_all()
#define valid_int 1
#define valid__Bool true
#define valid_bool true
#define valid_double 1.0
#define valid_float 1.0F
#define valid_int8_t 1
#define valid_int16_t 1
#define valid_int32_t 1
#define valid_int64_t 1
#define valid_uint8_t 1
#define valid_uint16_t 1
#define valid_uint32_t 1
#define valid_uint64_t 1
#define valid_wadi_type WADI_F64
#define valid_wadi_status WADI_OK
#define valid_wadi_last WADI_LAST_DROP
#define valid_wadi_elem_type wadi_scalar_elem(WADI_F64)
#define valid_char_p "x"
#define valid_char_p_p ((void *)strings)
#define valid_int_p (&(int){0})
#define valid_int64_t_p (&number_out)
#define valid_size_t_p (&size_out)
#define valid_void_p (&place)
#define valid_void_p_p ((void *)&place)
#define valid_wadi_error_p (&error)
#define valid_wadi_program_p program
#define valid_wadi_acc_p accs
#define valid_wadi_exp_p exps
#define valid_wadi_spec_p specs
#define valid_wadi_array_p (&array_out)
#define valid_wadi_component_p (&component)
#define valid_wadi_part_p \
    (&(const wadi_part){.rank = 1, .fields = 1, .type = {WADI_F64}, .fixed = true, .shape = {1}})
#define valid_wadi_image_info_p (&(const wadi_image_info){.pixel = 1})
#define valid_wadi_vis_info_p (&(const wadi_vis_info){.rows = -1, .channels = 1, .pols = 1})
#define valid_wadi_vis_p some_visibilities()
#define valid_wadi_exe_p an_exe()
#define valid_size_t 1
#define valid_wadi_csr_p (&(wadi_csr){0})
#define valid_wadi_run_p a_run()
#define valid_wadi_run_stats_p (&stats_out)
#define valid_wadi_watch_p a_watch()
#define valid_wadi_worker_p a_worker()
#define valid_wadi_worker_stats_p (&worker_stats_out)
#define valid_wadi_guarantee_p (&guarantee_out)
#define valid_wadi_source_p a_source()
#define valid_wadi_sink_p a_sink()
#define valid_wadi_yield_p NULL /* only wadi makes one */
#define valid_wadi_pull_fn pull
#define valid_wadi_push_fn push
#define valid_wadi_fill_fn fill
#define valid_wadi_drain_fn drain
#define valid_wadi_foreign_fn routine
#define valid_wadi_log_fn hear
#define valid_wadi_window_p NULL /* only wadi makes one */
#define valid_wadi_edge wadi_edge_constant(e)
#define another_wadi_edge wadi_edge_constant(e_other)
#define valid_wadi_order_p orders
#define valid_wadi_edge_p edges
#define valid_wadi_stencil_fn fnear
#define valid_wadi_stencil_fn_env fneare
#define valid_wadi_stencil2_fn fnear2
#define valid_wadi_stencil2_fn_env fnear2e
#define valid_wadi_stencil_n_fn_env fnearne
#define valid_wadi_fn1 f1
#define valid_wadi_fn2 f2
#define valid_wadi_fn3 f3
#define valid_wadi_fn4 f4
#define valid_wadi_fn1_env f1e
#define valid_wadi_fn2_env f2e
#define valid_wadi_fn3_env f3e
#define valid_wadi_fn4_env f4e
#define valid_wadi_ix_fn fix
#define valid_wadi_ix_fn_env fixe
#define valid_wadi_imap_fn fimap
#define valid_wadi_imap_fn_env fimape
#define valid_wadi_ix_ix_fn fixix
#define valid_wadi_ix_ix_fn_env fixixe
#define valid_wadi_acc_fn1 facc1
#define valid_wadi_acc_fn2 facc2
#define valid_wadi_acc_fn1_env facc1e
#define valid_wadi_acc_fn2_env facc2e
#define valid_wadi_acc_fn_n faccn
#define valid_wadi_acc_fn_n_env faccne
#define valid_wadi_produce_fn fprod
#define valid_wadi_produce_fn_env fprode
#define valid_wadi_fn_n fn
#define valid_wadi_fn_n_env fne
#define valid_wadi_izip_fn fizip
#define valid_wadi_izip_fn_env fizipe
#define valid_wadi_izip_n_fn_env fizipne
#define valid_wadi_target_fn_env ftarget

#include WADI_CALLS

/* ---- one call ---- */

/* 0: well; 1: a mistake that nobody told. */
static int make_call(const row *r) {
    const bool alone = r->rule == ALONE || r->rule == ALONE_TOLD;
    if (alone) wadi_program_use(NULL);
    (void)alarm(120);
    r->call();
    if (r->rule == ANYTHING || r->rule == ALONE || status != WADI_OK) return 0;
    const wadi_program *p = program;
    return wadi_program_check(p, &error) == WADI_OK || !error.msg[0];
}

static bool is_well(const row *r) {
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(make_call(r));
    int st = 0;
    if (child < 0 || waitpid(child, &st, 0) != child) return false;
    if (WIFSIGNALED(st))
        printf("%s: signal %d\n", r->what, WTERMSIG(st));
    else if (WEXITSTATUS(st) == 1)
        printf("%s: not told\n", r->what);
    else if (WEXITSTATUS(st) != 0)
        printf("%s: ends with status %d\n", r->what, WEXITSTATUS(st));
    return WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

int main(void) {
    FILE *text = fopen("visibilities.txt", "w");
    if (!text || fputs("1 2 3 4 5\n2 3 4 5 6\n", text) < 0 || fclose(text) != 0) return 1;
    if (!wadi_program_create("other")) return 1;
    handles(&e_other, &a_other, &s_other, &c_other);
    program = wadi_program_create("this");
    if (!program) return 1;
    handles(&e, &a, &s, &c);
    exps[0] = exps[1] = e;
    accs[0] = accs[1] = a;
    specs[0] = wadi_all();
    array_out = vector;
    const size_t n = sizeof rows / sizeof *rows;
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) bad += !is_well(&rows[i]);
    printf("%zu calls, %zu bad\n", n, bad);
    return bad > 0;
}
