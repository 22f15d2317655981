#!/bin/sh
# Programs of streams on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "picks" "sequences states nested"
