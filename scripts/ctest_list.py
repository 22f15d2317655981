"""The tests of a build, as ctest lists them; for scripts that run them without it."""

import collections
import json
import subprocess

Test = collections.namedtuple("Test", "command folder environment skipped")  # skipped: the status that says so


def tests_of(build, never):
    """{name: Test} of a build folder, without those whose names begin with one of `never`."""
    out = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    found = {}
    for test in json.loads(out.stdout)["tests"]:
        if test["name"].startswith(never) or "command" not in test:
            continue
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        found[test["name"]] = Test(test["command"], properties.get("WORKING_DIRECTORY", build), environment,
                                   properties.get("SKIP_RETURN_CODE", 77))
    return found
