"""The peers of bench_numbers in Python: numpy, JAX, numba and polars in one process. The protocol is that of bench/streams/child.h, and besides:

    load TASK FOLDER EXTRA    reads the task's vectors, FOLDER/NAME.TYPE; answers 0
    run LIBRARY               answers the seconds of the work alone; the first time for a library also the weighted sum of its results

    arrays.py THREADS"""
import glob
import os
import sys
import time

THREADS = sys.argv[1]
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = THREADS
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
try:
    import numpy as np
except ImportError:
    print("missing numpy: pip install numpy, and --python", flush=True)
    sys.exit(0)

CENTRES = 16


class Missing(Exception):
    pass


def library(name, package=None):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        raise Missing("%s: pip install %s" % (name, package or name.split(".")[0]))


# ---- numpy ----


def np_normal(d, lib=np):
    k = 1 / (1 + np.float32(0.2316419) * abs(d))
    h = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    c = np.float32(0.39894228) * lib.exp(-0.5 * d * d) * h
    return lib.where(d > 0, 1 - c, c)


def np_prices(s, k, t, lib=np):
    w = 0.3 * lib.sqrt(t)
    d = (lib.log(s / k) + 0.065 * t) / w
    a, b, later = np_normal(d, lib), np_normal(d - w, lib), k * lib.exp(-0.02 * t)
    return s * a - later * b, later * (1 - b) - s * (1 - a)


def np_norm2(x, y):
    s = y[y > 0].sum()
    return x / x.sum(), y / s


def np_kmeans(x, y, z, c):
    c = c.reshape(-1, 3)
    best, label = np.full(len(x), np.float32(3e38)), np.zeros(len(x), np.int64)
    for j in range(len(c)):
        d = (x - c[j, 0]) ** 2 + (y - c[j, 1]) ** 2 + (z - c[j, 2]) ** 2
        near = d < best
        best[near], label[near] = d[near], j
    n = np.bincount(label, minlength=len(c))
    return tuple(np.bincount(label, v, len(c)) / n for v in (x, y, z)) + (n,)


NUMPY = {
    "prices": np_prices,
    "dot": lambda x, y: np.dot(x, y),
    "sort": lambda x: np.sort(x),
    "statistics": lambda x: (x.sum(), np.dot(x, x), x.min(), x.max()),
    "norm2": np_norm2,
    "scan": lambda x: np.cumsum(x),
    "segments": lambda x, o: np.add.reduceat(x, o[:-1]),
    "histogram": lambda x: np.bincount(x, minlength=extra),
    "kmeans": np_kmeans,
}

# ---- JAX ----


def with_jax(task):
    jax = library("jax")
    jnp = jax.numpy

    def bodies(x, y, z, m):
        def one(i):
            a, b, c = x - x[i], y - y[i], z - z[i]
            d = a * a + b * b + c * c + 0.01
            w = m / (d * jnp.sqrt(d))
            return (a * w).sum(), (b * w).sum(), (c * w).sum()

        return jax.lax.map(one, jnp.arange(len(x)), batch_size=64)

    def kmeans(x, y, z, c):
        c = c.reshape(-1, 3)
        label = jnp.argmin((x[:, None] - c[:, 0]) ** 2 + (y[:, None] - c[:, 1]) ** 2 + (z[:, None] - c[:, 2]) ** 2, axis=1)
        n = jnp.zeros(len(c), jnp.int64).at[label].add(1)
        return tuple(jnp.zeros(len(c)).at[label].add(v.astype(jnp.float64)) / n for v in (x, y, z)) + (n,)

    def norm2(x, y):
        return x / x.sum(), y / jnp.where(y > 0, y, 0).sum()

    work = {
        "prices": lambda s, k, t: np_prices(s, k, t, jnp),
        "dot": lambda x, y: jnp.dot(x, y),
        "bodies": bodies,
        "sort": lambda x: jnp.sort(x),
        "statistics": lambda x: (x.sum(), (x * x).sum(), x.min(), x.max()),
        "norm2": norm2,
        "scan": lambda x: jnp.cumsum(x),
        "histogram": lambda x: jnp.bincount(x, length=extra),
        "kmeans": kmeans,
    }[task]
    f, inputs = jax.jit(work), [jnp.asarray(v) for v in vectors]
    return lambda: jax.block_until_ready(f(*inputs))


# ---- polars ----


def with_polars(task):
    pl = library("polars")
    frame = pl.DataFrame({name: v for name, v in zip(names, vectors)})
    x = pl.col("x")
    one = {
        "dot": lambda: frame.select(x.dot(pl.col("y"))),
        "sort": lambda: frame.select(x.sort()),
        "statistics": lambda: frame.select(x.sum(), (x * x).sum().alias("s"), x.min().alias("m"), x.max().alias("n")),
        "scan": lambda: frame.select(x.cum_sum()),
    }[task]
    return lambda: tuple(c.to_numpy() for c in one().get_columns())


# ---- numba ----


def with_numba(task):
    numba = library("numba")
    from math import exp, log, sqrt

    fast = numba.njit(parallel=True, fastmath=True)
    prange, f32, P = numba.prange, np.float32, int(THREADS)

    @numba.njit(fastmath=True)
    def normal(d):
        k = f32(1) / (f32(1) + f32(0.2316419) * abs(d))
        h = k * (f32(0.31938153) + k * (f32(-0.356563782) + k * (f32(1.781477937) + k * (f32(-1.821255978) + k * f32(1.330274429)))))
        c = f32(0.39894228) * exp(f32(-0.5) * d * d) * h
        return f32(1) - c if d > 0 else c

    @fast
    def prices(s, k, t):
        call, put = np.empty_like(s), np.empty_like(s)
        for i in prange(len(s)):
            w = f32(0.3) * sqrt(t[i])
            d = (log(s[i] / k[i]) + f32(0.065) * t[i]) / w
            a, b, later = normal(d), normal(d - w), k[i] * exp(f32(-0.02) * t[i])
            call[i], put[i] = s[i] * a - later * b, later * (f32(1) - b) - s[i] * (f32(1) - a)
        return call, put

    @fast
    def dot(x, y):
        s = f32(0)
        for i in prange(len(x)):
            s += x[i] * y[i]
        return s

    @fast
    def bodies(x, y, z, m):
        p, q, r = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        for i in prange(len(x)):
            u = v = w = f32(0)
            for j in range(len(x)):
                a, b, c = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                d = a * a + b * b + c * c + f32(0.01)
                g = m[j] / (d * sqrt(d))
                u += a * g
                v += b * g
                w += c * g
            p[i], q[i], r[i] = u, v, w
        return p, q, r

    @fast
    def statistics(x):
        s = q = f32(0)
        low, high = x[0], x[0]
        for i in prange(len(x)):
            s += x[i]
            q += x[i] * x[i]
            low = min(low, x[i])
            high = max(high, x[i])
        return s, q, low, high

    @fast
    def norm2(x, y):
        s = t = f32(0)
        for i in prange(len(x)):
            s += x[i]
            t += y[i] if y[i] > 0 else f32(0)
        a, b = np.empty_like(x), np.empty_like(y)
        for i in prange(len(x)):
            a[i] = x[i] / s
            b[i] = y[i] / t
        return a, b

    @fast
    def scan(x):
        n, out, total = len(x), np.empty_like(x), np.zeros(P)
        for p in prange(P):
            total[p] = x[n * p // P : n * (p + 1) // P].sum()
        for p in prange(P):
            s = total[:p].sum()
            for i in range(n * p // P, n * (p + 1) // P):
                s += x[i]
                out[i] = s
        return out

    @fast
    def segments(x, o):
        out = np.empty(len(o) - 1)
        if len(out) < P:
            for r in range(len(out)):
                t = 0.0
                for i in prange(o[r], o[r + 1]):
                    t += x[i]
                out[r] = t
        else:
            for r in prange(len(out)):
                s = 0.0
                for i in range(o[r], o[r + 1]):
                    s += x[i]
                out[r] = s
        return out

    @fast
    def histogram(x):
        n, own = len(x), np.zeros((P, extra), np.int64)
        for p in prange(P):
            for i in range(n * p // P, n * (p + 1) // P):
                own[p, x[i]] += 1
        return own.sum(0)

    @fast
    def kmeans(x, y, z, c):
        n, k = len(x), len(c) // 3
        own = np.zeros((P, k, 4))
        for p in prange(P):
            for i in range(n * p // P, n * (p + 1) // P):
                best, at = f32(3e38), 0
                for j in range(k):
                    a, b, e = x[i] - c[3 * j], y[i] - c[3 * j + 1], z[i] - c[3 * j + 2]
                    d = a * a + b * b + e * e
                    if d < best:
                        best, at = d, j
                own[p, at, 0] += x[i]
                own[p, at, 1] += y[i]
                own[p, at, 2] += z[i]
                own[p, at, 3] += 1
        s = own.sum(0)
        return s[:, 0] / s[:, 3], s[:, 1] / s[:, 3], s[:, 2] / s[:, 3], s[:, 3]

    f = locals()[task]
    f(*vectors)  # compiles
    return lambda: f(*vectors)


# ---- the protocol ----


def total(results):
    results = results if isinstance(results, (tuple, list)) else (results,)
    s = 0.0
    for r in results:
        r = np.atleast_1d(np.asarray(r)).ravel()
        for at in range(0, len(r), 1009 << 10):
            part = r[at : at + (1009 << 10)].astype(np.float64)
            s += float(np.dot(part, 1.0 + (np.arange(len(part)) % 1009)))
    return s


def load(name, folder, more):
    global task, names, vectors, extra, work
    work, extra, task, names, vectors = {}, int(more), name, [], []
    kinds = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
    found = {os.path.basename(p).split(".")[0]: p for p in glob.glob(folder + "/*")}
    for n in [n for n in "xyzmco" if n in found]:
        names.append(n)
        vectors.append(np.fromfile(found[n], dtype=kinds[found[n].rsplit(".", 1)[1]]))
    return "0"


def run(name):
    first = name not in work
    if first:
        makers = {"jax": with_jax, "polars": with_polars, "numba": with_numba}
        work[name] = makers[name](task) if name in makers else lambda: NUMPY[task](*vectors)
    start = time.perf_counter()
    result = work[name]()
    seconds = time.perf_counter() - start
    return "%.9f %.17g" % (seconds, total(result)) if first else "%.9f" % seconds


work = {}
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    try:
        answer = load(*words[1:]) if words[0] == "load" else run(words[1])
    except Missing as e:
        answer = "missing %s" % e
    except Exception as e:
        answer = "missing %s: %s" % (words[-1], " ".join(str(e).split())[:150])
    print(answer, flush=True)
