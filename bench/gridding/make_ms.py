"""Writes a Measurement Set for the gridding benchmarks, with casacore's own tables. The protocol is that of bench/streams/child.h,
without runs: "ready" comes when the set is whole.

    make_ms.py FOLDER ROWS CHANNELS ANTENNAS HZ STEP

FOLDER/rows holds u, v, w of every row in metres, first antenna minus second, in double precision, then the visibilities of its
channels in single precision, V = I exp(+2 pi i (...)). All pairs of antennas follow one another at each time. FOLDER/set.ms gets two
products, XX and YY, which are the same, and weights of 1."""
import sys

try:
    import casacore.tables as ct
    import numpy as np
except ImportError as e:
    print("missing %s: apt install python3-casacore" % e.name.split(".")[0], flush=True)
    sys.exit(0)

MJD_S, STEP_S, RA, DEC, POLS = 57213.2381944 * 86400, 10.0, 1.0, 0.7, 2
XX, YY, J2000 = 9, 12, 0


def main_table(path, channels):
    """Arrays of one shape each, in tiles, as correlators write them."""
    required, columns, managers = ct.required_ms_desc(), ct.maketabdesc(ct.makearrcoldesc("DATA", 0j, valuetype="complex")), {}
    for name, shape in (("DATA", [channels, POLS]), ("FLAG", [channels, POLS]), ("UVW", [3])):
        columns[name] = {**columns.get(name, required[name] if name in required else {}), "ndim": len(shape), "shape": shape, "option": 5}
        managers[name] = {"TYPE": "TiledColumnStMan", "NAME": "Tiled" + name, "COLUMNS": [name], "SEQNR": len(managers),
                          "SPEC": {"DEFAULTTILESHAPE": shape[::-1] + [max(1, 65536 // int(np.prod(shape)))]}}
    return ct.default_ms(path, columns, managers)


def fill(path, name, **values):
    with ct.table("%s/%s" % (path, name), readonly=False, ack=False) as t:
        t.addrows(len(next(iter(values.values()))))
        for column, cells in values.items():
            for row, cell in enumerate(cells):
                t.putcell(column, row, cell)


def fill_subtables(path, channels, antennas, hz, step):
    frequency, width = hz + step * np.arange(channels), np.full(channels, step or 1e6)
    place, direction = np.arange(antennas) * 100.0, np.array([[RA, DEC]])
    fill(path, "SPECTRAL_WINDOW", NUM_CHAN=[channels], NAME=["band"], REF_FREQUENCY=[hz], CHAN_FREQ=[frequency],
         CHAN_WIDTH=[width], EFFECTIVE_BW=[width], RESOLUTION=[width], TOTAL_BANDWIDTH=[width.sum()], MEAS_FREQ_REF=[5])
    fill(path, "POLARIZATION", NUM_CORR=[POLS], CORR_TYPE=[np.array([XX, YY], np.int32)],
         CORR_PRODUCT=[np.array([[0, 0], [1, 1]], np.int32)])
    fill(path, "DATA_DESCRIPTION", SPECTRAL_WINDOW_ID=[0], POLARIZATION_ID=[0])
    fill(path, "FIELD", NAME=["field"], NUM_POLY=[0], DELAY_DIR=[direction], PHASE_DIR=[direction],
         REFERENCE_DIR=[direction], SOURCE_ID=[-1])
    fill(path, "OBSERVATION", TELESCOPE_NAME=["VLA"], OBSERVER=["wadi"], TIME_RANGE=[np.array([MJD_S, MJD_S])])
    fill(path, "ANTENNA", NAME=["A%d" % a for a in range(antennas)], STATION=["S"] * antennas, TYPE=["GROUND-BASED"] * antennas,
         MOUNT=["ALT-AZ"] * antennas, DISH_DIAMETER=[25.0] * antennas,
         POSITION=[np.array([-1601185.4 + x, -5041977.5, 3554875.9]) for x in place])


def fill_rows(t, rows, channels, antennas, uvw, vis):
    first, second = np.triu_indices(antennas, 1)
    order = np.arange(rows)
    time = MJD_S + STEP_S * (order // len(first))
    pair = order % len(first)
    t.addrows(rows)
    t.putcol("UVW", uvw)
    t.putcol("DATA", np.repeat(vis.reshape(rows, channels, 1), POLS, axis=2))
    t.putcol("FLAG", np.zeros((rows, channels, POLS), bool))
    for name in ("WEIGHT", "SIGMA"):
        t.putcol(name, np.ones((rows, POLS), np.float32))
    for name, values in (("ANTENNA1", first[pair]), ("ANTENNA2", second[pair])):
        t.putcol(name, values.astype(np.int32))
    for name in ("TIME", "TIME_CENTROID"):
        t.putcol(name, time)
    for name in ("EXPOSURE", "INTERVAL"):
        t.putcol(name, np.full(rows, STEP_S))


def make(folder, rows, channels, antennas, hz, step):
    path = folder + "/set.ms"
    with open(folder + "/rows", "rb") as f:
        uvw = np.fromfile(f, np.float64, 3 * rows).reshape(rows, 3)
        vis = np.fromfile(f, np.complex64, channels * rows)
    t = main_table(path, channels)
    fill_rows(t, rows, channels, antennas, uvw, vis)
    t.close()
    fill_subtables(path, channels, antennas, hz, step)


make(sys.argv[1], *map(int, sys.argv[2:5]), *map(float, sys.argv[5:]))
print("ready", flush=True)
sys.stdin.read()
