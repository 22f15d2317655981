#!/bin/sh
# Scalar operations, those that might fault, permutes whose targets data decides, and rows of many blocks on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "scalars perils targets tops"
