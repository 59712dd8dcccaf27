#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is proposed works when it is done, and is not proposed when it would be refused; what a user asked
# for is not dropped in silence.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite "$T/s.yaml" 'lat=100us' 'gate: {iops: 10%}'
t "no baseline" 5 "$P" run "$T/s.yaml" --target "$T/scratch" --out o --baselines "$T/my base"
has "$T/err" "blkgate baseline accept o/result.json --baselines '$T/my base'"
t "as it was proposed" 0 "$P" baseline accept o/result.json --baselines "$T/my base"
t "judged with it" 0 "$P" run "$T/s.yaml" --target "$T/scratch" --out o --baselines "$T/my base"
has "$T/err" "levels: red at 0.1 % a gate, 1 gate: at most 0.1 % of unchanged suites"
ok "the bound is in JUnit" grep -q 'name="blkgate.family_bound" value="red at 0.1 % a gate, 1 gate: at most 0.1 % of unchanged suites"' o/junit.xml

sim_suite "$T/e.yaml" 'lat=100us' 'gate: {iops: 10%}'
cat >>"$T/e.yaml" <<'EOS'
  - {name: broken, rw: randread, sim: 'lat=1ms,error=EIO@5'}
EOS
t "an error beside no baseline" 4 "$P" run "$T/e.yaml" --target "$T/scratch" --out e --baselines "$T/none"
hasnt "$T/err" "if wanted:"

mkdir -p h
t "an injected result and its history" 1 "$P" run "$T/s.yaml" --target "$T/scratch" --out i --baselines "$T/my base" \
	--inject slow=50% --history h
has "$T/err" "this result is not kept in 'h': it is injected"
ok "nothing is kept" test -z "$(ls h)"

sed 's/gate: {iops: 10%}/iodepth_batch_submit: 4/' "$T/s.yaml" >"$T/warn.yaml"
t "a warning" 0 "$P" run "$T/warn.yaml" --target "$T/scratch" --out w
has "$T/err" "warning:"
t "only the last line" 0 "$P" run "$T/warn.yaml" --target "$T/scratch" --out w --quiet
ok "is one line" test "$(grep -c . "$T/err")" -eq 1

cat >"$T/cpus.yaml" <<'EOS'
blkgate: 1
name: cpus
waive: {no-checks: placement only}
workloads:
  - {name: far, ioengine: psync, rw: randread, size: 1MiB, runtime: 1s, runs: 1, direct: false, cpus_allowed: '4000'}
EOS
t "a processor that is not there" 4 "$P" run "$T/cpus.yaml" --target "$T/scratch" --dry-run
has "$T/err" "processor 4000 is not there; this machine has"

mkdir -p a b
t "two folders of one disk" 0 "$P" run "$T/warn.yaml" --target x=a --target y=b --out two
has "$T/err" "targets 'x' and 'y' are on one device"
finish
