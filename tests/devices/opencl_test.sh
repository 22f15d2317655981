#!/bin/sh
# Random programs, and programs of arrays and of rows, on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "conformance" "conformance tree rows picks random"
