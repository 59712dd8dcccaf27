#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One suite over all engines that reach a file: what was written is there, and what an engine cannot
# do is said.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

t "the engines are listed" 0 "$P" version --engines
for e in psync pvsync2 mmap posixaio libaio io_uring null sim; do
	has "$T/out" "  $e "
done
usable() { grep -qE "^  $1 +usable" "$T/engines"; }
cp "$T/out" "$T/engines"

# An engine writes every block of a file of zeros; what is there afterwards is read without it.
for e in psync pvsync2 mmap posixaio libaio io_uring; do
	usable "$e" || {
		skip "$e" "not usable here"
		continue
	}
	head -c 1048576 /dev/zero >"$T/scratch/$e"
	cat >"$e.yaml" <<-EOF
		blkgate: 1
		name: one
		defaults: {ioengine: $e, direct: false, size: 1MiB, bs: 4KiB, runs: 1, sessions: 1, iodepth: 4}
		workloads:
		  - {name: w, rw: randwrite, fdatasync: 64, end_fsync: true, expect: [write.iops >= 1]}
		  - {name: r, rw: read, expect: [read.iops >= 1]}
	EOF
	t "$e writes and reads a file" 0 "$P" run "$e.yaml" --target "$T/scratch/$e" --allow-write "$T/scratch/$e" --out "out-$e"
	ok "$e did as many I/Os as there are blocks" jq -e \
		'[.runs[] | (.write.ios // 0) + (.read.ios // 0)] == [256, 256]' "out-$e/result.json"
	# Written blocks are random data: none of them is all zeros.
	zeros=$(split -b 4096 --filter='tr -d "\0" | wc -c' "$T/scratch/$e" | grep -cx 0)
	ok "$e wrote every block" test "$zeros" -eq 0
	ok "$e left the size" test "$(stat -c %s "$T/scratch/$e")" -eq 1048576
done

cat >words.yaml <<'EOF'
blkgate: 1
name: words
defaults: {ioengine: io_uring, direct: false, size: 1MiB, bs: 4KiB, runs: 1, sessions: 1, iodepth: 4}
workloads:
  - name: ring
    rw: randread
    matrix: {fixedbufs: [false, true], registerfiles: [false, true], sqthread_poll: [false, true]}
    expect: [read.iops >= 1]
EOF
if usable io_uring; then
	t "words of a ring" 0 "$P" run words.yaml --target "$T/scratch" --out words
	ok "each is noted as in force" jq -e '[.runs[].notes | select(test("fixed buffers"))] | length == 4' words/result.json
	ok "SQPOLL too" jq -e '[.runs[].notes | select(test("SQPOLL"))] | length == 4' words/result.json
	ok "they are identity only where set" jq -e \
		'[.jobs[].text | select(test("fixedbufs=0|sqthread_poll=0|hipri"))] == []' words/result.json
else
	skip "words of a ring" "io_uring is not usable here"
fi

sed 's/matrix: .*/hipri: true/; s/direct: false/direct: auto/' words.yaml >poll.yaml
if [ "$(cat /sys/block/*/queue/io_poll 2>/dev/null | sort -u)" = 0 ]; then
	t "polling that no device here has" 4 "$P" run poll.yaml --target "$T/scratch" --out poll
	has "$T/err" "polling is not supported here"
else
	skip "polling that no device here has" "a device may poll"
fi

sed 's/matrix: .*/nowait: true/' words.yaml >nowait.yaml
t "a word of another engine" 2 "$P" lint nowait.yaml
has "$T/err" "ioengine io_uring has no nowait"
has "$T/err" "engines that have it: pvsync2"
sed 's/ioengine: io_uring, direct: false/ioengine: mmap/; s/matrix: .*//' words.yaml >mapped.yaml
t "a mapping is never direct" 2 "$P" lint mapped.yaml
has "$T/err" "goes through the page cache"
finish
