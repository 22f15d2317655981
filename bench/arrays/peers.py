"""The peers of bench_sort and bench_matmul in Python: numpy and polars. The protocol is that of bench/streams/child.h.

    peers.py sort|argsort|records|largest KIND TYPE WAY N
    peers.py matmul THREADS TYPE any N

The numbers are those of sort.c. KIND is numpy's, quicksort or stable, or polars."""
import os
import sys
import time

if sys.argv[1] == "matmul":  # numpy's library asks when it is loaded
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = sys.argv[2]
try:
    import numpy as np
except ImportError:
    print("missing numpy: pip install numpy, and --python", flush=True)
    sys.exit(0)


def mixed(x):
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def numbers(kind, way, n):
    x = mixed(np.arange(1, n + 1, dtype=np.uint64))
    if kind == "i64" and way == "far":
        return np.where(x % np.uint64(50) != 0, (x >> np.uint64(32)) % np.uint64(1000000), x).view(np.int64)
    if kind == "i64":
        return x.view(np.int64)
    if kind == "i32":
        return (x >> np.uint64(32)).astype(np.uint32).view(np.int32)
    if kind == "f32":
        return (x >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
    if way == "few":
        return (x % np.uint64(10)).astype(np.float64)
    return np.arange(n, dtype=np.float64) if way == "sorted" else (x >> np.uint64(11)).astype(np.float64) * 2.0**-53


task, how, kind, way, n = sys.argv[1:6]
n = int(n)
if task == "matmul":
    a = numbers(kind, way, n * n).reshape(n, n)
else:
    a = numbers(kind, way, n)
at, most = np.arange(n), min(100, n)


def records():
    order = np.argsort(a, kind=how)
    return a[order], at[order]


def largest():
    some = np.argpartition(a, n - most)[n - most :]
    return some[np.argsort(-a[some])]


work = {
    "sort": lambda: np.sort(a, kind=how),
    "argsort": lambda: np.argsort(a, kind=how),
    "matmul": lambda: a @ a,
    "records": records,
    "largest": largest,
}[task]
if how == "polars":
    try:
        import polars as pl
    except ImportError:
        print("missing polars: pip install polars, and --python", flush=True)
        sys.exit(0)
    frame, column = pl.DataFrame({"key": a, "at": at}), pl.Series("key", a)
    work = {
        "sort": lambda: column.sort(),
        "argsort": lambda: column.arg_sort(),
        "records": lambda: frame.sort("key"),
        "largest": lambda: frame.top_k(most, by="key"),
    }[task]
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    work()
    print("%.9f" % (time.perf_counter() - start), flush=True)
