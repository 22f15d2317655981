/* What the programs of the hostile tests read. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "tests/hostile/hostile.h"

bool hostile_put(const char *path, const void *data, size_t n) {
    const wadi_outfile_options options = {.sync = WADI_SYNC_NEVER};
    return wadi_outfile_put(path, data, n, &options, NULL) == WADI_OK;
}

static bool put_values(void) {
    enum { N = 100 * 2000 };
    double *v = malloc(N * sizeof *v);
    for (int i = 0; v != NULL && i < N; i++) v[i] = sin(i);
    const bool done = v != NULL && hostile_put(hostile_in("in/values.raw"), v, N * sizeof *v);
    free(v);
    return done;
}

static void le(uint8_t *to, uint32_t v, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(v >> (8 * i));
}

static bool put_sound(void) {
    enum { N = 40000, HEAD = 44 };
    static uint8_t wav[HEAD + 2 * N] = "RIFF....WAVEfmt ";
    le(wav + 4, 36 + 2 * N, 4);
    le(wav + 16, 16, 4);
    le(wav + 20, 1, 2);
    le(wav + 22, 1, 2);
    le(wav + 24, 16000, 4);
    le(wav + 28, 32000, 4);
    le(wav + 32, 2, 2);
    le(wav + 34, 16, 2);
    memcpy(wav + 36, "data", 4);
    le(wav + 40, 2 * N, 4);
    for (int i = 0; i < N; i++)
        le(wav + HEAD + 2 * i, (uint32_t)(int)(8000 * sin(i * 0.05) + i * 7919 % 61), 2);
    return hostile_put(hostile_in("in/sound.wav"), wav, sizeof wav);
}

static bool put_words(void) {
    enum { N = 20000 };
    static const char hashes[] = "5d41402abc4b2a76b9719d911017c592\n"  /* hello */
                                 "57cc0f81ccf6347342554f936bbdc7b4\n"  /* word2500 */
                                 "29c0e3f64f893e10d110bf58c143d5d2\n"  /* word5000 */
                                 "4afc92745d777f0367d4d456cb2d1a32\n"  /* word7500 */
                                 "3d1687790d88881d23626254674956aa\n"  /* word10000 */
                                 "a638f1efec49014691b6e93a02bbca57\n"  /* word12500 */
                                 "bad3a5fe92cda62c4943559943812bff\n"  /* word15000 */
                                 "299a2de2f13f5c409287664447db563f\n"  /* word17500 */
                                 "7d793037a0760186574b0282f2f435e7\n"; /* world */
    char *text = malloc(N * 16 + 32);
    size_t n = 0;
    if (text == NULL) return false;
    n += (size_t)sprintf(text, "hello\n");
    for (int i = 0; i < N; i++) n += (size_t)sprintf(text + n, "word%d\n", i);
    n += (size_t)sprintf(text + n, "world\n");
    const bool done = hostile_put(hostile_in("in/words"), text, n);
    free(text);
    return done && hostile_put(hostile_in("in/hashes"), hashes, sizeof hashes - 1);
}

static bool put_sky(void) {
    enum { N = 300 };
    char *text = malloc(N * 160 + 200);
    if (text == NULL) return false;
    size_t n = (size_t)sprintf(text, "# frequency 150e6\n# ra 83.6\n# dec 22\n");
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%.9g %.9g %.9g %.9g %.9g 1\n", 300 * sin(i * 0.7),
                             280 * cos(i * 0.9), 20 * sin(i * 0.31), cos(i * 0.2), sin(i * 0.2));
    const bool done = hostile_put(hostile_in("in/sky.txt"), text, n);
    free(text);
    return done;
}

bool hostile_put_inputs(void) {
    static const char program[] = "program double\nstream_in s : seq(f64[?])\n"
                                  "y = map_seq s (b) {\n  h = map b (x) { mul x 2.0 }\n"
                                  "  yield h\n}\nstream_out \"out\" y\n";
    return hostile_put(hostile_in("in/double.wadi"), program, sizeof program - 1) && put_values() &&
           put_sound() && put_words() && put_sky();
}
