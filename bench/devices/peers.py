"""The peers of array jobs on a device of NVIDIA. The protocol is that of bench/streams/child.h.

    peers.py CuPy|JAX|hashcat TASK N EXTRA

The numbers and the jobs are those of jobs.c; `pick` takes the number that the first round of a job picks. Arrays stay on the device. CuPy
calls cuBLAS, CUB, cuFFT and cuSPARSE; times are those of events on the device. With WADI_BENCH_STAND_IN set, numpy stands in for CuPy, and
JAX may use any device: that tests this file where there is no GPU."""
import os
import sys
import time

os.environ["CUPY_ACCELERATORS"] = "cub"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
ROUNDS = 8
PICKED = 7919999
ENTRIES = 64
STAND_IN = bool(os.environ.get("WADI_BENCH_STAND_IN"))


def missing(what):
    print("missing %s" % what, flush=True)
    sys.exit(0)


try:
    import numpy as np
except ImportError:
    if sys.argv[1] != "hashcat":
        missing("numpy: pip install numpy scipy cupy-cuda12x \"jax[cuda12]\", and --python")


# ---- numbers ----


def numbers(k, n):
    return 0.05 + ((np.arange(n) * 7919 + k * 31) % 100003) / 110000


def matrix(n):
    """Values, columns, and where rows begin."""
    rows = n // ENTRIES + 1
    lengths = ENTRIES // 2 + np.arange(rows) * 37 % (ENTRIES + 1)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    columns = (np.repeat(np.arange(rows), lengths) + 3 * place) % rows
    return numbers(3, offsets[-1]), columns.astype(np.int32), offsets.astype(np.int32)


# ---- jobs over a module that is like numpy ----


def prices(m, erfc, s, k, t):
    w = 0.3 * m.sqrt(t)
    d = (m.log(s / k) + 0.065 * t) / w
    p = 0.5 * erfc(d * -0.7071067811865476)
    q = 0.5 * erfc((d - w) * -0.7071067811865476)
    return s * p - k * m.exp(-0.02 * t) * q


def bins(task, n):
    return np.zeros(n, np.int32) if task == "one bin" else (np.arange(n, dtype=np.uint32) * np.uint32(2654435761) >> 1).astype(np.int32)


def vectors(task, n):
    if "bin" in task:
        return [bins(task, n)]
    if task == "singles":
        return [(np.float32(0.05) + (np.arange(n) * 7919 % 100003).astype(np.float32) / np.float32(110000))]
    return [numbers(k, n) for k in range({"dot": 2, "prices": 3}.get(task, 1))]


def pick(task, r):
    if task == "hashcat":
        return float("nan")
    if task == "fft":
        return float(r[PICKED % r.shape[0], 1].real)
    if task == "singles":
        return float("nan")  # sums of 32 bits depend on their order
    return float(r.reshape(-1)[PICKED % r.size])


# ---- CuPy ----


def cupy_module():
    if STAND_IN:
        return np
    try:
        import cupy as cp
    except ImportError:
        missing("CuPy: pip install cupy-cuda12x, and --python")
    try:
        cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError as e:
        missing("a device that CuPy can use (%s)" % e)
    return cp


def cupy_prices(cp):
    if cp is np:
        from scipy.special import erfc
        return lambda s, k, t: prices(np, erfc, s, k, t)
    from cupyx.scipy.special import erfc
    return cp.fuse()(lambda s, k, t: prices(cp, erfc, s, k, t))


def cupy_intensity(cp, steps):
    if cp is np:
        def work(x):
            for _ in range(steps):
                x = x * 0.75 + 0.125
            return x
        return work
    return cp.ElementwiseKernel(
        "float64 x", "float64 y", "double w = x; for (int k = 0; k < %d; k++) w = w * 0.75 + 0.125; y = w;" % steps, "work")


def cupy_matrix(cp, n):
    if cp is np:
        from scipy.sparse import csr_matrix
    else:
        from cupyx.scipy.sparse import csr_matrix
    values, columns, offsets = (cp.asarray(a) for a in matrix(n))
    rows = offsets.size - 1
    return csr_matrix((values, columns, offsets), shape=(rows, rows)), cp.asarray(numbers(0, rows))


def cupy_round(cp, task, n, extra):
    """A function that does one round and returns what it has computed."""
    if task == "smvm":
        m, x = cupy_matrix(cp, n)
        return lambda: m @ x
    v = [cp.asarray(a) for a in vectors(task, n)]
    x, out = v[0], cp.empty_like(v[0])
    if task == "copy":
        def copy():
            cp.copyto(out, x)
            return out
        return copy
    if task == "fft":
        x = x[:n // extra * extra].reshape(-1, extra)
        z = cp.empty(x.shape, dtype=complex)
        def transform():
            cp.multiply(x, 1.0, out=z)
            return cp.fft.fft(z)
        return transform
    if task == "prices":
        f = cupy_prices(cp)
        return lambda: f(*v)
    if task == "intensity":
        f = cupy_intensity(cp, extra)
        return lambda: f(x)
    if "bin" in task:
        return lambda: cp.bincount(x % extra, minlength=extra)
    return {"sum": lambda: x.sum(), "dot": lambda: x.dot(v[1]), "scan": lambda: cp.cumsum(x, out=out),
            "rows": lambda: x[:n // extra * extra].reshape(-1, extra).sum(axis=1),
            "singles": lambda: x[:n // extra * extra].reshape(-1, extra).sum(axis=1)}[task]


def cupy_seconds(cp, work):
    if cp is np:
        return clock_seconds(work, lambda r: None)
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()
    for _ in range(ROUNDS):
        r = work()
    end.record()
    end.synchronize()
    return 1e-3 * cp.cuda.get_elapsed_time(begin, end) / ROUNDS, r


def clock_seconds(work, wait):
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        r = work()
    wait(r)
    return (time.perf_counter() - begin) / ROUNDS, r


# ---- JAX ----


def jax_module():
    try:
        import jax
    except ImportError:
        missing("JAX: pip install \"jax[cuda12]\", and --python")
    jax.config.update("jax_enable_x64", True)
    if jax.devices()[0].platform != "gpu" and not STAND_IN:
        missing("a device of NVIDIA that JAX can use: pip install \"jax[cuda12]\"")
    return jax


def jax_function(jax, task, n, extra):
    """What a round computes of the factor and the arrays, and the arrays."""
    import jax.numpy as jnp
    if task == "smvm":
        values, columns, offsets = matrix(n)
        rows = len(offsets) - 1
        row = np.repeat(np.arange(rows), np.diff(offsets))
        return (lambda f, x, e, k, r: jax.ops.segment_sum(e * (x[k] * f), r, rows, indices_are_sorted=True),
                [numbers(0, rows), values, columns, row])

    def work(f, x):
        w = x * f
        for _ in range(extra):
            w = w * 0.75 + 0.125
        return w

    def in_rows(f, x):
        return (x[:n // extra * extra] * f).reshape(-1, extra)

    from jax.scipy.special import erfc
    return {
        "copy": lambda f, x: x * f,
        "sum": lambda f, x: jnp.sum(x * f),
        "dot": lambda f, x, y: jnp.sum(x * y * f),
        "scan": lambda f, x: jnp.cumsum(x * f),
        "prices": lambda f, s, k, t: prices(jnp, erfc, s * f, k, t),
        "intensity": work,
        "rows": lambda f, x: jnp.sum(in_rows(f, x), axis=1),
        "singles": lambda f, x: jnp.sum(in_rows(jnp.float32(f), x), axis=1),
        "bins": lambda f, x: jnp.bincount(x % extra, length=extra),
        "one bin": lambda f, x: jnp.bincount(x % extra, length=extra),
        "fft": lambda f, x: jnp.fft.fft(in_rows(f, x).astype(complex)),
    }[task], vectors(task, n)


def jax_round(jax, task, n, extra):
    f, arrays = jax_function(jax, task, n, extra)
    compiled, arrays = jax.jit(f), [jax.device_put(a) for a in arrays]
    return lambda: compiled(1.0, *arrays)


# ---- hashcat ----


def hashcat_seconds(n):
    """What n hashes take at the rate that hashcat measures itself, the best of its GPUs. It has no digests to tell."""
    import shutil
    import subprocess
    if shutil.which("hashcat") is None:
        missing("hashcat: package hashcat")
    said = subprocess.run(["hashcat", "-b", "-m", "0", "-D", "2", "--machine-readable", "--quiet"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    rates = [float(line.split(":")[-1]) for line in said.split() if line[:1].isdigit() and line.count(":") == 5]
    if not rates:
        missing("a device that hashcat can use (hashcat -b -m 0 -D 2)")
    return n / max(rates)


# ---- all together ----


def main():
    peer, task, n, extra = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if task == "hashcat":
        rate = hashcat_seconds(n)
        seconds = lambda: (rate, None)
    elif peer == "CuPy":
        cp = cupy_module()
        work = cupy_round(cp, task, n, extra)
        seconds = lambda: cupy_seconds(cp, work)
    else:
        jax = jax_module()
        work = jax_round(jax, task, n, extra)
        seconds = lambda: clock_seconds(work, lambda r: r.block_until_ready())
    print("ready", flush=True)
    for _ in sys.stdin:
        took, r = seconds()
        print("%.9f %.17g" % (took, pick(task, np.asarray(r) if peer == "JAX" else r)), flush=True)


main()
