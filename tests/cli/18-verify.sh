#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# verify: crc32c from end to end: what is right is counted, what a lying target did is told.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

t "the engines are listed" 0 "$P" version --engines
cp "$T/out" "$T/engines"
usable() { grep -qE "^  $1 +usable" "$T/engines"; }

suite() { # FILE WORDS
	cat >"$1" <<-EOF
		blkgate: 1
		name: v
		defaults: {direct: auto, size: 1MiB, bs: 4KiB, runs: 2, sessions: 1, verify: crc32c}
		workloads:
		  - {name: w, $2, expect: [write.iops >= 1]}
	EOF
}

for e in psync pvsync2 mmap posixaio libaio io_uring; do
	usable "$e" || {
		skip "$e" "not usable here"
		continue
	}
	suite one.yaml "rw: randwrite, ioengine: $e, iodepth: 4, loops: 2, ramp_time: 5ms"
	t "$e verifies what it wrote" 0 "$P" run one.yaml --target "$T/scratch" --out "out-$e"
	has "$T/err" "verified 2 MiB"
	ok "$e: every block of each run" jq -e '[.runs[].verified] == [1048576, 1048576]' "out-$e/result.json"
	ok "$e: it is of the identity" jq -e '.jobs[0].text | test("refill_buffers=1 .* verify=crc32c$")' "out-$e/result.json"
done

suite jobs.yaml "rw: randwrite, ioengine: psync, numjobs: 3, files: per_job"
t "a file a job" 0 "$P" run jobs.yaml --target "$T/scratch" --out jobs
ok "each is verified" jq -e '[.runs[].verified] == [3145728, 3145728]' jobs/result.json
t "judged again" 0 "$P" judge jobs/result.json
jq '.runs[0].verified = 0' jobs/result.json >none.json
t "a result without the evidence" 4 "$P" judge none.json
has "$T/err" "nothing of what it wrote was verified"

sed -i 's/- {name: w.*/- {name: r, rw: read, expect: [read.iops >= 1]}/' jobs.yaml
t "the defaults ask nothing of a reader" 0 "$P" run jobs.yaml --target "$T/scratch" --out reads
suite mix.yaml "rw: rw"
t "a mix" 2 "$P" lint mix.yaml
has "$T/err" "verify is of workloads that only write"
suite shared.yaml "rw: write, numjobs: 2"
t "two writers of one block" 2 "$P" lint shared.yaml
has "$T/err" "files: per_job"
sed -i 's/verify: crc32c/verify: md5/' mix.yaml
t "another checksum" 2 "$P" lint mix.yaml
has "$T/err" "here it is crc32c"

# What a drive could do, done to the writes of one offset. The second write of it is the last.
lies() { # LIE TEXT BLOCKS
	t "a target that lies: $1" 4 env LD_PRELOAD="$T/liar.so" LIE="$1" LIE_BLOCK=4096 LIE_AT=40960 \
		"$P" run liar.yaml --target "$T/scratch" --out "out-$1"
	has "$T/err" "$2"
	has "$T/err" "$3 of 256 blocks are wrong"
	ok "$1: the offset is recorded" jq -e \
		'.runs[0] | .status == "io_error" and .error_len == 4096 and .error_offset >= 40960 and .error_offset <= 45056 and .verified == null' "out-$1/result.json"
	ok "$1: nothing was judged" jq -e '[.verdicts[] | select(.verdict == "pass")] == []' "out-$1/result.json"
}
if ${CC:-gcc} -shared -fPIC -O1 -o "$T/liar.so" "$ROOT/tests/fixtures/lying_target.c" -ldl 2>"$T/err"; then
	suite liar.yaml "rw: write, ioengine: pvsync2, loops: 2"
	lies stale "offset 40960 should hold its write 2; found write 1 of this block, older by 1: the last one was lost" 1
	lies flip "damaged data" 1
	lies zero "found zeros" 1
	# Half of the first write is that of the second: both are kept but for the tail.
	lies tear "damaged data" 1
	lies drop "no header: lost, or damaged" 1
	# In sequence the block behind is written again, and only the place that was left out is wrong.
	lies misdirect "no header: lost, or damaged" 1
	t "the same target, honest" 0 env LD_PRELOAD="$T/liar.so" "$P" run liar.yaml --target "$T/scratch" --out honest
else
	skip "a target that lies" "no compiler"
fi

finish
