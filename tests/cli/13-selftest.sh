#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# selftest: a suite that can judge passes, one that cannot says so; nothing is stored.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite "$T/s.yaml" 'lat=100us,sd=1%' 'gate: {iops: 10%, stall.longest: {tolerance: +50ms, role: watch}}'
t "a good suite" 0 "$P" selftest "$T/s.yaml" --target "$T/scratch" --seed 1
has "$T/out" "dut one gate read.iops: unchanged green in 1 of 1; slow=19%, twice its tolerance: red in 1 of 1"
has "$T/out" "so many trials show: red in 5 % or more of such losses, red in 95 % or less of unchanged code (95 %)"
has "$T/out" "unchanged: 0 of 1 red, 0 undecided"
has "$T/out" "slowed by twice the tolerance of each gate: 1 of 1 red, 0 not; 0 gates not tested"
hasnt "$T/out" "stall.longest"
has "$T/err" "selftest PASSED"
ok "nothing is stored" test -z "$(ls)"

# Each gate by its own tolerance: as many trials as a workload has, side by side with those of others.
{
	printf 'blkgate: 1\nname: own\n'
	printf 'defaults: {ioengine: sim, size: 64MiB, runtime: 5s, sim: "lat=100us,sd=0.5%%"}\n'
	printf 'workloads:\n'
	printf '  - {name: one, rw: randread, gate: {read.iops: 5%%, read.clat.p99: 50%%, stall.longest: +50ms}}\n'
	printf '  - {name: two, rw: randread, iodepth: 4, gate: {iops: 20%%}}\n'
} >"$T/own.yaml"
t "each by its own tolerance" 0 "$P" selftest "$T/own.yaml" --target "$T/scratch" --seed 1 --trials 2
has "$T/out" "one gate read.iops: unchanged green in 2 of 2; slow=9.75%, twice its tolerance: red in 2 of 2"
has "$T/out" "one gate read.clat.p99: unchanged green in 2 of 2; delay=12"
has "$T/out" "one gate stall.longest: unchanged green in 2 of 2; delay=100 ms, twice its tolerance: red in 2 of 2"
has "$T/out" "two gate read.iops: unchanged green in 2 of 2; slow=36%, twice its tolerance: red in 2 of 2"
has "$T/out" "red in 69 % or more of such losses, red in 31 % or less of unchanged code (95 %)"
has "$T/err" "slowed, 6 of 6"
has "$T/err" "selftest PASSED  4 gates"

# What cannot be shown is not shown: never status 0.
sim_suite "$T/part.yaml" 'lat=100us,sd=1%' 'iodepth: 8' 'gate: {iops: 10%, read.clat.p99: 50%, bw.dips: +20}'
t "a gate that cannot be tested" 3 "$P" selftest "$T/part.yaml" --target "$T/scratch" --seed 1 --quiet
has "$T/out" "read.clat.p99: unchanged green in 1 of 1; not tested: several I/Os are in flight"
has "$T/out" "1 of 1 red, 0 not; 2 gates not tested"
has "$T/err" "or was not tested"

# A tight gate beside a wide one: the wide one's loss does not speak for it.
sim_suite "$T/hidden.yaml" 'lat=100us,sd=6%' 'runtime: 5s' 'gate: {read.iops: 1.5%, read.clat.p99: 90%}'
t "a tight gate is not hidden behind a wide one" 3 "$P" selftest "$T/hidden.yaml" --target "$T/scratch" --seed 2 --quiet
has "$T/out" "slow=2.977%, twice its tolerance: red in 0 of 1, undecided in 1"
has "$T/out" "read.clat.p99: unchanged green in 1 of 1; delay="
has "$T/out" "1 of 2 red"

# Slowed so much, it has too few samples for its percentile: that shows nothing.
sim_suite "$T/few.yaml" 'lat=100us,sd=1%' 'gate: {read.clat.p99: 90%}'
t "too few samples when slowed" 3 "$P" selftest "$T/few.yaml" --target "$T/scratch" --seed 1 --quiet
has "$T/out" "not tested in 1: slowed, it could not be judged: read.clat.p99 needs 10 000 samples"
t "no trial" 2 "$P" selftest "$T/few.yaml" --target "$T/scratch" --trials 0

sim_suite "$T/loud.yaml" 'lat=100us,sd=30%' 'gate: {iops: 5%}'
t "a suite that cannot decide" 3 "$P" selftest "$T/loud.yaml" --target "$T/scratch" --seed 1 --quiet
has "$T/out" "undecided on unchanged code in 1; see blkgate calibrate"
has "$T/err" "selftest FAILED"

sim_suite "$T/none.yaml" 'lat=100us' 'expect: [read.iops >= 1 IOPS]'
t "no gate" 2 "$P" selftest "$T/none.yaml" --target "$T/scratch" --quiet
has "$T/err" "there is nothing to test"
sim_suite "$T/bad.yaml" 'lat=100us,error=EIO@5' 'gate: {iops: 5%}'
t "a workload that fails" 4 "$P" selftest "$T/bad.yaml" --target "$T/scratch" --quiet
has "$T/out" "could not be measured"
t "no target" 2 "$P" selftest "$T/s.yaml"
t "no suite" 2 "$P" selftest --target "$T/scratch"
finish
