/* The peers of bench_images in C: loops with OpenMP and SIMD, borders apart from the inner loops. */
#ifndef WADI_BENCH_ARRAYS_PEERS_IMAGES_H
#define WADI_BENCH_ARRAYS_PEERS_IMAGES_H

#include <stdint.h>

enum { IMAGE_INPUTS = 3, IMAGE_ROOMS = 6 };

typedef struct image_peer {
    const int64_t *shape;
    const void *in[IMAGE_INPUTS];
    void *out;
    void *room[IMAGE_ROOMS]; /* as large as the result, at four bytes for each element */
} image_peer;

/* How often what is repeated is repeated. */
enum {
    JACOBI_TURNS = 40,
    HEAT_TURNS = 20,
    FLUID_DIFFUSE = 40, /* turns for each of the three quantities of a step */
    FLUID_PROJECT = 20, /* turns of each of its two projections */
    MANDELBROT_MOST = 255,
    CANNY_LOW = 40,
    CANNY_HIGH = 120,
};
/* a of Stam's diffusion: the time step times the rate times the number of cells; and how far a velocity of 1 goes in a step. */
#define FLUID_RATE 0.25F
#define FLUID_TIME 2.0F
#define HARRIS_K 0.04F

void peer_gauss(const image_peer *p);
void peer_separable(const image_peer *p);
void peer_sobel(const image_peer *p);
void peer_harris(const image_peer *p);
void peer_jacobi(const image_peer *p);
void peer_heat(const image_peer *p);
void peer_canny(const image_peer *p);
void peer_fluid(const image_peer *p);
void peer_mandelbrot(const image_peer *p);
/* On each of so many threads, `rounds` times 2^20 additions and as many multiplications of f32 in vectors; the result is a number that depends on all. */
float peer_arithmetic(int rounds, int threads);

#endif
