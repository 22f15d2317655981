/* wadi-grid: the program around a session. The image goes to its file, a summary to standard output, all else to standard error. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/gridding/options.h"
#include "apps/gridding/report.h"
#include "apps/gridding/saved.h"
#include "apps/gridding/session.h"
#include "apps/gridding/spool.h"
#include "apps/gridding/write_image.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loadable.h"
#include "base/outfile.h"
#include "base/process.h"
#include "base/say.h"
#include "base/task.h"
#include "base/text.h"
#include "base/thread.h"
#include "connectors/link_keys.h"
#include "sched/run/profile_all.h"
#include "sched/watch/answer.h"
#include "sched/watch/program.h"

enum { DONE = 0, FAILED = 1, MISUSE = 2 };

/* Below this accuracy, single precision would round too much. */
static const double single_epsilon = 1e-6;

typedef struct work {
    const grid_options *options;
    grid_files files;
    grid_session *session;
    grid_writer *writer;
    double *image;
    size_t pixels; /* in it */
    grid_phase phase;
    int64_t phase_ns;
    bool shown;        /* a line of progress stands on the terminal */
    grid_spool *spool; /* NULL: none */
    grid_saved *saved; /* NULL: none */
    bool live;         /* an image of what has come so far stands under the name of the whole one */
    wadi_thread loads; /* what writes images */
} work;

/* ---- signals ----
 *
 * Until something is being written, the first signal ends the process at once, since nothing has to be cleaned up. Visibilities of a link
 * cannot be read again, so then the image so far is written first. */

static atomic_bool
    drains; /* the first signal with --state: what has come is saved, and nothing else is done */

static void drain(void *unused) {
    WADI_UNUSED(unused);
    atomic_store(&drains, true);
    wadi_stop_call(wadi_process_stop());
}

static bool stop(void *env) {
    WADI_UNUSED(env);
    return wadi_process_signal() != 0 || atomic_load(&drains);
}

/* ---- progress ---- */

static void clear_line(work *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

static void before_warning(void *env) {
    clear_line(env);
}

static void progress(void *env, grid_phase phase, const grid_counts *counts, int64_t rows) {
    work *w = env;
    wadi_text line = {0};
    if (w->phase_ns == 0 || phase != w->phase) {
        w->phase = phase;
        w->phase_ns = wadi_clock_ns();
    }
    grid_report_progress(&line, phase, counts, rows,
                         (double)(wadi_clock_ns() - w->phase_ns) * 1e-9);
    clear_line(w);
    fputs(wadi_text_str(&line), stderr);
    w->shown = true;
    wadi_text_fini(&line);
}

/* ---- the image ---- */

/* Whether a signal may end the process at once: nothing has been saved, no link has brought anything, and nobody works for it. */
static bool may_die(const grid_options *o) {
    return o->listen == NULL && o->state == NULL && o->via.address == NULL;
}

typedef struct history {
    wadi_text line[3];
    const char *at[4];
} history;

static void tell_history(history *h, const grid_options *o, const grid_account *a) {
    wadi_text_addf(&h->line[0], "wadi-grid %s: method %s%s", WADI_VERSION, a->method,
                   o->psf ? ", beam" : "");
    if (strcmp(a->method, "wstack") == 0) wadi_text_addf(&h->line[0], ", epsilon %g", o->epsilon);
    wadi_text_add(&h->line[1], "weights ");
    grid_report_weights(&h->line[1], o->weights);
    wadi_text_addf(&h->line[2], "%lld visibilities, sum of weights %.9g",
                   (long long)a->tally.gridded, a->weight);
    for (int i = 0; i < 3; i++) h->at[i] = wadi_text_str(&h->line[i]);
}

static wadi_image_info image_info(const work *w, const grid_account *a, const history *h) {
    const grid_files *f = &w->files;
    const grid_limits *l = &a->limits;
    return (wadi_image_info){.pixel = a->geometry.scale,
                             .ra = f->ra,
                             .dec = f->dec,
                             .equinox = f->equinox,
                             .frequency = (l->lowest_frequency + l->highest_frequency) / 2,
                             .bandwidth =
                                 l->highest_frequency - l->lowest_frequency + f->channel_width,
                             .stokes = f->stokes,
                             .date = l->first_time,
                             .unit = "Jy/beam",
                             .object = f->object,
                             .telescope = f->telescope,
                             .history = h->at};
}

static wadi_status make_image(work *w, const grid_account *a, wadi_error *err) {
    const size_t pixels = (size_t)(a->geometry.size * a->geometry.size);
    if (w->pixels != pixels) {
        free(w->image);
        w->image = malloc(pixels * sizeof *w->image);
        w->pixels = w->image != NULL ? pixels : 0;
    }
    if (w->image == NULL) return wadi_fail(err, WADI_MEMORY, "no room for the image");
    return grid_session_image(w->session, w->image, err);
}

/* The image of what has been gridded so far, under `path`. */
static wadi_status write_image(work *w, const char *path, wadi_error *err) {
    grid_account a;
    history h = {0};
    grid_session_account(w->session, &a);
    WADI_TRY(make_image(w, &a, err));
    grid_session_account(w->session, &a);
    tell_history(&h, w->options, &a);
    const wadi_image_info info = image_info(w, &a, &h);
    wadi_process_may_die(false);
    const wadi_status status = grid_write_image(w->writer, w->image, a.geometry.size, path,
                                                path == w->options->output ? w->options->png : NULL,
                                                &info, w->options->sync, err);
    wadi_process_may_die(may_die(w->options));
    for (int i = 0; i < 3; i++) wadi_text_fini(&h.line[i]);
    return status;
}

static wadi_status show_live(void *env, wadi_error *err) {
    work *w = env;
    w->live = true;
    return write_image(w, w->options->output, err);
}

/* Warns, even with --quiet, if much of the data is not in the image. */
static void warn(const grid_account *a) {
    const int64_t all = a->tally.gridded + a->outside;
    if (a->outside * 20 < all || a->outside == 0) return;
    wadi_say(WADI_SAY_WARNING,
             "%lld of %lld visibilities lie outside the grid; a smaller --scale takes them in",
             (long long)a->outside, (long long)all);
}

static wadi_status summarise(work *w, wadi_error *err) {
    grid_account a;
    grid_statistics s;
    wadi_text text = {0};
    grid_session_account(w->session, &a);
    warn(&a);
    if (w->options->quiet) return WADI_OK;
    WADI_TRY(grid_statistics_of(w->image, a.geometry.size, &s, err));
    grid_report(&text, w->options, &w->files, &a, &s);
    fputs(wadi_text_str(&text), stdout);
    wadi_text_fini(&text);
    return fflush(stdout) == 0 ? WADI_OK
                               : wadi_fail(err, WADI_IO, "standard output: writing failed");
}

/* ---- the work ---- */

/* What writes images brings thirty libraries, which are loaded beside the work. If it cannot be loaded, the image says so; without a
 * thread, it is loaded when it is needed. */
static void load_writer(void *unused) {
    const wadi_loadable *module = NULL;
    wadi_error err = {.status = WADI_OK};
    WADI_UNUSED(unused);
    const wadi_status told_later = wadi_loadable_open("cfitsio", &module, &err);
    WADI_UNUSED(told_later);
}

static wadi_status open_files(work *w, const grid_take *take, wadi_error *err) {
    const grid_options *o = w->options;
    const grid_choice choice = {
        .options = {.field = o->field, .column = o->column, .conjugate = o->conjugate},
        .setup = o->setups.at,
        .setups = o->setups.n};
    if (o->listen == NULL)
        return grid_files_open(&w->files, o->inputs.n, o->inputs.at, &choice, take, err);
    wadi_link_secrets secrets = {0};
    wadi_link_options link = {.bind = true, .first_after_ms = -1}; /* telescopes take their time */
    wadi_status status = wadi_link_secrets_read(&secrets, o->key, o->senders, o->token, &link, err);
    if (status == WADI_OK && !o->quiet)
        wadi_say(WADI_SAY_INFO, "waiting for visibilities at %s", o->listen);
    if (status == WADI_OK) status = grid_files_listen(&w->files, o->listen, &link, take, err);
    wadi_link_secrets_fini(&secrets);
    return status;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Image and picture must not replace one of the inputs. */
static wadi_status check_inputs(const grid_options *o, wadi_error *err) {
    for (size_t i = 0; i < o->inputs.n; i++) {
        const char *in = o->inputs.at[i];
        if (is_same_file(in, o->output) || (o->png != NULL && is_same_file(in, o->png)))
            return wadi_fail(err, WADI_INVALID, "%s: is an input, and would be replaced", in);
    }
    return WADI_OK;
}

static wadi_status open_state(work *w, const grid_take *take, wadi_error *err) {
    const grid_options *o = w->options;
    if (o->state == NULL) return WADI_OK;
    wadi_process_drain_by(drain, NULL);
    if (o->listen == NULL) return grid_saved_open(o->state, o->every_s, &w->saved, err);
    WADI_TRY(grid_spool_open(o->state, o->every_s, take, &w->spool, err));
    /* Even with --quiet: a sender that begins elsewhere spoils the image. */
    if (grid_spool_rows(w->spool) > 0)
        wadi_say(WADI_SAY_INFO,
                 "%lld rows are saved in %s: wadi-vis-send --skip %lld goes on behind them",
                 (long long)grid_spool_rows(w->spool), o->state,
                 (long long)grid_spool_rows(w->spool));
    return WADI_OK;
}

static wadi_status prepare(work *w, wadi_error *err) {
    const grid_options *o = w->options;
    const grid_take take = {.stokes = o->stokes,
                            .first_channel = o->first_channel,
                            .last_channel = o->last_channel,
                            .psf = o->psf,
                            .force_flagged = o->force_flagged,
                            .autocorrelations = o->autocorrelations};
    WADI_TRY(check_inputs(o, err));
    const bool beside = wadi_thread_processors() > 1;
    const wadi_status loads =
        beside ? wadi_thread_start(&w->loads, load_writer, NULL, NULL) : WADI_OK;
    WADI_UNUSED(loads);
    WADI_TRY(open_state(w, &take, err));
    const grid_watch watch = {
        .spool = w->spool,
        .saved = w->saved,
        .progress = !o->quiet && !wadi_say_json() && isatty(STDERR_FILENO) ? progress : NULL,
        .stop = stop,
        .live = show_live,
        .live_s = o->live_s,
        .env = w};
    WADI_TRY(open_files(w, &take, err));
    if (w->spool != NULL)
        WADI_TRY(grid_spool_begin(w->spool, wadi_vis_about(w->files.list.at[0].vis), err));
    WADI_TRY(grid_session_create(o, &w->files, &take, &watch, &w->session, err));
    return grid_writer_create(o->epsilon < single_epsilon, o->png != NULL, &w->writer, err);
}

/* Finds the first free name of OUTPUT.partial, OUTPUT.partial.2, .., and makes an empty file there. */
static wadi_status find_partial_name(const char *output, wadi_text *out, wadi_error *err) {
    enum { MOST = 1000 };
    const wadi_outfile_options only_new = {.only_new = true};
    wadi_status status = WADI_INVALID;
    for (int i = 1; i <= MOST && status == WADI_INVALID; i++) {
        wadi_text_clear(out);
        wadi_text_addf(out, "%s.partial", output);
        if (i > 1) wadi_text_addf(out, ".%d", i);
        status = out->failed ? wadi_fail(err, WADI_MEMORY, "out of memory")
                             : wadi_outfile_put(out->at, "", 0, &only_new, err);
    }
    return status;
}

/* Writes the image so far under a name that says so and that no earlier file has. */
static wadi_status write_part(work *w, wadi_text *name, wadi_error *err) {
    WADI_TRY(grid_session_settle(w->session, err));
    WADI_TRY(find_partial_name(w->options->output, name, err));
    const wadi_status status = write_image(w, name->at, err);
    if (status != WADI_OK) (void)remove(name->at);
    return status;
}

static void remove_live(work *w) {
    if (!w->live) return;
    wadi_outfile_remove(w->options->output);
    if (w->options->png != NULL) wadi_outfile_remove(w->options->png);
    w->live = false;
}

/* A stream has broken off: keeps the image so far, but not under the name of the whole image. The first signal does not interrupt this. */
static void save_part(work *w) {
    const grid_options *o = w->options;
    wadi_text name = {0};
    wadi_error err = {.status = WADI_OK};
    if (w->session == NULL || !grid_session_has_part(w->session)) return;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "main"});
    const wadi_status status = write_part(w, &name, &err);
    wadi_task_end(before);
    if (status == WADI_OK) wadi_say(WADI_SAY_INFO, "the image so far: %s", name.at);
    if (status != WADI_OK) wadi_say(WADI_SAY_INFO, "no image of what came: %s", err.msg);
    if (status == WADI_OK)
        remove_live(w);
    else if (w->live)
        wadi_say(WADI_SAY_INFO, "%s shows what had come a while before", o->output);
    wadi_text_fini(&name);
}

/* Saves what has come, whatever it was that ended the stream. False: it could not be saved. */
static bool save_rows(work *w) {
    wadi_error err = {.status = WADI_OK};
    const wadi_task before = wadi_task_begin((wadi_task){.name = "main"}); /* nobody stops this */
    const wadi_status status = grid_spool_save(w->spool, &err);
    wadi_task_end(before);
    if (status != WADI_OK) {
        wadi_say(WADI_SAY_INFO, "what has come is not saved: %s", err.msg);
        return false;
    }
    const int64_t rows = grid_spool_rows(w->spool);
    if (rows > 0)
        wadi_say(WADI_SAY_INFO, "%lld rows are saved in %s: the same command goes on with them",
                 (long long)rows, w->options->state);
    else if (atomic_load(&drains))
        wadi_say(WADI_SAY_INFO, "no rows have come: nothing is saved");
    return true;
}

/* The same of files: what has been added of their parts. */
static bool save_sum(work *w) {
    wadi_error err = {.status = WADI_OK};
    if (w->session != NULL) grid_session_stop(w->session);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "main"}); /* nobody stops this */
    const wadi_status status = grid_saved_now(w->saved, &err);
    wadi_task_end(before);
    const int64_t parts = grid_saved_parts(w->saved);
    if (status != WADI_OK)
        wadi_say(WADI_SAY_INFO, "what has been gridded is not saved: %s", err.msg);
    else if (parts > 0)
        wadi_say(WADI_SAY_INFO, "%lld parts are saved in %s: the same command goes on behind them",
                 (long long)parts, w->options->state);
    else if (atomic_load(&drains))
        wadi_say(WADI_SAY_INFO, "nothing has been gridded: nothing is saved");
    return status == WADI_OK;
}

static bool save(work *w) {
    if (w->saved != NULL) return save_sum(w);
    return w->spool != NULL && save_rows(w);
}

static int run(const grid_options *o) {
    work w = {.options = o};
    wadi_error err = {.status = WADI_OK};
    wadi_process_warn(!o->quiet);
    wadi_process_before_warning(before_warning, &w);
    wadi_process_may_die(may_die(o));
    wadi_status status = prepare(&w, &err);
    if (status == WADI_OK) status = grid_session_go(w.session, &err);
    clear_line(&w);
    if (status == WADI_OK) status = write_image(&w, o->output, &err);
    if (status == WADI_OK) w.live = false; /* the whole image stands there now */
    if (status == WADI_OK) status = summarise(&w, &err);
    const bool drained =
        status == WADI_CANCELLED && atomic_load(&drains) && wadi_process_signal() == 0;
    if (status != WADI_OK && !drained)
        wadi_say(WADI_SAY_ERROR, "%s", wadi_process_signal() != 0 ? "interrupted" : err.msg);
    const bool saved = status != WADI_OK && save(&w);
    if (saved) remove_live(&w); /* it comes again when the stream goes on */
    if (status != WADI_OK && o->listen != NULL && !saved) save_part(&w);
    wadi_process_drain_by(NULL, NULL);
    wadi_thread_join(&w.loads);
    wadi_watch_program_end(); /* what is kept goes last */
    grid_spool_close(w.spool, status == WADI_OK);
    grid_session_destroy(w.session);
    grid_saved_close(w.saved, status == WADI_OK);
    grid_writer_destroy(w.writer);
    grid_files_fini(&w.files);
    free(w.image);
    return status == WADI_OK || (drained && saved) ? DONE : FAILED;
}

int main(int argc, char **argv) {
    grid_options options;
    wadi_error err = {.status = WADI_OK};
    int rc = DONE;
    wadi_process_begin("wadi-grid");
    wadi_watch_drain_by(wadi_process_drain);
    if (grid_options_parse(argc, argv, &options, &err) != WADI_OK) {
        wadi_say(WADI_SAY_ERROR, "%s", err.msg);
        rc = MISUSE;
    } else if (options.help) {
        fputs(grid_usage, stdout);
        fputs(grid_usage_of_runs, stdout);
    } else if (options.version) {
        puts("wadi-grid " WADI_VERSION);
    } else if (wadi_watch_program("wadi-grid", &options.watch, &err) != WADI_OK) {
        wadi_say(WADI_SAY_ERROR, "%s", err.msg);
        rc = FAILED;
    } else {
        rc = run(&options);
        wadi_watch_program_end();
        wadi_profile_tell(stderr);
    }
    grid_options_fini(&options);
    if (rc == DONE && !wadi_process_printed()) rc = FAILED;
    wadi_process_end(rc != DONE);
    return rc;
}
