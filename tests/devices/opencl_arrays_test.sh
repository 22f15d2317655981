#!/bin/sh
# Programs of arrays on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "scans" "scans arrays complex lanes"
