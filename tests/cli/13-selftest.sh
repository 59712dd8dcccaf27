#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# selftest: a suite that can judge passes, one that cannot says so; nothing is stored.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite "$T/s.yaml" 'lat=100us,sd=1%' 'gate: {iops: 10%, stall.longest: {tolerance: +50ms, role: watch}}'
t "a good suite" 0 "$P" selftest "$T/s.yaml" --target "$T/scratch" --seed 1
has "$T/out" "slowed by 20 %, twice the largest tolerance: 0 gates did not go red"
has "$T/out" "unchanged: 0 of 1 gates red, 0 undecided"
has "$T/out" "fewer than 95 % of such gates"
has "$T/err" "selftest PASSED"
ok "nothing is stored" test -z "$(ls)"

sim_suite "$T/loud.yaml" 'lat=100us,sd=30%' 'gate: {iops: 5%}'
t "a suite that cannot decide" 3 "$P" selftest "$T/loud.yaml" --target "$T/scratch" --seed 1 --quiet
has "$T/out" "undecided on unchanged code; see blkgate calibrate"
has "$T/err" "selftest FAILED"

sim_suite "$T/none.yaml" 'lat=100us' 'expect: [read.iops >= 1 IOPS]'
t "no gate" 2 "$P" selftest "$T/none.yaml" --target "$T/scratch" --quiet
sim_suite "$T/bad.yaml" 'lat=100us,error=EIO@5' 'gate: {iops: 5%}'
has "$T/err" "there is nothing to test"
t "a workload that fails" 4 "$P" selftest "$T/bad.yaml" --target "$T/scratch" --quiet
has "$T/out" "could not be measured"
t "no target" 2 "$P" selftest "$T/s.yaml"
t "no suite" 2 "$P" selftest --target "$T/scratch"
finish
