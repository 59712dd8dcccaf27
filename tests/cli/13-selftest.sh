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
has "$T/out" "so many trials show: red in 22 % or more of such losses, red in 78 % or less of unchanged code (95 %)"
# Four gates of two trials are two trials.
has "$T/out" "2 quiet trials without a red: fewer than 78 % of quiet runs would be red (95 %)"
has "$T/out" "each counted as one of its own: so the gates will be after 5 boots or days"
has "$T/out" "today: no session is accepted yet"
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

# An untouched canary is never slowed: what it adjusts, and what it could void, is tested.
cat >"$T/canary.yaml" <<'EOF'
blkgate: 1
name: canary
defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "lat=100us,sd=0.3%"}
workloads:
  - {name: memory, canary: {untouched: true}, gate: {read.iops: 10%}}
  - {name: adjusted, adjust_by: memory, gate: {read.iops: 10%}}
  - {name: plain, gate: {read.iops: 30%}}
EOF
t "a canary that no change reaches" 3 "$P" selftest "$T/canary.yaml" --target "$T/scratch" --seed 1
has "$T/out" "dut memory gate read.iops: unchanged green in 1 of 1; not tested: the suite declares this canary untouched by any change"
has "$T/out" "2 of 2 red, 0 not; 1 gate not tested"
has "$T/err" "selftest FAILED  3 gates, 1 not shown  status 3"
ok "it was not slowed" test -z "$(grep 'memory run' "$T/err" | grep -vE ' (9.[89][0-9]|10.[01]) k IOPS')"

# A change of an absolute tolerance is no per cent.
sim_suite "$T/absolute.yaml" 'lat=100us,sd=30%' 'gate: {clat.p50: +1us}'
for seed in 1 2 3 4; do
	"$P" selftest "$T/absolute.yaml" --target "$T/scratch" --seed "$seed" --quiet 2>/dev/null
done >"$T/out"
ok "some are green when slowed, or not decided" grep -qE '(undecided|GREEN) in 1' "$T/out"
ok "none in per cent" test -z "$(grep -E 'GREEN in .*\([-+][0-9.]+ %\)' "$T/out")"

# With sessions accepted: what today's verdict would be, with blocks as they are.
t "a first session" 5 "$P" run "$T/s.yaml" --target "$T/scratch" --out o
t "accepted" 0 "$P" baseline accept o/result.json
t "with a thin baseline" 0 "$P" selftest "$T/s.yaml" --target "$T/scratch" --seed 1 --quiet
has "$T/out" "today: with the stored baseline this unchanged measurement leaves 0 of 1 gate undecided, 1 provisional (fewer than 5 boots or days) and 0 without a baseline"
echo '{' >"$(ls baselines/simulated/default/*.json)"
t "with a damaged one" 4 "$P" selftest "$T/s.yaml" --target "$T/scratch" --seed 1 --quiet
rm -r baselines o

# Real time, so that the signal comes before its end.
cat >"$T/long.yaml" <<'EOF'
blkgate: 1
name: long
defaults: {ioengine: psync, size: 1MiB, runtime: 30s, rw: read, direct: false}
workloads:
  - {name: one, gate: {iops: 10%}}
EOF
t "interrupted" 130 timeout --preserve-status -s INT 2 "$P" selftest "$T/long.yaml" --target "$T/scratch" --quiet
has "$T/err" "selftest INTERRUPTED  0 gates, 0 not shown  status 130: interrupted"

sim_suite "$T/none.yaml" 'lat=100us' 'expect: [read.iops >= 1 IOPS]'
t "no gate" 2 "$P" selftest "$T/none.yaml" --target "$T/scratch" --quiet
has "$T/err" "there is nothing to test"
sim_suite "$T/bad.yaml" 'lat=100us,error=EIO@5' 'gate: {iops: 5%}'
t "a workload that fails" 4 "$P" selftest "$T/bad.yaml" --target "$T/scratch" --quiet
has "$T/out" "could not be measured"
t "no target" 2 "$P" selftest "$T/s.yaml"
t "no suite" 2 "$P" selftest --target "$T/scratch"
finish
