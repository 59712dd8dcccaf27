#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Trims: what was trimmed is gone and nothing else is; what cannot be trimmed is refused untouched.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

suite() { # FILE DEFAULTS WORKLOAD...
	local file=$1
	printf 'blkgate: 1\nname: trims\ndefaults: {runs: 2, sessions: 1%s}\nworkloads:\n' "$2" >"$file"
	shift 2
	printf '  - {%s}\n' "$@" >>"$file"
}
# Blocks of 64 KiB of a file that are all zeros, as a list of numbers.
zeros() {
	split -b 65536 --filter='tr -d "\0" | wc -c' "$1" | grep -nx 0 | cut -d: -f1 | tr '\n' ' '
}

suite folder.yaml ', size: 1MiB, bs: 64KiB, direct: auto' \
	'name: t, rw: trim, expect: [iops >= 1, bw >= 1 B/s, trim.clat.max <= 1min]' \
	'name: rt, rw: randtrim, offset: 1MiB, ioengine: pvsync2, files: per_job, numjobs: 2' \
	'name: w, rw: randwrite, expect: [write.iops >= 1]' \
	'name: r, rw: read, offset: 2MiB, expect: [read.iops >= 1]'
"$P" run folder.yaml --target "$T/scratch" --out folder >"$T/out" 2>"$T/err"
rc=$?
if grep -q 'a hole cannot be punched' "$T/err"; then
	skip "trims in a folder" "its file system punches no holes"
	ok "which is an error" test "$rc" -eq 4
else
	cat "$T/out" >>"$T/err"
	ok "trims in a folder: status 0" test "$rc" -eq 0
	has "$T/err" "t  trim "
	ok "every block once, in each run" jq -e \
		'[.runs[] | select(.trim) | .trim.ios] | sort == [16, 16, 32, 32]' folder/result.json
	ok "bytes trimmed are not written" jq -e '[.runs[] | select(.trim and .written > 0)] == []' folder/result.json
	ok "metrics without a direction are those of the trim" jq -e \
		'[.checks[].metric] | index("trim.iops") and index("trim.bw") and index("trim.clat.max")' folder/result.json
	ok "fio has an engine of its own for it" jq -e \
		'.jobs[0].fio | test("--rw=trim ") and test("--ioengine=falloc ")' folder/result.json
	ok "nothing is left there" test -z "$(ls -A "$T/scratch")"
	junit folder/junit.xml
fi

# Each run finds data again: what that writes is in the budget.
suite budget.yaml ', size: 1MiB, bs: 64KiB, direct: auto' 'name: t, rw: trim, expect: [iops >= 1]'
if [ "$rc" -eq 0 ]; then
	t "a budget without room for it" 2 "$P" run budget.yaml --target "$T/scratch" --budget written=2MiB --out budget
	has "$T/err" "one session writes 3 MiB to make the files alone"
fi

# An existing file: permission as for writing; the region is written and trimmed, its neighbours stay.
head -c 4194304 /dev/urandom >"$T/file"
sum=$(cksum <"$T/file")
suite file.yaml ', size: 1MiB, offset: 1MiB, bs: 64KiB, direct: auto' 'name: t, rw: randtrim, expect: [iops >= 1]'
t "trimming an existing file without permission" 4 "$P" run file.yaml --target "$T/file"
has "$T/err" "--allow-write $T/file"
ok "it was not touched" test "$sum" = "$(cksum <"$T/file")"
used=$(stat -c %b "$T/file")
"$P" run file.yaml --target "$T/file" --allow-write "$T/file" --out file >"$T/out" 2>"$T/err"
rc=$?
if grep -q 'a hole cannot be punched' "$T/err"; then
	skip "trims of a file" "its file system punches no holes"
	ok "which is an error" test "$rc" -eq 4
	ok "before a byte was written" test "$sum" = "$(cksum <"$T/file")"
else
	ok "trims of a file: status 0" test "$rc" -eq 0
	ok "the region is zeros, nothing else is" test "$(zeros "$T/file")" = "$(seq -s ' ' 17 32) "
	ok "its blocks are free" test "$(stat -c %b "$T/file")" -le $((used - 2000))
	ok "its size stays" test "$(stat -c %s "$T/file")" -eq 4194304
fi

# Sentences of the suite.
suite hazard.yaml ', size: 1MiB' 'name: gone, rw: trim, size: 2MiB' 'name: fast, rw: randread, offset: 1MiB'
t "a read of what is trimmed" 2 "$P" lint hazard.yaml
has "$T/err" "hazard.yaml:6:22: error: workload 'fast' reads what workload 'gone' trims (from 1 MiB to 2 MiB)"
has "$T/err" "set the two apart by offset and size"
t "nor does a run begin" 2 "$P" run hazard.yaml --target "$T/scratch" --only gone
suite both.yaml ', size: 1MiB' 'name: x, rw: trimwrite'
t "trimwrite" 2 "$P" lint both.yaml
has "$T/err" "one with \`rw: trim\` and one with \`rw: write\`"
suite ring.yaml ', size: 1MiB, ioengine: io_uring' 'name: x, rw: trim'
t "an engine that cannot" 2 "$P" lint ring.yaml
has "$T/err" "ioengine io_uring cannot do rw: trim"
has "$T/err" "engines that can: psync pvsync2"
suite sim.yaml ', size: 1MiB, ioengine: sim, runtime: 1s, sim: "lat=1ms"' 'name: x, rw: randtrim, expect: [iops >= 999, iops <= 1001]'
t "simulated" 0 "$P" run sim.yaml --target "$T/scratch" --out sim

# A file system without holes.
if root && mount_at "$T/ram" -t ramfs ramfs; then
	t "a folder without holes" 4 "$P" run folder.yaml --target "$T/ram" --out none --only t
	has "$T/err" "nothing can be trimmed on 'dut': a hole cannot be punched into a file there: Operation not supported"
	head -c 4194304 /dev/urandom >"$T/ram/file"
	sum=$(cksum <"$T/ram/file")
	t "a file without holes" 4 "$P" run file.yaml --target "$T/ram/file" --allow-write "$T/ram/file" --out none
	has "$T/err" "a hole cannot be punched into '$T/ram/file'"
	ok "not a byte was written" test "$sum" = "$(cksum <"$T/ram/file")"
	rm "$T/ram/file"
else
	skip "a file system without holes" "no ramfs can be mounted here"
fi

need "block devices" losetup || finish
loop "$T/img" 8M || {
	skip "block devices" "no loop device: $(head -n 1 "$T/err")"
	finish
}
dev=$LOOP
id=diskseq:$(cat "/sys/block/${dev#/dev/}/diskseq" 2>/dev/null)
[ "$id" != diskseq: ] || {
	skip "block devices" "the kernel counts no disks (diskseq)"
	finish
}
tr '\0' x </dev/zero | head -c 8388608 >"$T/full"
dd if="$T/full" of="$dev" bs=1M conv=fsync status=none
sum=$(cksum <"$T/img")
suite dev.yaml ', bs: 64KiB' 'name: t, rw: randtrim, offset: 1MiB, size: 2MiB, ioengine: psync, expect: [trim.iops >= 1]' \
	'name: t2, rw: trim, offset: 4MiB, size: 1MiB, ioengine: pvsync2, expect: [iops >= 1]' \
	'name: r, rw: read, offset: 5MiB, size: 1MiB, expect: [read.iops >= 1]'
t "a device without permission" 4 "$P" run dev.yaml --target "$dev"
has "$T/err" "is not permitted"
ok "it was not touched" test "$sum" = "$(cksum <"$T/img")"
if [ "$(cat "/sys/block/${dev#/dev/}/queue/discard_max_bytes")" -gt 0 ]; then
	used=$(stat -c %b "$T/img")
	t "a device" 0 "$P" run dev.yaml --target "$dev" --allow-write "$id" --out dev
	has "$T/err" "nothing left to trim"
	ok "what was trimmed is zeros, nothing else is" test "$(zeros "$dev")" = "$(seq -s ' ' 17 48) $(seq -s ' ' 65 80) "
	sync "$T/img"
	ok "the file behind it lost those blocks" test "$(stat -c %b "$T/img")" -le $((used - 6000))
	ok "fio's engine is the same" jq -e '.jobs[0].fio | test("--ioengine=psync ")' dev/result.json
	ok "and nothing was written" jq -e '[.runs[].written // 0] | add == 0' dev/result.json
	suite odd.yaml '' 'name: t, rw: trim, bs: 512, size: 64KiB'
	t "less than the device frees" 0 "$P" plan odd.yaml --target "$dev" --allow-write "$id"
	has "$T/err" "discard granularity"
	suite cut.yaml ', direct: false' 'name: t, rw: trim, bs: 100, size: 6400'
	t "inside a sector" 4 "$P" run cut.yaml --target "$dev" --allow-write "$id"
	has "$T/err" "no multiple of the logical block"
	# A writer's pages that never left the cache would fail the trim; runs drop them first.
	suite cached.yaml ', bs: 64KiB, size: 1MiB, direct: false' 'name: t, rw: trim, expect: [iops >= 1]' \
		'name: w, rw: write, end_fsync: false, expect: [iops >= 1]'
	t "behind buffered writes" 0 "$P" run cached.yaml --target "$dev" --allow-write "$id" --out cached
else
	skip "a device" "the file behind the loop device takes no discards"
fi
# The file system behind a loop device decides whether it discards.
if mountpoint -q "$T/ram" && loop "$T/ram/img" 8M && grep -qx 0 "/sys/block/${LOOP#/dev/}/queue/discard_max_bytes"; then
	none=diskseq:$(cat "/sys/block/${LOOP#/dev/}/diskseq")
	t "a device without discard" 4 "$P" run dev.yaml --target "$LOOP" --allow-write "$none" --out none
	has "$T/err" "does not support discard (device.discard_max_bytes is 0)"
	ok "its reader ran" jq -e '[.runs[] | select(.status == "ok" or .read)] | length == 2' none/result.json
else
	skip "a device without discard" "none can be made: $(head -n 1 "$T/err")"
fi
finish
