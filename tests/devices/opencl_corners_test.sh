#!/bin/sh
# Programs at the edges of shapes and types on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "corners extremes guards"
