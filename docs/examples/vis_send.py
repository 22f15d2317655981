#!/usr/bin/env python3
"""A sender of visibilities without wadi, written from docs/WIRE.md: a point source seen by a few antennas.

    wadi-grid -o image.fits --listen tcp://127.0.0.1:5555 &
    vis_send.py tcp://127.0.0.1:5555

Needs pyzmq and nothing else.
"""
import cmath
import math
import random
import struct
import sys

import zmq

HELLO, READY, CHUNK, DONE, FAIL, END, NOTE = 16, 1, 2, 3, 4, 5, 6
I32, F32, F64, C128 = 3, 9, 10, 12
LIGHT = 299792458.0

FREQUENCIES = [1.40e9, 1.41e9]
STOKES = [1]
SOURCE = (0.002, -0.001, 3.0)  # l, m, Jy


def crc32c(data, table=[]):
    if not table:
        for n in range(256):
            for _ in range(8):
                n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
            table.append(n)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


VERSION = 2  # the highest that is spoken here


def control(kind, number=0, sequence=0, size=0, version=1):
    return struct.pack("<4sBBBBqqq", b"WLNK", version, kind, 0, 0, number, sequence, size)


def note(rows):
    name, telescope = b"made up", b"in Python"
    head = struct.pack("<4sHHqIIddddHHI", b"WVIS", 1, 0, rows, len(FREQUENCIES), len(STOKES), 1e7,
                       math.radians(83.6), math.radians(22.0), 2000.0, len(name), len(telescope), 0)
    tables = struct.pack("<%dd%di" % (len(FREQUENCIES), len(STOKES)), *FREQUENCIES, *STOKES)
    return head + tables + name + telescope


def chunk(stream, number, first, count, columns):
    """columns: (type, extents, bytes) of each component, all regular."""
    head = struct.pack("<4sHHQ32sqqqI", b"WADI", 1, 0, stream, bytes(32), number, first, count, len(columns))
    for kind, extents, data in columns:
        head += struct.pack("<BBBBB%dq" % len(extents), 1, len(extents), 1, 0, kind, *extents)
        head += struct.pack("<QI", len(data), crc32c(data))
    return [head + struct.pack("<I", crc32c(head))] + [data for _, _, data in columns]


def observe(row):
    """Baseline and visibilities of one row."""
    angle = 0.01 * row
    u, v, w = 150 * math.cos(angle) * (row % 7 + 1), 140 * math.sin(angle) * (row % 5 + 1), 10.0 * (row % 3)
    l, m, flux = SOURCE
    n = math.sqrt(1 - l * l - m * m)
    return (u, v, w), [flux * cmath.exp(-2j * math.pi * f / LIGHT * (u * l + v * m + w * (n - 1))) for f in FREQUENCIES]


def rows_as_columns(first, count):
    uvw, vis = [], []
    for row in range(first, first + count):
        place, values = observe(row)
        uvw += place
        for value in values:
            vis += [value.real, value.imag]
    cells = [len(FREQUENCIES), len(STOKES)]
    return [(F64, [3], struct.pack("<%dd" % len(uvw), *uvw)),
            (I32, [2], struct.pack("<%di" % (2 * count), *[i % 2 for i in range(2 * count)])),
            (F64, [], struct.pack("<%dd" % count, *[60000 + row / 86400 for row in range(first, first + count)])),
            (C128, cells, struct.pack("<%dd" % len(vis), *vis)),
            (F32, cells, struct.pack("<%df" % (len(vis) // 2), *[1.0] * (len(vis) // 2)))]


class Sender:
    def __init__(self, address):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.connect(address)
        self.stream = random.getrandbits(63)
        self.granted_chunks = self.granted_bytes = self.sent_chunks = self.sent_bytes = self.done = 0
        self.version = 1  # until the receiver has said that it speaks more
        self.socket.send(control(HELLO, VERSION))

    def hear(self):
        frames = self.socket.recv_multipart()
        _, _, kind, _, _, number, sequence, size = struct.unpack("<4sBBBBqqq", frames[0])
        if kind == FAIL:
            sys.exit("the receiver says: " + frames[1].decode())
        if kind == HELLO:
            self.version = max(1, min(number, VERSION))
            return
        self.done += kind == DONE
        self.granted_chunks = max(self.granted_chunks, number if kind == READY else sequence)
        self.granted_bytes = max(self.granted_bytes, size)

    def introduce(self, text):
        while self.granted_chunks == 0:
            self.hear()
        self.socket.send_multipart([control(NOTE, self.stream, crc32c(text), len(text), self.version), text])

    def send(self, first, count):
        frames = chunk(self.stream, self.sent_chunks, first, count, rows_as_columns(first, count))
        size = sum(len(frame) for frame in frames[1:])
        while self.done < self.sent_chunks and (self.sent_chunks >= self.granted_chunks or
                                                self.sent_bytes + size > self.granted_bytes):
            self.hear()
        self.socket.send_multipart([control(CHUNK, self.sent_chunks, self.sent_chunks, size, self.version)] + frames)
        self.sent_chunks += 1
        self.sent_bytes += size

    def end(self):
        while self.done < self.sent_chunks:
            self.hear()
        self.socket.send(control(END, self.sent_chunks, self.stream, version=self.version))
        self.socket.close(linger=5000)


def main():
    rows, step = 2000, 128
    sender = Sender(sys.argv[1])
    sender.introduce(note(rows))
    for first in range(0, rows, step):
        sender.send(first, min(step, rows - first))
    sender.end()


if __name__ == "__main__":
    main()
