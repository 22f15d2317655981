"""The peers of bench_images in Python: Halide, OpenCV, numba and JAX. The protocol is that of bench/streams/child.h.

    images.py LIBRARY TASK THREADS FOLDER SHAPE

SHAPE is 2048x2048. The inputs are the files a, b and c of the folder; the first run leaves its result there, as the file result. Functions are
compiled before "ready". Edges are clamped; numbers of turns are those of images.h."""
import os
import sys
import time

library, task, threads, folder = sys.argv[1:5]
shape = tuple(int(x) for x in sys.argv[5].split("x"))
os.environ["NUMBA_NUM_THREADS"] = os.environ["HL_NUM_THREADS"] = threads
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=%s intra_op_parallelism_threads=%s" % ("true" if threads != "1" else "false", threads)
WEIGHTS = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
JACOBI, HEAT, DIFFUSE, PROJECT, ESCAPE, LOW, HIGH, RATE, TIME, K = 40, 20, 40, 20, 255, 40, 120, 0.25, 2.0, 0.04
try:
    import numpy as np

    if library == "halide":
        import halide as hl
    elif library == "opencv":
        import cv2
    elif library == "numba":
        import numba
        from numba import njit, prange
    else:
        import jax
        import jax.numpy as jnp
except ImportError as e:
    print("missing %s: pip install halide opencv-python-headless numba jax, and --python" % e.name, flush=True)
    sys.exit(0)


def read(name):
    kind = np.uint8 if task == "canny" else np.float32
    return np.fromfile("%s/%s" % (folder, name), dtype=kind).reshape(shape)


# ---- Halide: rows in strips for each thread, vectors along rows, what is in between a few rows that slide along ----


def halide_filter():
    a = read("a")
    x, y, yo, yi = hl.Var("x"), hl.Var("y"), hl.Var("yo"), hl.Var("yi")
    source = hl.Buffer(a)
    at = hl.BoundaryConditions.repeat_edge(source)
    out = hl.Func("out")
    lanes = 16

    def strips(rows):
        out.split(y, yo, yi, rows).parallel(yo).vectorize(x, lanes)

    def slopes(f):
        dx = f[x + 1, y - 1] + 2.0 * f[x + 1, y] + f[x + 1, y + 1] - f[x - 1, y - 1] - 2.0 * f[x - 1, y] - f[x - 1, y + 1]
        dy = f[x - 1, y + 1] + 2.0 * f[x, y + 1] + f[x + 1, y + 1] - f[x - 1, y - 1] - 2.0 * f[x, y - 1] - f[x + 1, y - 1]
        return dx, dy

    def sliding(f):
        f.store_at(out, yo).compute_at(out, yi).vectorize(x, lanes, hl.TailStrategy.RoundUp)

    w = [hl.f32(k) for k in WEIGHTS]
    if task == "gauss":
        padded = hl.Func("padded")
        padded[x, y] = at[x, y]
        sum_ = None
        for i in range(5):
            for j in range(5):
                term = padded[x + j - 2, y + i - 2] * hl.f32(WEIGHTS[i] * WEIGHTS[j])
                sum_ = term if sum_ is None else sum_ + term
        out[x, y] = sum_
        strips(64)
        sliding(padded)
    elif task == "separable":
        down, padded = hl.Func("down"), hl.Func("padded")
        padded[x, y] = at[x, y]
        down[x, y] = (padded[x, y - 2] + padded[x, y + 2]) * w[0] + (padded[x, y - 1] + padded[x, y + 1]) * w[1] + padded[x, y] * w[2]
        out[x, y] = (down[x - 2, y] + down[x + 2, y]) * w[0] + (down[x - 1, y] + down[x + 1, y]) * w[1] + down[x, y] * w[2]
        strips(64)
        sliding(padded)
        down.compute_at(out, yi).vectorize(x, lanes)
    elif task == "sobel":
        padded = hl.Func("padded")
        padded[x, y] = at[x, y]
        dx, dy = slopes(padded)
        out[x, y] = hl.sqrt(dx * dx + dy * dy)
        strips(64)
        sliding(padded)
    else:
        padded, gx, gy, mx, my = (hl.Func(n) for n in ("padded", "gx", "gy", "mx", "my"))
        padded[x, y] = at[x, y]
        gx[x, y], gy[x, y] = slopes(padded)
        # slopes beyond the edge are those at the edge
        inner = lambda f: f[hl.clamp(x, 0, shape[1] - 1), hl.clamp(y, 0, shape[0] - 1)]
        mx[x, y], my[x, y] = inner(gx), inner(gy)
        nine = lambda f, g: sum((f[x + i, y + j] * g[x + i, y + j] for i in (-1, 0, 1) for j in (-1, 0, 1)), hl.f32(0))
        p, q, r = nine(mx, mx), nine(mx, my), nine(my, my)
        out[x, y] = p * r - q * q - hl.f32(K) * (p + r) * (p + r)
        strips(64)
        for f in (padded, gx, gy):
            sliding(f)
        mx.compute_at(out, yi).vectorize(x, lanes)
        my.compute_at(out, yi).vectorize(x, lanes)
    result = np.empty(shape, np.float32)
    buffer = hl.Buffer(result)
    out.compile_jit()

    def run(kept=a):  # the buffer does not keep its memory
        out.realize(buffer)
        return result

    return run


def halide_mandelbrot():
    h, w = shape
    x, y, yo, yi, t, c = (hl.Var(n) for n in ("x", "y", "yo", "yi", "t", "c"))
    re = hl.cast(hl.Float(32), x) * hl.f32(np.float32(3) / np.float32(w)) + hl.f32(-2)
    im = hl.cast(hl.Float(32), y) * hl.f32(np.float32(2) / np.float32(h)) + hl.f32(-1)
    z, out = hl.Func("z"), hl.Func("out")
    z[x, y] = (hl.f32(0), hl.f32(0), hl.i32(0))
    r = hl.RDom([(0, ESCAPE)], "r")
    p, q, k = z[x, y][0], z[x, y][1], z[x, y][2]
    stays = (p * p + q * q <= 4) & (r.x >= 0)  # names the turn
    z[x, y] = (hl.select(stays, p * p - q * q + re, p), hl.select(stays, hl.f32(2) * (p * q) + im, q), k + hl.select(stays, 1, 0))
    out[x, y] = z[x, y][2]
    xi, lane = hl.Var("xi"), hl.Var("lane")
    out.split(x, x, xi, 64).parallel(y).vectorize(xi, 16)
    z.compute_at(out, x).vectorize(x, 16)
    z.update().split(x, x, lane, 16).reorder(lane, x, r.x, y).vectorize(lane).unroll(x)
    result = np.empty(shape, np.int32)
    buffer = hl.Buffer(result)
    out.compile_jit()

    def run():
        out.realize(buffer)
        return result

    return run


# ---- OpenCV ----


def opencv():
    cv2.setNumThreads(int(threads))
    a = read("a")
    out, edge = np.empty_like(a), cv2.BORDER_REPLICATE
    w = np.array(WEIGHTS, np.float32)
    if task == "gauss":
        kernel = np.outer(w, w)
        return lambda: cv2.filter2D(a, cv2.CV_32F, kernel, dst=out, borderType=edge)
    if task == "separable":
        return lambda: cv2.sepFilter2D(a, cv2.CV_32F, w, w, dst=out, borderType=edge)
    if task == "sobel":
        dx, dy = np.empty_like(a), np.empty_like(a)

        def run():
            cv2.Sobel(a, cv2.CV_32F, 1, 0, dst=dx, borderType=edge)
            cv2.Sobel(a, cv2.CV_32F, 0, 1, dst=dy, borderType=edge)
            return cv2.magnitude(dx, dy, out)

        return run
    if task == "harris":
        scale = np.float32(4 * 3) ** 4  # cornerHarris divides slopes by 2^(aperture - 1) and the size of the block

        def corners():
            cv2.cornerHarris(a, 3, 3, K, dst=out, borderType=edge)
            return out

        return lambda first=[]: corners() if first else (first.append(1), corners() * scale)[1]

    def edges():
        return cv2.Canny(cv2.GaussianBlur(a, (5, 5), 0), LOW, HIGH, L2gradient=False)

    return edges


# ---- numba ----


def numba_task():
    numba.set_num_threads(int(threads))
    fast = dict(parallel=True, fastmath=True)
    row = tuple(np.float32(k) for k in WEIGHTS)
    f32 = np.float32

    @njit(inline="always")
    def clamped(i, n):
        return min(max(i, 0), n - 1)

    @njit(inline="always")
    def five(a, i, l2, l1, j, r1, r2):
        return (a[i, l2] + a[i, r2]) * row[0] + (a[i, l1] + a[i, r1]) * row[1] + a[i, j] * row[2]

    @njit(inline="always")
    def twenty_five(a, i0, i1, i, i3, i4, l2, l1, j, r1, r2):
        outer = (five(a, i0, l2, l1, j, r1, r2) + five(a, i4, l2, l1, j, r1, r2)) * row[0]
        inner = (five(a, i1, l2, l1, j, r1, r2) + five(a, i3, l2, l1, j, r1, r2)) * row[1]
        return outer + inner + five(a, i, l2, l1, j, r1, r2) * row[2]

    @njit(**fast)
    def gauss(a, out):
        h, w = a.shape
        for i in prange(h):
            i0, i1, i3, i4 = clamped(i - 2, h), clamped(i - 1, h), clamped(i + 1, h), clamped(i + 2, h)
            for j in (0, 1, w - 2, w - 1):
                l2, l1, r1, r2 = clamped(j - 2, w), clamped(j - 1, w), clamped(j + 1, w), clamped(j + 2, w)
                out[i, j] = twenty_five(a, i0, i1, i, i3, i4, l2, l1, j, r1, r2)
            for j in range(2, w - 2):
                out[i, j] = twenty_five(a, i0, i1, i, i3, i4, j - 2, j - 1, j, j + 1, j + 2)

    @njit(**fast)
    def separable(a, t, out):
        h, w = a.shape
        for i in prange(h):
            i0, i1, i3, i4 = clamped(i - 2, h), clamped(i - 1, h), clamped(i + 1, h), clamped(i + 2, h)
            for j in range(w):
                t[i, j] = (a[i0, j] + a[i4, j]) * row[0] + (a[i1, j] + a[i3, j]) * row[1] + a[i, j] * row[2]
            for j in (0, 1, w - 2, w - 1):
                out[i, j] = five(t, i, clamped(j - 2, w), clamped(j - 1, w), j, clamped(j + 1, w), clamped(j + 2, w))
            for j in range(2, w - 2):
                out[i, j] = five(t, i, j - 2, j - 1, j, j + 1, j + 2)

    @njit(inline="always")
    def slope_at(a, i0, i, i2, l, j, r):
        two = f32(2)
        dx = (a[i0, r] + a[i, r] * two + a[i2, r]) - (a[i0, l] + a[i, l] * two + a[i2, l])
        dy = (a[i2, l] + a[i2, j] * two + a[i2, r]) - (a[i0, l] + a[i0, j] * two + a[i0, r])
        return dx, dy

    @njit(**fast)
    def sobel(a, out):
        h, w = a.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in (0, w - 1):
                dx, dy = slope_at(a, i0, i, i2, clamped(j - 1, w), j, clamped(j + 1, w))
                out[i, j] = np.sqrt(dx * dx + dy * dy)
            for j in range(1, w - 1):
                dx, dy = slope_at(a, i0, i, i2, j - 1, j, j + 1)
                out[i, j] = np.sqrt(dx * dx + dy * dy)

    @njit(**fast)
    def slopes(a, x, y):
        h, w = a.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in (0, w - 1):
                x[i, j], y[i, j] = slope_at(a, i0, i, i2, clamped(j - 1, w), j, clamped(j + 1, w))
            for j in range(1, w - 1):
                x[i, j], y[i, j] = slope_at(a, i0, i, i2, j - 1, j, j + 1)

    @njit(inline="always")
    def three(x, y, i, l, j, r):
        return x[i, l] * y[i, l] + x[i, j] * y[i, j] + x[i, r] * y[i, r]

    @njit(inline="always")
    def nine(x, y, i0, i, i2, l, j, r):
        return three(x, y, i0, l, j, r) + three(x, y, i, l, j, r) + three(x, y, i2, l, j, r)

    @njit(inline="always")
    def corner(x, y, i0, i, i2, l, j, r):
        p, q, s = nine(x, x, i0, i, i2, l, j, r), nine(x, y, i0, i, i2, l, j, r), nine(y, y, i0, i, i2, l, j, r)
        return p * s - q * q - f32(K) * (p + s) * (p + s)

    @njit(**fast)
    def corners(x, y, out):
        h, w = x.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in (0, w - 1):
                out[i, j] = corner(x, y, i0, i, i2, clamped(j - 1, w), j, clamped(j + 1, w))
            for j in range(1, w - 1):
                out[i, j] = corner(x, y, i0, i, i2, j - 1, j, j + 1)

    @njit(**fast)
    def jacobi(a, out):
        h, w = a.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in (0, w - 1):
                out[i, j] = (a[i0, j] + a[i, clamped(j - 1, w)] + a[i, clamped(j + 1, w)] + a[i2, j]) * f32(0.25)
            for j in range(1, w - 1):
                out[i, j] = (a[i0, j] + a[i, j - 1] + a[i, j + 1] + a[i2, j]) * f32(0.25)

    @njit(**fast)
    def heat(a, out):
        d, h, w = a.shape
        for z in prange(d):
            z0, z2 = clamped(z - 1, d), clamped(z + 1, d)
            for y in range(h):
                y0, y2 = clamped(y - 1, h), clamped(y + 1, h)
                for x in (0, w - 1):
                    o = a[z, y, x]
                    s = a[z0, y, x] + a[z, y0, x] + a[z, y, clamped(x - 1, w)] + a[z, y, clamped(x + 1, w)] + a[z, y2, x] + a[z2, y, x]
                    out[z, y, x] = o + (s - o * f32(6)) * f32(0.1)
                for x in range(1, w - 1):
                    o = a[z, y, x]
                    s = a[z0, y, x] + a[z, y0, x] + a[z, y, x - 1] + a[z, y, x + 1] + a[z, y2, x] + a[z2, y, x]
                    out[z, y, x] = o + (s - o * f32(6)) * f32(0.1)

    @njit(**fast)
    def relax(start, x, out, rate, factor):
        h, w = x.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in (0, w - 1):
                s = x[i0, j] + x[i, clamped(j - 1, w)] + x[i, clamped(j + 1, w)] + x[i2, j]
                out[i, j] = (start[i, j] + rate * s) * factor
            for j in range(1, w - 1):
                out[i, j] = (start[i, j] + rate * (x[i0, j] + x[i, j - 1] + x[i, j + 1] + x[i2, j])) * factor

    @njit(**fast)
    def sources(u, v, out):
        h, w = u.shape
        for i in prange(h):
            for j in range(w):
                out[i, j] = f32(-0.5) * (u[i, clamped(j + 1, w)] - u[i, clamped(j - 1, w)] + v[clamped(i + 1, h), j] - v[clamped(i - 1, h), j])

    @njit(**fast)
    def subtract(u, v, p):
        h, w = u.shape
        for i in prange(h):
            for j in range(w):
                u[i, j] -= f32(0.5) * (p[i, clamped(j + 1, w)] - p[i, clamped(j - 1, w)])
                v[i, j] -= f32(0.5) * (p[clamped(i + 1, h), j] - p[clamped(i - 1, h), j])

    @njit(**fast)
    def advect(what, u, v, out):
        h, w = u.shape
        for i in prange(h):
            for j in range(w):
                y = min(max(f32(i) - f32(TIME) * v[i, j], f32(0)), f32(h) - f32(1.001))
                x = min(max(f32(j) - f32(TIME) * u[i, j], f32(0)), f32(w) - f32(1.001))
                cy, cx = int(y), int(x)
                ty, tx = y - f32(cy), x - f32(cx)
                upper = (f32(1) - tx) * what[cy, cx] + tx * what[cy, cx + 1]
                lower = (f32(1) - tx) * what[cy + 1, cx] + tx * what[cy + 1, cx + 1]
                out[i, j] = (f32(1) - ty) * upper + ty * lower

    @njit(parallel=True)
    def mandelbrot(out):
        h, w = out.shape
        for i in prange(h):
            im = f32(i) * (f32(2) / f32(h)) + f32(-1)
            for j in range(w):
                re = f32(j) * (f32(3) / f32(w)) + f32(-2)
                p = q = f32(0)
                k = 0
                while k < ESCAPE and p * p + q * q <= f32(4):
                    p, q = p * p - q * q + re, f32(2) * (p * q) + im
                    k += 1
                out[i, j] = k

    @njit(parallel=True)
    def blur_rows(a, t):
        h, w = a.shape
        for i in prange(h):
            i0, i1 = abs(i - 2), abs(i - 1)
            i3 = i + 1 if i + 1 < h else 2 * (h - 1) - i - 1
            i4 = i + 2 if i + 2 < h else 2 * (h - 1) - i - 2
            for j in range(w):
                t[i, j] = np.int32(a[i0, j]) + a[i4, j] + 4 * (np.int32(a[i1, j]) + a[i3, j]) + 6 * np.int32(a[i, j])

    @njit(parallel=True)
    def blur_columns(t, out):
        h, w = t.shape
        for i in prange(h):
            for j in range(w):
                if 2 <= j < w - 2:
                    s = np.int32(t[i, j - 2]) + t[i, j + 2] + 4 * (np.int32(t[i, j - 1]) + t[i, j + 1]) + 6 * np.int32(t[i, j])
                else:
                    s = np.int32(0)
                    for q in range(5):
                        c = abs(j + q - 2)
                        c = c if c < w else 2 * (w - 1) - c
                        s += np.int32(t[i, c]) * (6 if q == 2 else 4 if q % 2 else 1)
                out[i, j] = (s + 128) >> 8

    @njit(parallel=True)
    def ways(a, size, way):
        h, w = a.shape
        for i in prange(h):
            i0, i2 = clamped(i - 1, h), clamped(i + 1, h)
            for j in range(w):
                l, r = clamped(j - 1, w), clamped(j + 1, w)
                x = np.int32(a[i0, r]) + 2 * np.int32(a[i, r]) + a[i2, r] - np.int32(a[i0, l]) - 2 * np.int32(a[i, l]) - a[i2, l]
                y = np.int32(a[i2, l]) + 2 * np.int32(a[i2, j]) + a[i2, r] - np.int32(a[i0, l]) - 2 * np.int32(a[i0, j]) - a[i0, r]
                size[i, j] = abs(x) + abs(y)
                low, up = abs(x) * 13573, abs(y) << 15
                high = low + (abs(x) << 16)
                way[i, j] = 0 if up < low else 1 if up > high else 3 if (x ^ y) < 0 else 2

    @njit(parallel=True)
    def thin(size, way, out):
        h, w = size.shape
        for i in prange(h):
            for j in range(w):
                m, d = size[i, j], way[i, j]
                out[i, j] = 0
                if m > LOW:
                    di = 0 if d == 0 else 1
                    dj = 1 if d == 0 else 0 if d == 1 else 1 if d == 2 else -1
                    a = size[i - di, j - dj] if i >= di and 0 <= j - dj < w else 0
                    b = size[i + di, j + dj] if i + di < h and 0 <= j + dj < w else 0
                    if m > a and (m >= b if d < 2 else m > b):
                        out[i, j] = 2 if m > HIGH else 1

    @njit
    def connect(mark):
        h, w = mark.shape
        todo = [np.int64(0)]
        for i in range(h):
            for j in range(w):
                if mark[i, j] == 2:
                    todo.append(i * w + j)
                    while len(todo) > 1:
                        place = todo.pop()
                        y, x = place // w, place % w
                        for m in range(max(y - 1, 0), min(y + 2, h)):
                            for n in range(max(x - 1, 0), min(x + 2, w)):
                                if mark[m, n] == 1:
                                    mark[m, n] = 2
                                    todo.append(m * w + n)

    @njit(parallel=True)
    def show(mark):
        h, w = mark.shape
        for i in prange(h):
            for j in range(w):
                mark[i, j] = 255 if mark[i, j] == 2 else 0

    def repeated(step, turns):
        a, one, other = read("a"), np.empty(shape, np.float32), np.empty(shape, np.float32)

        def run():
            source = a
            for t in range(turns):
                target = one if t % 2 else other
                step(source, target)
                source = target
            return source

        return run

    if task in ("gauss", "sobel"):
        a, out, f = read("a"), np.empty(shape, np.float32), {"gauss": gauss, "sobel": sobel}[task]
        return lambda: (f(a, out), out)[1]
    if task == "separable":
        a, t, out = read("a"), np.empty(shape, np.float32), np.empty(shape, np.float32)
        return lambda: (separable(a, t, out), out)[1]
    if task == "harris":
        a, x, y, out = read("a"), *(np.empty(shape, np.float32) for _ in range(3))
        return lambda: (slopes(a, x, y), corners(x, y, out), out)[2]
    if task in ("jacobi", "heat"):
        return repeated(*((jacobi, JACOBI) if task == "jacobi" else (heat, HEAT)))
    if task == "mandelbrot":
        out = np.empty(shape, np.int32)
        return lambda: (mandelbrot(out), out)[1]
    if task == "canny":
        a, t, size = read("a"), np.empty(shape, np.uint16), np.empty(shape, np.int16)
        blurred, way, mark = (np.empty(shape, np.uint8) for _ in range(3))

        def edges():
            blur_rows(a, t)
            blur_columns(t, blurred)
            ways(blurred, size, way)
            thin(size, way, mark)
            connect(mark)
            show(mark)
            return mark

        return edges
    first = [read(n) for n in "abc"]
    room = [np.empty(shape, np.float32) for _ in range(6)]

    def diffuse(x, spare, out):
        source = x
        for t in range(DIFFUSE):
            target = out if t % 2 else spare
            relax(x, source, target, f32(RATE), f32(1 / (1 + 4 * RATE)))
            source = target

    def project(u, v, div, spare, p):
        sources(u, v, div)
        p[:] = 0
        for t in range(PROJECT):
            relax(div, *((spare, p) if t % 2 else (p, spare)), f32(1), f32(0.25))
        subtract(u, v, p)

    def fluid():
        u, v, u2, v2, spare, d = room
        diffuse(first[0], spare, u)
        diffuse(first[1], spare, v)
        project(u, v, u2, spare, v2)
        advect(u, u, v, u2)
        advect(v, u, v, v2)
        project(u2, v2, u, spare, v)
        diffuse(first[2], spare, u)
        advect(u, u2, v2, d)
        return d

    return fluid


# ---- JAX ----


def jax_task():
    jax.config.update("jax_platforms", "cpu")
    pad = lambda a, k: jnp.pad(a, k, mode="edge")

    def near(p, k, i, j, like):
        return p[k + i : k + i + like.shape[0], k + j : k + j + like.shape[1]]

    def gauss(a):
        p = pad(a, 2)
        return sum(near(p, 2, i - 2, j - 2, a) * np.float32(WEIGHTS[i] * WEIGHTS[j]) for i in range(5) for j in range(5))

    def separable(a):
        p = jnp.pad(a, ((2, 2), (0, 0)), mode="edge")
        t = sum(p[i : i + a.shape[0]] * np.float32(WEIGHTS[i]) for i in range(5))
        q = jnp.pad(t, ((0, 0), (2, 2)), mode="edge")
        return sum(q[:, j : j + a.shape[1]] * np.float32(WEIGHTS[j]) for j in range(5))

    def slopes(a):
        p = pad(a, 1)
        n = lambda i, j: near(p, 1, i, j, a)
        dx = n(-1, 1) + n(0, 1) * 2 + n(1, 1) - n(-1, -1) - n(0, -1) * 2 - n(1, -1)
        dy = n(1, -1) + n(1, 0) * 2 + n(1, 1) - n(-1, -1) - n(-1, 0) * 2 - n(-1, 1)
        return dx, dy

    def sobel(a):
        dx, dy = slopes(a)
        return jnp.sqrt(dx * dx + dy * dy)

    def harris(a):
        dx, dy = (pad(d, 1) for d in slopes(a))
        nine = lambda f, g: sum(near(f, 1, i, j, a) * near(g, 1, i, j, a) for i in (-1, 0, 1) for j in (-1, 0, 1))
        p, q, r = nine(dx, dx), nine(dx, dy), nine(dy, dy)
        return p * r - q * q - np.float32(K) * (p + r) * (p + r)

    def around(a):
        p = pad(a, 1)
        return near(p, 1, -1, 0, a) + near(p, 1, 0, -1, a) + near(p, 1, 0, 1, a) + near(p, 1, 1, 0, a)

    def jacobi(a):
        return jax.lax.fori_loop(0, JACOBI, lambda _, x: around(x) * np.float32(0.25), a)

    def heat(a):
        def step(_, x):
            p = pad(x, 1)
            s = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]
            return x + (s - x * 6) * np.float32(0.1)

        return jax.lax.fori_loop(0, HEAT, step, a)

    def relax(turns, rate, factor, start, x):
        return jax.lax.fori_loop(0, turns, lambda _, y: (start + np.float32(rate) * around(y)) * np.float32(factor), x)

    def diffuse(x):
        return relax(DIFFUSE, RATE, 1 / (1 + 4 * RATE), x, x)

    def project(u, v):
        p, q = pad(u, 1), pad(v, 1)
        div = (near(p, 1, 0, 1, u) - near(p, 1, 0, -1, u) + near(q, 1, 1, 0, u) - near(q, 1, -1, 0, u)) * np.float32(-0.5)
        s = pad(relax(PROJECT, 1, 0.25, div, jnp.zeros_like(div)), 1)
        half = np.float32(0.5)
        return u - half * (near(s, 1, 0, 1, u) - near(s, 1, 0, -1, u)), v - half * (near(s, 1, 1, 0, u) - near(s, 1, -1, 0, u))

    def advect(what, u, v):
        h, w = u.shape
        i, j = jnp.arange(h, dtype=jnp.float32)[:, None], jnp.arange(w, dtype=jnp.float32)[None, :]
        y = jnp.clip(i - np.float32(TIME) * v, 0, np.float32(h) - np.float32(1.001))
        x = jnp.clip(j - np.float32(TIME) * u, 0, np.float32(w) - np.float32(1.001))
        cy, cx = y.astype(jnp.int32), x.astype(jnp.int32)
        ty, tx = y - cy, x - cx
        at = lambda a, b: what[cy + a, cx + b]
        upper = (1 - tx) * at(0, 0) + tx * at(0, 1)
        lower = (1 - tx) * at(1, 0) + tx * at(1, 1)
        return (1 - ty) * upper + ty * lower

    def fluid(a, b, c):
        u, v = project(diffuse(a), diffuse(b))
        u, v = project(advect(u, u, v), advect(v, u, v))
        return advect(diffuse(c), u, v)

    def mandelbrot():
        h, w = shape
        im = (jnp.arange(h, dtype=jnp.float32) * np.float32(np.float32(2) / np.float32(h)) - 1)[:, None]
        re = (jnp.arange(w, dtype=jnp.float32) * np.float32(np.float32(3) / np.float32(w)) - 2)[None, :]

        def step(_, s):
            p, q, k = s
            stays = p * p + q * q <= 4
            return jnp.where(stays, p * p - q * q + re, p), jnp.where(stays, 2 * (p * q) + im, q), k + stays

        zero = jnp.zeros(shape, jnp.float32)
        return jax.lax.fori_loop(0, ESCAPE, step, (zero, zero, jnp.zeros(shape, jnp.int32)))[2]

    f = jax.jit(locals()[task])
    given = [jnp.asarray(read(n)) for n in ("" if task == "mandelbrot" else "abc" if task == "fluid" else "a")]
    return lambda: f(*given).block_until_ready()


tasks = {"halide": halide_mandelbrot if task == "mandelbrot" else halide_filter, "opencv": opencv, "numba": numba_task, "jax": jax_task}
work = tasks[library]()
first = np.asarray(work())  # compiles
first.tofile(folder + "/result")
work()
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    work()
    print("%.9f" % (time.perf_counter() - start), flush=True)
