#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tails and slices, on the virtual clock: bursts, dips and drift have exact numbers here.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >course.yaml <<'EOF2'
blkgate: 1
name: course
defaults: {ioengine: sim, size: 1GiB, runtime: 4s, sessions: 1..2, runs: 5}
workloads:
  - name: dips
    rw: randread
    sim: "lat=100us, every=10000/150:lat=4ms"
    expect: [bw.dips >= 12, bw.dips <= 12, bw.drift >= -1%, bw.drift <= 1%, read.clat.p99 <= 4ms, bw.lowest_second >= 1 MB/s, stall.longest <= 4ms]
    gate: {bw.dips: +3, bw.drift: 5%}
  - {name: slows, rw: randread, sim: "lat=100us, slow=1.1@2s", expect: [bw.drift <= -5%, bw.dips <= 0]}
  - {name: burst, rw: randread, sim: "lat=100us, every=30000/400:lat=200us", expect: [read.clat.p99 <= 1ms]}
  - {name: synced, rw: write, fdatasync: 1, ioengine: sim, sim: "lat=100us, sync=300us", expect: [sync.lat.p95 <= 300us]}
EOF2
t "a course with its expectations" 5 "$P" run course.yaml --target "$T/scratch" --out base
ok "only the single burst is undecided" jq -e \
	'[.verdicts[] | select(.verdict == "inconclusive") | .text] | length == 1 and
	(.[0] | test("^read.clat.p99 needs the I/Os above it from 4 different slices of 100 ms a run, they come from 1: a runtime of about"))' base/result.json
ok "each slot has the longest latency of each kind" jq -e \
	'first(.runs[] | select(.slots.read)) | .slots.read | split(" ") | length == 40 and all(test("^[0-9]+:[0-9]+:[0-9]+:[0-9]+:[0-9]+$"))' base/result.json
ok "and the longest sync" jq -e '[.runs[] | select(.slots.sync) | .slots.sync | split(" ") | all(. == "300000")] | length == 5 and all' base/result.json
t "a result is judged again the same" 5 "$P" judge base/result.json
t "a result without the slots" 0 jq 'del(.runs[].slots)' base/result.json
cp "$T/out" bare.json
t "decides nothing about a percentile" 4 "$P" judge bare.json
has "$T/err" "read.clat.p99 has no value in run 1 of session 1"
t "slots of another form" 0 jq '(first(.runs[] | select(.slots.read)) | .slots.read) |= sub(":[0-9]+ "; " ")' base/result.json
cp "$T/out" other.json
t "are refused" 4 "$P" judge other.json
has "$T/err" "is not 'ios:bytes:lat:clat:slat'"

sed -e '/slows/d; /burst/d; /synced/d; /expect/d' course.yaml >gate.yaml
sed -i 's/name: course/name: gated/' gate.yaml
for i in 1 2; do
	t "measure $i" 5 "$P" run gate.yaml --target "$T/scratch" --baselines none --out "b$i"
done
mkdir bl
t "accept the first" 0 "$P" baseline accept b1/result.json --baselines bl
t "as many dips as before" 0 "$P" run gate.yaml --target "$T/scratch" --baselines bl --out same

for bad in '3/has no unit' '+3.5/has no unit' '+3%/' '+3ms/does not fit bw.dips, which is in count'; do
	sed "s/bw.dips: +3/bw.dips: ${bad%%/*}/" gate.yaml >bad.yaml
	if [ -z "${bad##*/}" ]; then
		t "a share of the dips" 0 "$P" lint bad.yaml
	else
		t "a tolerance of ${bad%%/*} dips" 2 "$P" lint bad.yaml
		has "$T/err" "${bad##*/}"
	fi
done
sed 's/bw.dips: +3/iops: +3/' gate.yaml >bad.yaml
t "a count of IOPS" 2 "$P" lint bad.yaml
has "$T/err" "tolerance '+3' does not fit read.iops, which is in IOPS"

# 0.1 % of slow I/Os become 0.2 %: p99 stands still. What the sim engine does is part of the identity of a
# workload, so the stored sessions are told that they did the same.
cat >tail.yaml <<'EOF2'
blkgate: 1
name: tail
defaults: {ioengine: sim, size: 1GiB, runtime: 40s, sessions: 1..3, runs: 5}
workloads:
  - {name: slow, rw: randread, sim: "lat=80us, jitter=5%, every=1000:lat=5ms", gate: {clat.tail: 20%, clat.p99: 20%}}
  - {name: cliff, rw: randread, sim: "lat=80us, jitter=5%, every=100:lat=5ms", gate: {clat.p99: 20%}}
EOF2
t "measure the tail" 5 "$P" run tail.yaml --target "$T/scratch" --baselines none --out tail1
t "accept it" 0 "$P" baseline accept tail1/result.json --baselines tbl
ok "the tails of gated latencies are kept" jq -e '.jobs | all(.tails | keys == ["read.clat"])' tbl/tail/default/*.json
t "the same again" 0 "$P" run tail.yaml --target "$T/scratch" --baselines tbl --out tail2
has "$T/err" "pass         gate read.clat.tail"
sed 's/every=1000:/every=500:/; s/every=100:/every=50:/' tail.yaml >more.yaml
sed -i 's/every=1000:/every=500:/; s/every=100:/every=50:/' tbl/tail/default/*.json
t "twice the slow I/Os" 1 "$P" run more.yaml --target "$T/scratch" --baselines tbl --out tail3
has "$T/err" "regression   gate read.clat.tail      +"
has "$T/err" "by:        share of I/Os slower than"
has "$T/err" "shift:     p50"
ok "p99 alone is blind to them" jq -e '[.verdicts[] | select(.workload == "slow" and .check == "gate read.clat.p99") | .verdict] == ["pass"]' tail3/result.json
ok "on the cliff the share is judged" jq -e '[.verdicts[] | select(.workload == "cliff" and .check != "measure") | .verdict, .judged_unit] == ["regression", "ratio"] and
	(.verdicts | any(.text | test("the percentile lies on a cliff between two modes, 8[0-9.]* us and [45][0-9.]* ms$")))' tail3/result.json
ok "and the shift is told" jq -e '[.verdicts[] | select(.check == "gate read.clat.tail") | .quantile_shift | (.p50 > 0.98 and .p50 < 1.02 and .["p99.9"] > 10)] == [true]' tail3/result.json
t "judged again the same" 1 "$P" judge tail3/result.json --baselines tbl
sed 's/clat.tail: 20%/clat.tail: +2ms/' tail.yaml >bad.yaml
t "a tail takes a share" 2 "$P" lint bad.yaml
has "$T/err" "read.clat.tail looks at quantiles and shares, it takes a share"
finish
