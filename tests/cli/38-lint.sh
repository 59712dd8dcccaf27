#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lint as a user meets it: numbers, levels, waivers, and the rule that asks a baseline.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

rules=$ROOT/tests/fixtures/suites/rules
for bad in "$rules"/BG*-bad.yaml; do
	number=$(basename "$bad" -bad.yaml)
	grep -q '^#! ' "$bad" && continue
	level=$("$P" lint --rules | sed -n "s/^$number *\([a-z]*\) .*/\1/p")
	"$P" lint --strict --verbose "$bad" >"$T/out" 2>"$T/err"
	status=$?
	has "$T/err" "[$number "
	# a note may be worse in some cases, and then it is a warning
	case $level in
	error) ok "$number is an error" test $status -eq 2 ;;
	warn) ok "$number is strict" test $status -eq 2 ;;
	esac
done
t "a note is not strict" 0 "$P" lint --strict "$rules/BG038-bad.yaml"
t "a warning without --strict" 0 "$P" lint "$rules/BG041-bad.yaml"
has "$T/err" "of read.clat.p99 less is better, so that a worse device meets it more easily [BG041 limit-wrong-way]"
sed 's/rw: read,/rw: read, waive: {BG041: a limiter is tested},/' "$rules/BG041-bad.yaml" >waived.yaml
t "waived by number" 0 "$P" lint --strict waived.yaml
t "which is never silence" 0 "$P" lint --strict --verbose waived.yaml
has "$T/err" "(waived: a limiter is tested) [BG041 limit-wrong-way]"

# Sessions 4 % apart do not see 2 %; 40 % they do.
cat >noisy.yaml <<'EOS'
blkgate: 1
name: noisy
defaults: {ioengine: sim, size: 1MiB, runtime: 1s, rw: randread, sim: 'lat=100us,sd=0.1%'}
workloads:
  - {name: tight, gate: {read.iops: 2%}}
  - {name: wide, gate: {read.iops: 40%}}
EOS
for lat in 100 104 97 103 96 101; do
	sed "s/lat=100us/lat=${lat}us/" noisy.yaml >run.yaml
	"$P" run run.yaml --target "$T/scratch" --sessions 1 --out "s$lat" >/dev/null 2>&1 </dev/null
	# one job text for all, as the noise of a real device would have
	sed -i "s/lat%3D${lat}us/lat%3D100us/g; s/lat=${lat}us/lat=100us/g" "s$lat/result.json"
	t "accept a session" 0 "$P" baseline accept "s$lat/result.json"
done
t "the plan tells" 0 "$P" plan noisy.yaml --target "$T/scratch"
has "$T/err" "noisy.yaml:5: warning: dut tight gate read.iops: a tolerance of 2 % cannot be seen here"
has "$T/err" "[BG046 tolerance-below-sight]"
hasnt "$T/err" "dut wide"
sed 's/name: tight,/name: tight, waive: {tolerance-below-sight: more sessions are coming},/' noisy.yaml >waived.yaml
t "unless it is waived" 0 "$P" plan waived.yaml --target "$T/scratch"
hasnt "$T/err" "cannot be seen"
t "and without a target the waiver is no leftover" 0 "$P" lint --strict waived.yaml
t "with no baseline nothing is said" 0 "$P" plan noisy.yaml --target "$T/scratch" --baselines none
hasnt "$T/err" "cannot be seen"
finish
