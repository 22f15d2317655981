/* wadi-grid as an astronomer runs it: files in, an image out, or a message that says why not. Images are read back with CFITSIO and
 * compared with the direct sum. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/connectors/ms_file.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/gridding/direct.h"

#ifdef WADI_HAVE_CFITSIO
#include <fitsio.h>

enum { SIZE = 32, PIXELS = SIZE * SIZE, COMMAND = 2048, OUTPUT = 8192 };

static char folder[128];
static char output[OUTPUT];     /* of the latest command, both streams */
static const char *before = ""; /* a command that runs wadi-grid */

/* ---- running ---- */

static const char *in_folder(const char *name) {
    static char path[4][256];
    static int i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
    return path[i];
}

/* wadi-grid with these arguments, in the folder of the test; its exit status. */
static int grid(const char *format, ...) {
    char arguments[COMMAND], command[2 * COMMAND];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "cd %s && %s %s/apps/gridding/wadi-grid %s > said 2>&1",
             folder, before, getenv("WADI_BUILD"), arguments);
    char *text = NULL;
    size_t n = 0;
    const int status = system(command);
    assert_int_equal(wadi_file_read(in_folder("said"), &text, &n, NULL), WADI_OK);
    snprintf(output, sizeof output, "%s", text);
    free(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_done(int status) {
    if (status != 0) fail_msg("status %d: %s", status, output);
}

/* It fails with this status, says this, and leaves no image. */
static void assert_wrong(int status, int want, const char *says) {
    glob_t found;
    if (status != want || strstr(output, says) == NULL)
        fail_msg("status %d, not %d with \"%s\": %s", status, want, says, output);
    assert_false(wadi_file_exists(in_folder("no.fits")));
    assert_int_equal(glob(in_folder("no.fits.*"), 0, NULL, &found), GLOB_NOMATCH);
    globfree(&found);
}

static const char *data(const char *name) {
    static char path[512];
    const char *root = getenv("WADI_TEST_DATA");
    if (root == NULL) skip();
    snprintf(path, sizeof path, "%s/vis/%s", root, name);
    return path;
}

/* ---- images ---- */

typedef struct image {
    long width, height;
    int bits;
    double *pixel;
} image;

static image read_image(const char *name) {
    image im = {0};
    fitsfile *f = NULL;
    int status = 0, naxis = 0;
    long n[4] = {0};
    fits_open_diskfile(&f, in_folder(name), READONLY, &status);
    fits_get_img_param(f, 4, &im.bits, &naxis, n, &status);
    if (status != 0) fail_msg("%s: CFITSIO says %d", name, status);
    im.width = n[0];
    im.height = n[1];
    im.pixel = malloc((size_t)(n[0] * n[1]) * sizeof *im.pixel);
    assert_non_null(im.pixel);
    fits_read_img(f, TDOUBLE, 1, n[0] * n[1], NULL, im.pixel, NULL, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
    return im;
}

static void assert_same_file(const char *a, const char *b) {
    char *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    assert_int_equal(wadi_file_read(in_folder(a), &x, &nx, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(in_folder(b), &y, &ny, NULL), WADI_OK);
    assert_int_equal(nx, ny);
    assert_memory_equal(x, y, nx);
    free(x);
    free(y);
}

/* ---- made-up visibilities ---- */

static const double scale = 1e-3;

static direct_data observe(int64_t n) {
    static const direct_place sources[] = {
        {0.004, -0.003, 1}, {-0.007, 0.009, 2.5}, {0.0101, 0.0042, 0.5}};
    direct_data d = {0};
    assert_true(direct_data_make(n, 300, 40, 10, 7, &d));
    double *weight = d.column + 3 * n; /* files hold them as floats */
    for (int64_t i = 0; i < n; i++) weight[i] = (double)(float)weight[i];
    direct_observe(&d, 3, sources);
    return d;
}

static void write_text(const char *name, const char *head, const direct_data *d, int64_t from,
                       int64_t to) {
    const grid_batch *b = &d->batch;
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(head, f);
    for (int64_t i = from; i < to; i++)
        fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.9g\n", b->u[i], b->v[i], b->w[i], b->vis[2 * i],
                b->vis[2 * i + 1], b->weight[i]);
    assert_int_equal(fclose(f), 0);
}

static const char place[] = "# frequency 150e6\n# ra 83.5\n# dec 22\n";

/* What the file should hold at each pixel: columns grow to the west. */
static void truth(const direct_data *d, double *out) {
    direct_place *at = calloc(PIXELS, sizeof *at);
    double sum = 0;
    assert_non_null(at);
    for (int i = 0; i < PIXELS; i++)
        at[i] = (direct_place){-(i % SIZE - SIZE / 2) * scale, (i / SIZE - SIZE / 2) * scale, 0};
    direct_sum(&d->batch, NULL, false, PIXELS, at, out);
    for (int64_t i = 0; i < d->batch.n; i++) sum += d->batch.weight[i];
    for (int i = 0; i < PIXELS; i++) out[i] /= sum;
    free(at);
}

static double error_of(const char *name, const double *want, int bits) {
    const image im = read_image(name);
    assert_int_equal(im.width, SIZE);
    assert_int_equal(im.height, SIZE);
    assert_int_equal(im.bits, bits);
    const double error = direct_error(PIXELS, im.pixel, want);
    free(im.pixel);
    return error;
}

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s/grid_program_%d", getenv("WADI_BUILD"), (int)getpid());
    return mkdir(folder, 0700);
}

static int tear_down(void **state) {
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* ---- images are the sums they stand for ---- */

static void the_image_is_the_sum(void **state) {
    (void)state;
    direct_data d = observe(300);
    double want[PIXELS];
    truth(&d, want);
    write_text("sky.txt", place, &d, 0, 300);
    assert_done(grid("-m direct -s %d --scale 1e-3rad -o sky.fits sky.txt", SIZE));
    assert_true(error_of("sky.fits", want, -32) < 1e-6);
    assert_done(grid("-m direct -e 1e-8 -s %d --scale 1e-3rad -o sky.fits sky.txt", SIZE));
    assert_true(error_of("sky.fits", want, -64) < 1e-12);
    assert_non_null(strstr(output, "read        300 visibilities in 300 rows\n"));
    assert_non_null(strstr(output, "at pixel 24, 26, RA "));
    direct_data_free(&d);
}

static void the_default_method_keeps_its_promise(void **state) {
    (void)state;
    direct_data d = observe(300);
    double want[PIXELS];
    truth(&d, want);
    write_text("sky.txt", place, &d, 0, 300);
    assert_done(grid("-s %d --scale 1e-3rad -o sky.fits sky.txt", SIZE));
    assert_true(error_of("sky.fits", want, -32) < 1e-4);
    assert_done(grid("-e 1e-9 -s %d --scale 1e-3rad -o sky.fits sky.txt", SIZE));
    assert_true(error_of("sky.fits", want, -64) < 1e-9);
    direct_data_free(&d);
}

static void the_conjugate_is_the_sky_turned_round(void **state) {
    (void)state;
    direct_data d = observe(300);
    double want[PIXELS];
    for (int64_t i = 0; i < 300; i++) d.column[2 * 300 + i] = 0;
    truth(&d, want);
    write_text("flat.txt", place, &d, 0, 300);
    assert_done(grid("-m direct --conjugate -s %d --scale 1e-3rad -o c.fits flat.txt", SIZE));
    const image im = read_image("c.fits");
    for (int y = 1; y < SIZE; y++)
        for (int x = 1; x < SIZE; x++)
            assert_true(fabs(im.pixel[y * SIZE + x] - want[(SIZE - y) * SIZE + SIZE - x]) < 1e-6);
    free(im.pixel);
    direct_data_free(&d);
}

static void the_beam_is_one_at_the_centre(void **state) {
    (void)state;
    direct_data d = observe(200);
    write_text("sky.txt", place, &d, 0, 200);
    for (int i = 0; i < 3; i++) {
        static const char *const weights[] = {"natural", "uniform", "briggs:0.5"};
        assert_done(grid("--psf -w %s -s %d --scale 1e-3rad -o b.fits sky.txt", weights[i], SIZE));
        const image im = read_image("b.fits");
        const double centre = im.pixel[SIZE / 2 * SIZE + SIZE / 2];
        assert_true(fabs(centre - 1) < 1e-3);
        free(im.pixel);
    }
    direct_data_free(&d);
}

static void the_core_of_m87_is_as_bright_as_it_was_measured(void **state) {
    (void)state;
    assert_done(grid("-e 1e-6 -s 16 --scale 0.1mas -o m87.fits %s", data("mojave.uvfits")));
    const image im = read_image("m87.fits");
    const double peak = im.pixel[8 * 16 + 8];
    if (!(fabs(peak - 1.519251) < 1e-5)) fail_msg("the peak is %.9g", peak);
    for (int i = 0; i < 16 * 16; i++) assert_true(im.pixel[i] <= peak);
    free(im.pixel);
    assert_non_null(strstr(output, "read        6300 visibilities in 3150 rows, 354 flagged\n"));
    assert_non_null(strstr(output, "gridded     5946 "));
}

/* ---- the same bits ---- */

static void threads_chunks_schedules_and_batches_do_not_matter(void **state) {
    (void)state;
    static const char *const ways[] = {"--threads 1", "--threads 3 --chunk 7", "--schedule inside",
                                       "--schedule flat --chunk 100", "--threads 2 --chunk 1"};
    direct_data d = observe(900);
    write_text("sky.txt", place, &d, 0, 900);
    assert_done(grid("-w uniform -s %d --scale 1e-3rad -o a.fits sky.txt", SIZE));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        assert_done(grid("%s -w uniform -s %d --scale 1e-3rad -o b.fits sky.txt", ways[i], SIZE));
        assert_same_file("a.fits", "b.fits");
    }
    direct_data_free(&d);
}

static void small_memory_gives_the_same_sky_in_batches(void **state) {
    (void)state;
    direct_data d = observe(3000);
    double want[PIXELS];
    truth(&d, want);
    write_text("sky.txt", place, &d, 0, 3000);
    assert_done(
        grid("-m direct -e 1e-8 --memory 64K -s %d --scale 1e-3rad -o s.fits sky.txt", SIZE));
    assert_true(error_of("s.fits", want, -64) < 1e-12);
    direct_data_free(&d);
}

static void two_files_are_one(void **state) {
    (void)state;
    direct_data d = observe(500);
    write_text("whole.txt", place, &d, 0, 500);
    write_text("first.txt", place, &d, 0, 123);
    write_text("second.txt", place, &d, 123, 500);
    assert_done(grid("-w briggs:0 -s %d --scale 1e-3rad -o w.fits whole.txt", SIZE));
    assert_done(grid("-w briggs:0 -s %d --scale 1e-3rad -o p.fits first.txt second.txt", SIZE));
    assert_same_file("w.fits", "p.fits");
    direct_data_free(&d);
}

/* ---- several setups ---- */

/* Weights of up to 3 and sources 5 and 1 by turns of three. */
static double numbered(long group, int i) {
    return i == 5 ? (double)(group % 3 == 0 ? 5 : 1) : uvfits_parameter(group, i);
}

static void two_setups(fitsfile *f, int *status) {
    uvfits_write_setups(f, 2, (const int[]){1, 5}, 1, status);
}

static void write_setups(const char *name) {
    uvfits_file u = uvfits_plain(60);
    u.params = 6;
    u.param[5].type = "FREQSEL";
    u.param[5].scale = 1;
    u.parameter = numbered;
    u.tables = two_setups;
    uvfits_write(in_folder(name), &u);
}

/* Appends what a setup of the file holds of its first polarisation as text. */
static void append_setup(const char *name, const char *from, int setup, bool first) {
    wadi_vis *v = NULL;
    vis_rows r = {0};
    vis_rows_of(in_folder(from), &(wadi_vis_options){.setup = setup + 1}, &v, &r);
    FILE *f = fopen(in_folder(name), first ? "w" : "a");
    assert_non_null(f);
    if (first) fputs("# frequency 1e9\n# ra 120\n# dec -30\n# stokes -1\n", f);
    for (int64_t i = 0; i < r.n * r.info->channels; i++) {
        const int64_t row = i / r.info->channels, cell = i * r.info->pols;
        const double per_metre = r.info->frequency[i % r.info->channels] / 299792458;
        for (int d = 0; d < 3; d++) fprintf(f, "%.17g ", r.row.uvw[3 * row + d] * per_metre);
        fprintf(f, "%.17g %.17g %.9g\n", r.row.data[2 * cell], r.row.data[2 * cell + 1],
                (double)r.row.weight[cell]);
    }
    assert_int_equal(fclose(f), 0);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void assert_near(const char *a, const char *b) {
    const image x = read_image(a), y = read_image(b);
    assert_true(x.width == y.width && x.height == y.height);
    assert_true(direct_error((int)(x.width * x.height), x.pixel, y.pixel) < 1e-9);
    free(x.pixel);
    free(y.pixel);
}

static double frequency_of(const char *name) {
    fitsfile *f = NULL;
    int status = 0;
    double value = 0;
    fits_open_diskfile(&f, in_folder(name), READONLY, &status);
    fits_read_key(f, TDOUBLE, "CRVAL3", &value, NULL, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
    return value;
}

static void all_setups_of_a_file_are_imaged(void **state) {
    static const char look[] = "-m direct -e 1e-8 -p RR -s 32 --scale 0.1asec";
    (void)state;
    write_setups("two.uvfits");
    append_setup("two.txt", "two.uvfits", 1, true);
    append_setup("two.txt", "two.uvfits", 5, false);
    append_setup("one.txt", "two.uvfits", 5, true);
    assert_done(grid("%s -o t.fits two.txt", look));
    assert_done(grid("%s -o u.fits two.uvfits", look));
    assert_non_null(strstr(output, "read        180 visibilities in 60 rows of 2 setups, "));
    assert_near("t.fits", "u.fits");
    assert_true(fabs(frequency_of("u.fits") - (1e9 + 1.01e9 + 4e3) / 2) < 1);
    assert_done(grid("%s --setup 1,5 -o v.fits two.uvfits", look));
    assert_same_file("u.fits", "v.fits");
    assert_done(grid("%s --setup 5 --setup 1:1,5 -o v.fits two.uvfits", look)); /* each once */
    assert_near("u.fits", "v.fits");
    assert_done(grid("%s -o t.fits one.txt", look));
    assert_done(grid("%s --setup 5 -o v.fits two.uvfits", look));
    assert_non_null(strstr(output, "read        60 visibilities in 20 rows, "));
    assert_near("t.fits", "v.fits");
    assert_wrong(grid("-o no.fits --setup 1,2 two.uvfits"), 1, "no visibilities of frequency id 2");
    assert_wrong(grid("-o no.fits -c 3 two.uvfits"), 1,
                 "two.uvfits, setup 1: expected channels 3 to 3");
    assert_done(grid("-m direct -s 8 --scale 0.1asec -c 1 -o c.fits two.uvfits"));
    assert_non_null(strstr(output, "read        60 visibilities in 60 rows of 2 setups, "));
    static const char *const bad[] = {"x",  "1,",      ",1",  "2:1", "1:2:3",
                                      "-1", "0:99999", "1 2", "''"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_wrong(grid("-o no.fits --setup '%s' two.uvfits", bad[i]), 2, "--setup: ");
}

static void windows_and_batches_may_be_cut_anywhere(void **state) {
    (void)state;
    write_setups("two.uvfits");
    assert_done(grid("-m direct -e 1e-8 -s 32 --scale 5asec -o a.fits two.uvfits"));
    assert_done(grid("-m direct -e 1e-8 -s 32 --scale 5asec --memory 64K -o b.fits two.uvfits"));
    assert_near("a.fits", "b.fits");
}

#ifdef WADI_HAVE_CASACORE

static void write_set(const char *name, const ms_look *look) {
    char command[320], why[400] = "";
    snprintf(command, sizeof command, "rm -rf '%s'", in_folder(name));
    assert_int_equal(system(command), 0);
    if (!ms_file_write(in_folder(name), look, why)) fail_msg("%s", why);
}

static void windows_must_give_the_polarisation(void **state) {
    static const char look[] = "-s 32 --scale 1mas";
    (void)state;
    write_set("w.ms", &(ms_look){.one_field = true});
    assert_done(grid("%s -o w.fits w.ms", look));
    assert_non_null(strstr(output, "read        80 visibilities in 30 rows of 2 setups, "));
    assert_done(grid("%s --setup 0,1 -o v.fits w.ms", look));
    assert_same_file("v.fits", "w.fits");
    assert_wrong(grid("%s -p XX -o no.fits w.ms", look), 1,
                 "polarisation XX can be had of w.ms, setup 0 (XX, YY), but not of w.ms, setup 1 "
                 "(RR, RL, LR, LL): choose with --pol or --setup");
    assert_done(grid("%s -p XX --setup 0 -o v.fits w.ms", look));
    assert_non_null(strstr(output, "read        60 visibilities in 20 rows, "));
    assert_wrong(grid("%s -p YX -o no.fits w.ms", look), 1, "no polarisation YX in it");
    assert_wrong(grid("%s --setup 0,2 -o no.fits w.ms", look), 1, "no rows of spectral window 2");
    write_set("e.ms", &(ms_look){.one_field = true, .one_window = true}); /* window 1 is empty */
    assert_done(grid("%s -o e.fits e.ms", look));
    assert_wrong(grid("%s --setup 1 -o no.fits e.ms", look), 1,
                 "no rows of spectral window 1; there are 0");
}

/* casacore makes a window of each IF. */
static void the_windows_of_m87_are_one_image(void **state) {
    static const char look[] = "-m direct -e 1e-8 -s 32 --scale 0.3mas";
    char why[400] = "", from[512];
    (void)state;
    snprintf(from, sizeof from, "%s", data("mojave.uvfits"));
    if (!ms_file_convert(from, in_folder("m87.ms"), why)) fail_msg("%s", why);
    assert_done(grid("%s -o a.fits %s", look, from));
    assert_done(grid("%s -o b.fits m87.ms", look));
    assert_non_null(strstr(output, "read        6300 visibilities in 6300 rows of 2 setups, 354"));
    const image a = read_image("a.fits"), b = read_image("b.fits");
    assert_true(direct_error(PIXELS, b.pixel, a.pixel) <
                1e-7); /* baselines are rounded on the way */
    assert_true(frequency_of("a.fits") == frequency_of("b.fits"));
    free(a.pixel);
    free(b.pixel);
}

/* Window 0 of it has rows of XX and YY and rows of XY and YX. */
static void other_products_of_a_window_are_left_out(void **state) {
    static const char look[] = "-s 32 --scale 1mas";
    (void)state;
    write_set("m.ms", &(ms_look){.one_field = true, .mixed_pols = true});
    assert_done(grid("%s --setup 0 -o m.fits m.ms", look));
    assert_non_null(strstr(output, "read        30 visibilities in 10 rows, 10 rows without I left "
                                   "out"));
    assert_done(grid("%s -p XY --setup 0 -o m.fits m.ms", look));
    assert_done(grid("%s -o m.fits m.ms", look));
    assert_non_null(strstr(output, "in 20 rows of 2 setups, 10 rows without I left out"));
}

#endif

/* ---- what is chosen ---- */

static void geometry_is_chosen_from_the_baselines(void **state) {
    (void)state;
    assert_done(grid("--psf -o g.fits %s", data("fewant_randsrc_airybeam_Nsrc100_10MHz.uvfits")));
    const image im = read_image("g.fits");
    assert_int_equal(im.width, im.height);
    assert_true(im.width >= 64 && im.width <= 4096);
    free(im.pixel);
    assert_done(grid("--psf -s 64 -o g.fits %s", data("mojave.uvfits")));
    assert_done(grid("--psf --fov 3mas --png g.png -o g.fits %s", data("mojave.uvfits")));
    assert_true(wadi_file_exists(in_folder("g.png")));
    assert_done(grid("--psf --scale 50uas -o g.fits %s", data("mojave.uvfits")));
}

static void pixels_that_the_file_cannot_hold_are_told(void **state) {
    (void)state;
    FILE *f = fopen(in_folder("huge.txt"), "w");
    assert_non_null(f);
    for (int i = 0; i < 10; i++) assert_true(fprintf(f, "%d %d 0 1e39 0\n", 100 + i, 50 - i) > 0);
    assert_int_equal(fclose(f), 0);
    assert_wrong(grid("-m direct -s 32 --scale 100asec -o no.fits huge.txt"), 1,
                 "beyond what 32 bits hold");
    assert_wrong(grid("-s 32 --scale 100asec -o no.fits huge.txt"), 1, "pixels are not finite");
    assert_int_equal(access(in_folder("no.fits"), F_OK), -1);
    assert_done(grid("-m direct -s 32 --scale 100asec -e 1e-7 -o huge.fits huge.txt"));
}

static void flagged_data_is_refused_or_forced(void **state) {
    (void)state;
    const char *mwa = data("1131733552_mini_cotter.uvfits");
    assert_wrong(grid("-o no.fits %s", mwa), 1, "8128 are flagged or of no weight");
    assert_done(grid("-m direct -s 16 --scale 0.1deg --force-flagged -o mwa.fits %s", mwa));
    assert_non_null(strstr(output, "128 autocorrelations"));
}

/* ---- what is wrong ---- */

static void wrong_command_lines_are_told(void **state) {
    (void)state;
    direct_data d = observe(10);
    write_text("sky.txt", place, &d, 0, 10);
    assert_wrong(grid("sky.txt"), 2, "-o names the image");
    assert_wrong(grid("-o no.fits"), 2, "no input");
    assert_wrong(grid("-o no.fits -s 7 sky.txt"), 2, "--size: \"7\"");
    assert_wrong(grid("-o no.fits --scale 5 sky.txt"), 2, "--scale: \"5\"");
    assert_wrong(grid("-o no.fits --scale 1asec --fov 1deg -s 8 sky.txt"), 2, "at most two");
    assert_wrong(grid("-o no.fits -w robust sky.txt"), 2, "--weight: \"robust\"");
    assert_wrong(grid("-o no.fits -p Z sky.txt"), 2, "--pol: \"Z\"");
    assert_wrong(grid("-o no.fits -c 3:1 sky.txt"), 2, "--channels: \"3:1\"");
    assert_wrong(grid("-o no.fits --nonsense sky.txt"), 2, "--nonsense");
    assert_wrong(grid("-o no.fits --live 1 sky.txt"), 2, "--live shows what --listen brings");
    assert_wrong(grid("-o no.fits --setup 1 --listen ipc://no"), 2, "are the sender's");
    assert_wrong(grid("-o no.fits --conjugate --listen ipc://no"), 2, "are the sender's");
    assert_wrong(grid("-o no.fits --aterm a.fits sky.txt"), 2, "--aterm wants --method aw");
    assert_wrong(grid("-o no.fits -m magic sky.txt"), 1, "no method \"magic\": there are ");
    assert_wrong(grid("-o no.fits -p XX sky.txt"), 1, "no polarisation XX in it");
    assert_wrong(grid("-o no.fits -c 4 sky.txt"), 1, "expected channels 4 to 4");
    assert_wrong(grid("-o no.fits -s 4000 --scale 1deg sky.txt"), 1, "below the horizon");
    assert_wrong(grid("-o no.fits --memory 1M -s 2000 --scale 1asec sky.txt"), 1, "no room for");
    assert_wrong(grid("-o no.fits -s 1000000 --scale 1mas sky.txt"), 1, "no room for");
    direct_data_free(&d);
}

static void wrong_files_are_told(void **state) {
    (void)state;
    direct_data d = observe(10);
    write_text("sky.txt", place, &d, 0, 10);
    write_text("other.txt", "# frequency 150e6\n# ra 83.6\n# dec 22\n", &d, 0, 10);
    assert_wrong(grid("-o no.fits nowhere.uvfits"), 1, "nowhere.uvfits");
    assert_wrong(grid("-o no.fits /dev/null"), 1, "/dev/null");
    assert_wrong(grid("-o no.fits -s 8 --scale 1asec sky.txt other.txt"), 1, "phase centres");
    write_text("other.txt", "# frequency 150e6\n", &d, 0, 10);
    assert_wrong(grid("-o no.fits -s 8 --scale 1asec sky.txt other.txt"), 1, "does not say where");
    assert_wrong(grid("-s 8 --scale 1e-3rad -o /nowhere/no.fits sky.txt"), 1, "/nowhere/no.fits");
    assert_done(grid("-s 8 --scale 1e-3rad -o image.fits sky.txt"));
    assert_wrong(grid("-o no.fits image.fits"), 1, "image.fits");
    assert_wrong(grid("-o ./sky.txt sky.txt"), 1, "is an input, and would be replaced");
    assert_wrong(grid("-o no.fits --png sky.txt ./sky.txt"), 1, "is an input");
    assert_wrong(grid("-s 8 --scale 1e-3rad -o . sky.txt"), 1, "is a directory");
    write_text("empty.txt", place, &d, 0, 0);
    assert_wrong(grid("-o no.fits empty.txt"), 1, "empty.txt");
    assert_wrong(grid("-o no.fits ."), 1, ".");
    assert_done(grid("-s 8 --scale 1e-3rad -o image.fits sky.txt")); /* it is still there */
    direct_data_free(&d);
}

static void a_truncated_file_is_told(void **state) {
    char command[1024];
    (void)state;
    snprintf(command, sizeof command, "head -c 300000 '%s' > '%s'", data("mojave.uvfits"),
             in_folder("short.uvfits"));
    assert_int_equal(system(command), 0);
    assert_wrong(grid("-o no.fits -s 8 --scale 1mas short.uvfits"), 1, "short.uvfits");
}

static void a_failure_leaves_the_old_image(void **state) {
    (void)state;
    direct_data d = observe(10);
    write_text("sky.txt", place, &d, 0, 10);
    assert_done(grid("-s 8 --scale 1e-3rad -o old.fits sky.txt"));
    assert_done(grid("-s 8 --scale 1e-3rad -o same.fits sky.txt"));
    assert_int_equal(grid("-p XX -o old.fits sky.txt"), 1);
    assert_same_file("old.fits", "same.fits");
    direct_data_free(&d);
}

static void an_interrupt_leaves_no_image(void **state) {
    (void)state;
    direct_data d = observe(20000);
    write_text("sky.txt", place, &d, 0, 20000);
    before = "timeout --preserve-status -s INT 0.7";
    const int status = grid("-m direct -s 1024 --scale 1e-4rad -o no.fits sky.txt");
    before = "";
    assert_wrong(status, 130, "");
    direct_data_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_image_is_the_sum),
        cmocka_unit_test(the_default_method_keeps_its_promise),
        cmocka_unit_test(the_conjugate_is_the_sky_turned_round),
        cmocka_unit_test(the_beam_is_one_at_the_centre),
        cmocka_unit_test(the_core_of_m87_is_as_bright_as_it_was_measured),
        cmocka_unit_test(threads_chunks_schedules_and_batches_do_not_matter),
        cmocka_unit_test(small_memory_gives_the_same_sky_in_batches),
        cmocka_unit_test(two_files_are_one),
        cmocka_unit_test(all_setups_of_a_file_are_imaged),
        cmocka_unit_test(windows_and_batches_may_be_cut_anywhere),
#ifdef WADI_HAVE_CASACORE
        cmocka_unit_test(windows_must_give_the_polarisation),
        cmocka_unit_test(the_windows_of_m87_are_one_image),
        cmocka_unit_test(other_products_of_a_window_are_left_out),
#endif
        cmocka_unit_test(geometry_is_chosen_from_the_baselines),
        cmocka_unit_test(flagged_data_is_refused_or_forced),
        cmocka_unit_test(pixels_that_the_file_cannot_hold_are_told),
        cmocka_unit_test(wrong_command_lines_are_told),
        cmocka_unit_test(wrong_files_are_told),
        cmocka_unit_test(a_truncated_file_is_told),
        cmocka_unit_test(a_failure_leaves_the_old_image),
        cmocka_unit_test(an_interrupt_leaves_no_image),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#else

int main(void) {
    return 77;
}

#endif
