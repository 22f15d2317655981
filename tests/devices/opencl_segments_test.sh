#!/bin/sh
# Segments, consumers of one array in one pass, rows of many blocks, and scalar operations on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "segments siblings tops scalars"
