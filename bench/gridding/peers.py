"""ducc0's wgridder on the visibilities in a folder. The protocol is that of bench/streams/child.h.

    peers.py FOLDER SIZE SCALE EPSILON THREADS

FOLDER/visibilities holds u, v, w and the complex visibilities, in double precision. Each run prints the seconds of the call alone and
leaves the image in FOLDER/result, transposed and signed as wadi's methods have it."""
import sys
import time

try:
    import ducc0
    import numpy as np
except ImportError as e:
    print("missing %s: pip install ducc0, and --python" % e.name, flush=True)
    sys.exit(0)

folder, size, scale, epsilon, threads = sys.argv[1], *map(float, sys.argv[2:])
columns = np.fromfile(folder + "/visibilities", dtype=np.float64)
n = len(columns) // 5
uvw = np.ascontiguousarray(columns[: 3 * n].reshape(3, n).T)
vis = columns[3 * n :].view(np.complex128).reshape(n, 1)
if epsilon > 2e-5:
    vis = vis.astype(np.complex64)
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    image = ducc0.wgridder.vis2dirty(
        uvw=uvw, freq=np.array([299792458.0]), vis=vis, npix_x=int(size), npix_y=int(size), pixsize_x=scale,
        pixsize_y=scale, epsilon=epsilon, do_wgridding=True, nthreads=int(threads), divide_by_n=False, flip_w=True)
    seconds = time.perf_counter() - start
    image.T.astype(np.float64).tofile(folder + "/result")
    print("%.9f" % seconds, flush=True)
