#!/bin/sh
# Segments, consumers of one array in one pass, rows of many blocks, scalar operations, and transforms in the language itself on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "segments siblings tops scalars fft"
