#!/usr/bin/env bash
# Runs .bats files where NVIDIA's wheels can be had. Else they are skipped, with the reason.
set -eu
# shellcheck source=tests/toolkit/wheels.sh
. "$(dirname "$0")/wheels.sh"
TOOLKIT_WHEELS=$wheels exec bats --tap "$@"
