"""The peers in Python: numpy and scipy on the arrays in a folder. The protocol is that of child.h.

    peers.py smvm|pagerank:STEPS FOLDER ROWS COLUMNS

Each run prints the seconds of the work alone (of one step, where there are several) and leaves its result in FOLDER/result."""
import sys
import time

try:
    import numpy as np
    from scipy.sparse import csr_matrix
except ImportError as e:
    print("missing %s: pip install numpy scipy, and --python" % e.name, flush=True)
    sys.exit(0)

DAMPING = 0.85
TOLERANCE = 1e-10


def read(name, kind):
    return np.fromfile("%s/%s" % (folder, name), dtype=kind)


def matrix():
    offsets, index = read("offsets", np.int64), read("index", np.int32)
    if offsets[-1] < 2**31:
        offsets = offsets.astype(np.int32)
    return offsets, index


def smvm():
    offsets, index = matrix()
    m = csr_matrix((read("values", np.float64), index, offsets), shape=(rows, columns))
    x = read("x", np.float64)
    return lambda: (m @ x, 1)


def pagerank():
    """Row v of the matrix holds the pages that link to v. Dangling mass is spread evenly."""
    offsets, index = matrix()
    m = csr_matrix((np.ones(len(index)), index, offsets), shape=(rows, rows))
    degree = np.bincount(index, minlength=rows).astype(np.float64)
    dangling = degree == 0
    share = np.where(dangling, 0, 1 / np.maximum(degree, 1))

    def run():
        rank, steps, change = np.full(rows, 1 / rows), 0, 1.0
        while change > TOLERANCE and steps < most:
            base = (1 - DAMPING + DAMPING * rank[dangling].sum()) / rows
            new = base + DAMPING * (m @ (rank * share))
            change = np.abs(new - rank).sum()
            rank, steps = new, steps + 1
        return rank, steps

    return run


task, _, most = sys.argv[1].partition(":")
folder, rows, columns, most = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(most or 1)
if task == "check":
    print("ready", flush=True)
    sys.exit(0)
work = {"smvm": smvm, "pagerank": pagerank}[task]()
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    result, steps = work()
    seconds = time.perf_counter() - start
    result.tofile(folder + "/result")
    print("%.9f" % (seconds / steps), flush=True)
