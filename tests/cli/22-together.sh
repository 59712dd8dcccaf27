#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Words that came one by one, in one workload or in one group: several files, trim, verify, rates,
# the latency log, totals.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/a" "$T/b"
two=(--target one="$T/a" --target two="$T/b")

cat >sized.yaml <<'EOF'
blkgate: 1
name: sized
defaults: {direct: auto, runs: 2, sessions: 1, bs: 64KiB}
waive: {no-checks: what a run did is looked at}
workloads:
  - {name: files, rw: write, size: 768KiB, nrfiles: 3, fsync: 4, end_fsync: true, rate_iops: 2000}
  - {name: verified, rw: randwrite, size: 1MiB, verify: crc32c, rate: 100 MB/s, fdatasync: 8}
  - {name: deep, rw: randwrite, size: 1MiB, verify: crc32c, loops: 2, numjobs: 2, files: per_job}
EOF
t "files, syncs, rates and verification" 0 "$P" run sized.yaml --target "$T/a" --out sized --latency-log logs
ok "each block once, each sync of each file" jq -e \
	'[.runs[] | select(.job == 0) | [.write.ios, .sync_lat.n]] == [[12, 12], [12, 12]]' sized/result.json
ok "all of it is in the log" test "$(tail -qn +2 logs/sized.dut.files.s1.r*.csv | cut -d, -f3 | sort | uniq -c | xargs)" = "24 sync 24 write"
ok "what was paced is verified" jq -e '[.runs[] | select(.job == 1) | .verified] == [1048576, 1048576]' sized/result.json
ok "so are two jobs and two passes" jq -e '[.runs[] | select(.job == 2) | .verified] == [2097152, 2097152]' sized/result.json
ok "a read behind the window is not in the log" test "$(wc -l <logs/sized.dut.deep.s1.r1.csv)" -eq 65

cat >refused.yaml <<'EOF'
blkgate: 1
name: refused
defaults: {direct: auto, runs: 1, sessions: 1, bs: 64KiB, size: 1MiB, rw: write, verify: crc32c, runtime: 1s}
waive: {no-checks: x}
workloads:
  - {name: files, nrfiles: 2}
  - {name: company, stonewall: false}
EOF
t "what verify cannot be had with" 2 "$P" lint refused.yaml
has "$T/err" "refused.yaml:6:"
has "$T/err" "verify reads one file back"
has "$T/err" "verify reads back what nothing else may write meanwhile"

cat >trims.yaml <<'EOF'
blkgate: 1
name: trims
defaults: {direct: auto, runs: 2, sessions: 1, bs: 64KiB}
waive: {no-checks: x, trim-again: x, short-runtime: x}
workloads:
  - {name: files, rw: trim, size: 512KiB, nrfiles: 2, numjobs: 2, files: per_job}
  - {name: group, rw: randtrim, size: 1MiB, runtime: 50ms}
  - {name: writer, rw: randwrite, size: 1MiB, offset: 1MiB, end_fsync: true, runtime: 50ms, stonewall: false}
EOF
if fallocate -l 64k hole && fallocate -p -o 0 -l 64k hole; then
	t "trims of several files and beside a writer" 0 "$P" run trims.yaml --target "$T/a" --out trims --latency-log logs
	ok "each block of each file" jq -e '[.runs[] | select(.job == 0) | .trim.ios] == [16, 16]' trims/result.json
	ok "a trim is in the log" test "$(grep -c ,trim, logs/trims.dut.files.s1.r2.csv)" -eq 16
	ok "each of a group has its own log" test -s logs/trims.dut.group.s1.r1.csv -a -s logs/trims.dut.writer.s1.r1.csv
	ok "what the file system wrote for a trim is nobody's write" jq -e \
		'[.runs[] | select(.job == 2) | .device_written | .bytes] | all(. == null)' trims/result.json
else
	skip "trims of several files" "no holes can be punched here"
fi

cat >total.yaml <<'EOF'
blkgate: 1
name: total
defaults: {ioengine: sim, size: 1MiB, runtime: 1s, sessions: 1, iodepth: 8, sim: "lat=1ms"}
workloads:
  - {name: other, rw: read, expect: [read.iops >= 1]}
  - name: slots
    rw: randread
    iodepth_batch_submit: 8
    iodepth_batch_complete_min: 8
    thinktime: 1ms
    thinktime_blocks: 8
    targets: all
    expect: [depth.reached >= 4, "all targets: depth.reached >= 4", "all targets: depth.reached <= 4"]
EOF
t "one workload of two, on all targets" 0 "$P" run total.yaml "${two[@]}" --only slots --out total --latency-log logs
ok "depth of a total is that of one job" jq -e \
	'[.runs[] | .values["depth.reached"].value] | length == 15 and all(. == 4)' total/result.json
ok "a total has no log of its own" test "$(cd logs && echo total.*.r1.csv)" = "total.one.slots.s1.r1.csv total.two.slots.s1.r1.csv"
t "the check of the total brings the targets" 0 "$P" run total.yaml "${two[@]}" --check 'expect depth.reached max' --out check
ok "all three were run" jq -e '[.runs[].job] | unique | length == 3' check/result.json
t "the same from the file" 0 "$P" judge total/result.json
finish
