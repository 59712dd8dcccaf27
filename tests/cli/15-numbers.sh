#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers that say what happened: what the device saw, the depth that was reached, percentiles on
# demand. Nothing here depends on how fast the machine is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >sim.yaml <<'EOF2'
blkgate: 1
name: sim
defaults: {ioengine: sim, size: 1GiB, runtime: 1s, sim: "lat=100us", sessions: 1, runs: 2}
workloads:
  - name: steady
    rw: randread
    iodepth: 32
    percentile_list: [25, 99, 99.5]
    expect: [depth.reached >= 32, read.clat.p75 <= 1ms]
  - {name: starved, rw: write, iodepth: 32, fdatasync: 1, sim: "lat=100us, sync=900us"}
  - {name: paced, rw: randread, iodepth: 32, rate_iops: 1000}
  - {name: opened, rw: randread, rate: 4MiB/s}
EOF2
t "a run on the virtual clock" 0 "$P" run sim.yaml --target "$T/scratch" --out sim
has "$T/err" "depth reached 0.10 of 32"
has "$T/err" "note latency from the intended start"
has "$T/err" "p25 100 us, p99 100 us, p99.5 100 us"
ok "the gap stands in the result, of that workload alone" jq -e \
	'[.runs[] | select(.notes // "" | test("depth reached")) | .job] == [1, 1]' sim/result.json
ok "the depth is a value" jq -e \
	'[.runs[] | select(.job == 0) | .values["depth.reached"].value] == [32, 32]' sim/result.json
ok "an open loop has none" jq -e \
	'[.runs[] | select(.job == 3) | .values["depth.reached"]] == [null, null]' sim/result.json
ok "there is no device to see anything" jq -e \
	'all(.runs[]; .device_read == {none: true} and (.values | has("read.absorbed") | not))' sim/result.json
ok "percentiles: named by the list, by the check, and the usual ones" jq -e \
	'[.runs[] | select(.job == 0) | .values | keys[] | select(test("read.clat.p"))] | unique ==
	(["p25", "p50", "p75", "p90", "p95", "p99", "p99.5", "p99.9", "p99.99"] | map("read.clat." + .) | sort)' sim/result.json
ok "others have the usual ones" jq -e \
	'[.runs[] | select(.job == 2) | .values | keys[] | select(test("read.clat.p"))] | unique | length == 6' sim/result.json
ok "which were asked for is kept" jq -e '.jobs[0].percentile_list == "25:99:99.5"' sim/result.json
t "a result is judged again the same" 0 "$P" judge sim/result.json
has "$T/err" "depth reached 0.10 of 32"
t "a result of before these numbers" 0 jq 'del(.runs[].device_read, .runs[].device_written)
	| .runs[].depth_sum = 1 | .runs[].depth_n = 1' sim/result.json
cp "$T/out" old.json
t "an older result" 0 "$P" judge old.json
sed 's/99.5\]/99.7]/' sim.yaml >bad.yaml
t "a percentile that is not kept" 2 "$P" lint bad.yaml
has "$T/err" "bad.yaml:8:22: error: percentile_list: p99.7 is none of the percentiles kept"
has "$T/err" "the nearest are p99.5 and p99.9"

# page-cache-1: a file that was just written, read through the page cache.
cat >cache.yaml <<'EOF2'
blkgate: 1
name: cache
defaults: {size: 8MiB, bs: 64KiB, direct: false, sessions: 1, runs: 2, loops: 4}
workloads:
  - {name: cached, rw: read, invalidate: false, expect: [read.absorbed <= 1%]}
EOF2
t "the cache is not taken for the device" 1 "$P" run cache.yaml --target "$T/scratch" --out cache
if jq -e 'all(.runs[]; .device_read.bytes != null)' cache/result.json >"$T/out"; then
	has "$T/err" "absorbed 100 % of the reads (application 64 MiB, device 0 B)"
	has "$T/err" "read.absorbed 100 %, expected <= 1.0 %"
else
	skip "the reads of this process" "they are not counted here"
fi

# Where the device is not known, a check of it is no pass.
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && mkdir /dev/shm/blkgate-$$ 2>/dev/null; then
	cleanup rm -rf /dev/shm/blkgate-$$
	sed 's/rw: read.*/rw: write, end_fsync: false, expect: [write.absorbed <= 100%]}/' cache.yaml >memory.yaml
	t "an unknown device is an error" 4 "$P" run memory.yaml --target /dev/shm/blkgate-$$ --out memory
	has "$T/err" "write.absorbed has no value in run 1 of session 1: tmpfs has no single device"
	sed -i 's/, expect.*]//' memory.yaml
	t "unknown is said on demand" 0 "$P" run memory.yaml --target /dev/shm/blkgate-$$ --out memory --verbose
	has "$T/err" "absorbed unknown of the writes (tmpfs has no single device)"
	t "and not without" 0 "$P" run memory.yaml --target /dev/shm/blkgate-$$ --out memory
	hasnt "$T/err" "unknown of the writes"
else
	skip "a file system without a device" "no tmpfs at /dev/shm"
fi

# A device of its own: nobody else writes there.
if need "a device of its own" losetup && loop "$T/back" 64M; then
	id=diskseq:$(cat "/sys/block/${LOOP#/dev/}/diskseq")
	# The setting stays with the number of the loop device: the next one to use it gets it.
	stats=/sys/block/${LOOP#/dev/}/queue/iostats
	cleanup "echo 1 >'$stats'"
	echo 1 >"$stats" 2>/dev/null
	cat >loop.yaml <<-'EOF2'
		blkgate: 1
		name: loop
		defaults: {size: 8MiB, bs: 64KiB, sessions: 1, runs: 1, direct: false}
		workloads:
		  - {name: memory, rw: write, end_fsync: false, expect: [write.absorbed >= 90%]}
		  - {name: synced, rw: write, end_fsync: true, expect: [write.absorbed <= 1%]}
		  - {name: direct, rw: randwrite, direct: true, expect: [write.absorbed <= 1%]}
		  - {name: back, rw: randread, direct: true, expect: [read.absorbed <= 1%]}
	EOF2
	t "writes on a device of its own" 0 "$P" run loop.yaml --target "$id" --allow-write "$id" --out loop
	ok "to the byte" jq -e '[.runs | sort_by(.job)[1:3][] | .device_written.bytes] == [8388608, 8388608]' loop/result.json
	if echo 0 >"$stats" 2>"$T/err"; then
		t "a device that does not count" 4 "$P" run loop.yaml --target "$id" --allow-write "$id" --out mute --only memory
		has "$T/err" "the device does not count (its queue/iostats is 0)"
	fi
	ok "reads too" jq -e '[.runs[] | select(.job == 3) | .device_read.bytes] == [8388608]' loop/result.json
fi
finish
