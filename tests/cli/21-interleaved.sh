#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two arms in turns: --versus on two targets, --ab on a setting that is put back whatever happens.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/a" "$T/b"
two=(--target "old=$T/a" --target "new=$T/b")

# What is wrong on the command line is said before anything runs.
sim_suite s.yaml "lat=100us" "gate: {read.iops: 5%}"
t "one target and --versus" 2 "$P" run s.yaml --target "$T/a" --versus dut
has "$T/err" "--versus compares two targets, 1 was given"
t "a role that was not given" 2 "$P" run s.yaml "${two[@]}" --versus older
has "$T/err" "--versus 'older' is the role of no target"
t "two targets and --ab" 2 "$P" run s.yaml "${two[@]}" --ab scheduler=none,kyber
has "$T/err" "on one target, 2 were given"
t "both at once" 2 "$P" run s.yaml "${two[@]}" --versus old --ab scheduler=none,kyber
t "--ab without two values" 2 "$P" run s.yaml --target "$T/a" --ab scheduler=none
has "$T/err" "is not SETTING=A,B"
for same in 60,60 "60, 60" 60,060; do
	t "--ab with '$same' twice" 2 "$P" run s.yaml --target "$T/a" --ab "sysctl:vm.swappiness=$same"
	has "$T/err" "both arms are '60': nothing is different between them"
done
t "--ab with a blank for a value" 2 "$P" run s.yaml --target "$T/a" --ab "scheduler=none, "
has "$T/err" "is not SETTING=A,B"
t "--ab with a path" 2 "$P" run s.yaml --target "$T/a" --ab ../../x=1,2
has "$T/err" "is no name of a setting"
t "--pairs alone" 2 "$P" run s.yaml --target "$T/a" --pairs 20
has "$T/err" "add --versus ROLE or --ab SETTING=A,B"
t "--pairs below the least budget" 2 "$P" run s.yaml "${two[@]}" --versus old --pairs 9
has "$T/err" "between 10 and 28"
t "--runs has no meaning" 2 "$P" run s.yaml "${two[@]}" --versus old --runs 7
has "$T/err" "--runs has no meaning with --versus"
sed 's/rw: randread/rw: randread\n    targets: all/' s.yaml >all.yaml
t "at the same time is not in turns" 2 "$P" run all.yaml "${two[@]}" --versus old
has "$T/err" "--versus measures in turns"

sed 's/read.iops: [0-9]*%/read.clat.tail: 20%/' s.yaml >tail.yaml
t "a tail between arms is no gate" 2 "$P" plan tail.yaml "${two[@]}" --versus old
has "$T/err" "gate read.clat.tail of 'one' decides nothing between two arms"
sed 's/read.clat.tail: 20%/read.clat.tail: {tolerance: 20%, role: watch}/' tail.yaml >watch.yaml
t "watched it is allowed" 0 "$P" plan watch.yaml "${two[@]}" --versus old

# Plan, dry run.
t "the plan tells pairs and time" 0 "$P" plan s.yaml "${two[@]}" --versus old --pairs 17
has "$T/out" "compare new against old, in turns, 5 to 15 pairs of runs"
has "$T/out" "a pair; 5..15 pairs: "
has "$T/out" "there are looks for 10, 15, 20 and 28 pairs, so that 15 are made at most"
has "$T/out" "skipped: reference of --versus"
t "a dry run measures nothing" 0 "$P" run s.yaml "${two[@]}" --versus old --dry-run
has "$T/err" "2 of 2 workloads could run"
{
	printf 'blkgate: 1\nname: many\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s, rw: randread}\nworkloads:\n'
	for i in $(seq 3000); do printf '  - {name: w%d, gate: {read.iops: 5%%}}\n' "$i"; done
} >many.yaml
t "gates that ten pairs cannot make red" 2 "$P" plan many.yaml "${two[@]}" --versus old --pairs 10
has "$T/err" "no gate can turn red within 10 pairs: 3000 gates"
t "lint finds that without targets" 2 "$P" lint many.yaml --pairs 10
has "$T/err" "no gate can turn red within 10 pairs"
t "twenty can" 0 "$P" lint many.yaml --pairs 20

# Equal arms pass at the first look; a slow candidate is red from the seventh pair on.
t "equal arms" 0 "$P" run s.yaml "${two[@]}" --versus old --out even
has "$T/err" "in turns: new against old, 8 runs"
ok "four pairs" jq -e '[.runs[].pair] | unique == [0, 1, 2, 3]' even/result.json
ok "what is compared is stored" jq -e '.interleaved | .kind == "versus" and .reference == "old" and .candidate == "new" and .pairs == 20' even/result.json
ok "pairs alternate AB and BA" jq -e '[.runs | sort_by(.order)[] | .arm] | . == [0,1,1,0,0,1,1,0] or . == [1,0,0,1,1,0,0,1]' even/result.json
junit even/junit.xml
json even/result.json
t "a slow candidate" 1 "$P" run s.yaml "${two[@]}" --versus old --out red --inject slow=20%
has "$T/err" "new one  gate read.iops  regression  -20.0 %"
has "$T/err" "worse beyond the tolerance, shown by 7 pairs; new against old"
hasnt "$T/err" "baseline accept"
has red/junit.xml 'classname="simulated.default.old.one" name="gate read.iops"'
ok "as many cases as before" test "$(grep -c '<testcase' red/junit.xml)" -eq "$(grep -c '<testcase' even/junit.xml)"
t "the other way round it is a gain" 0 "$P" run s.yaml "${two[@]}" --versus new --out gain --seed 3
t "the same verdict offline" 1 "$P" judge red/result.json --junit again.xml
ok "bit for bit" bash -c "diff <(sed 's/time=\"[^\"]*\"//g; /again:/d' red/junit.xml) <(sed 's/time=\"[^\"]*\"//g; /again:/d' again.xml)"
jq 'del(.verdicts, .status)' red/result.json >bare.json
t "without its verdicts" 1 "$P" judge bare.json
t "from the journal" 1 "$P" judge red/journal
has "$T/err" "shown by 7 pairs"
t "it is no session of a baseline" 2 "$P" baseline accept even/result.json
has "$T/err" "interleaved comparison (--versus)"
t "and nothing to compare with" 2 "$P" judge even/result.json --against even/result.json
t "nor does it have a place beside one" 2 "$P" baseline diff even/result.json
# What lacks of an arm is an error, never a pass.
jq -c 'select(has("run") or has("start") | not), (select(has("run")) | select(.run.arm == 0 or .run.pair < 3))' even/journal >torn
t "an arm that lacks a run" 4 "$P" judge torn
has "$T/err" "3 whole pairs of at least 4"

head -n 3 red/journal | cat - <(grep -m 1 '"start"' red/journal) | awk '!seen[$0]++' >lost
t "a run that was going on is lost" 4 "$P" judge lost
has "$T/err" "lost: the host or blkgate stopped during this run"
# Real I/O in folders: files of its own for each run, and nothing left behind.
cat >real.yaml <<'EOF'
blkgate: 1
name: real
defaults: {ioengine: psync, direct: false, invalidate: false, size: 256KiB, runtime: 100ms}
waive: {short-runtime: a test}
workloads:
  - {name: reader, rw: randread, gate: {read.iops: {tolerance: 90%, role: watch}}}
EOF
t "real I/O in turns" 0 "$P" run real.yaml "${two[@]}" --versus old --out real
ok "the folders are empty" test -z "$(find "$T/a" "$T/b" -mindepth 1)"
ok "fresh files: nothing about one layout" jq -e '[.verdicts[].one_layout // false] | any | not' real/result.json
# A target that is gone: no arm runs alone.
t "one target is missing" 4 "$P" run real.yaml --target "old=$T/a" --target "new=$T/none" --versus old --out gone
has "$T/err" "it runs in turns with 'new'"
ok "nothing was measured" jq -e '.runs | length == 0' gone/result.json

# A setting that does not exist, or does not take the value.
t "a setting that there is not" 2 "$P" run s.yaml --target "$T/a" --ab sysctl:vm.no_such=1,2
has "$T/err" "'/proc/sys/vm/no_such' does not exist"
for setting in scheduler=none,mq-deadline sysctl:vm.no_such=1,2; do
	t "--ab $setting on a target that there is not" 4 "$P" run s.yaml --target "$T/none" --ab "$setting" --out none
	has "$T/err" "target '$T/none' does not exist"
	ok "nothing was measured" jq -e '.runs | length == 0' none/result.json
done
need "a setting of a disk" losetup || finish
loop "$T/image" 16M || {
	skip "a setting of a disk" "no loop device: $(head -n 1 "$T/err")"
	finish
}
queue=/sys/block/${LOOP#/dev/}/queue
was=$(cat "$queue/read_ahead_kb" 2>/dev/null)
[ -w "$queue/read_ahead_kb" ] || {
	skip "a setting of a disk" "$queue cannot be written"
	finish
}
sed 's/size: 256KiB/size: 1MiB/' real.yaml >disk.yaml
t "two values of a setting" 0 "$P" run disk.yaml --target "$LOOP" --ab read_ahead_kb=64,256 --out ab
ok "it is as it was" test "$(cat "$queue/read_ahead_kb")" = "$was"
ok "no record is left" test ! -e "/run/blkgate/sys!block!${LOOP#/dev/}!queue!read_ahead_kb"
has "$T/err" "in turns: read_ahead_kb 256 against 64"
ok "each run has its arm" jq -e '[.runs[] | [.pair, .arm]] | sort == ([range(4)] | map([., 0], [., 1]))' ab/result.json
ok "a device is one layout" jq -e '[.verdicts[] | select(.check != "measure") | .one_layout] == [true]' ab/result.json
t "a value that the kernel refuses" 4 "$P" run disk.yaml --target "$LOOP" --ab read_ahead_kb=64,many --out bad
has "$T/err" "the kernel refuses 'many'"
ok "nothing was measured" jq -e '[.runs[] | select(.status == "ok")] | length == 0' bad/result.json
ok "it is as it was, again" test "$(cat "$queue/read_ahead_kb")" = "$was"

# Stopped while the candidate is measured, it is put back all the same; killed, it is told.
sed 's/runtime: 100ms/runtime: 10min/' disk.yaml >long.yaml
# shellcheck disable=SC2317 # called through ok
begin() { # OUT: in the background, until a run goes on; $pid
	"$P" run long.yaml --target "$LOOP" --ab read_ahead_kb=64,256 --out "$1" >"$1.out" 2>"$1.err" </dev/null &
	pid=$!
	for _ in {1..600}; do
		kill -0 "$pid" 2>/dev/null || return 1
		grep -q '^{"start"' "$1/journal" 2>/dev/null && pgrep -P "$pid" >/dev/null && return 0
		sleep 0.05
	done
	return 1
}
for sig in INT TERM HUP; do
	ok "SIG$sig: the run goes on" begin "$sig"
	ok "it is switched meanwhile" test "$(cat "$queue/read_ahead_kb")" != "$was"
	kill -"$sig" "$pid"
	wait "$pid"
	rc=$?
	ok "SIG$sig: status 130" test "$rc" -eq 130
	ok "SIG$sig: it is put back" test "$(cat "$queue/read_ahead_kb")" = "$was"
done
ok "a run that will be killed" begin killed
t "a second run of the same setting" 4 "$P" run disk.yaml --target "$LOOP" --ab read_ahead_kb=64,256 --out second
kill -KILL "$pid"
wait "$pid" 2>/dev/null
left="an earlier run was killed and left '$queue/read_ahead_kb'"
if [ "$(cat "$queue/read_ahead_kb")" != "$was" ]; then
	t "probe tells" 0 "$P" probe "$LOOP"
	has "$T/out" "$left"
	has "$T/out" "echo '$was' >$queue/read_ahead_kb"
	t "the next run does not start" 4 "$P" run disk.yaml --target "$LOOP" --out next
	has "$T/err" "$left"
	has "$T/err" "--policy leftover=restore"
	ok "nothing was measured then" jq -e '.runs | length == 0' next/result.json
	ok "stored in its result" jq -e '.notices | any(startswith("an earlier run was killed"))' next/result.json
	t "which may not take it for what was" 4 "$P" run disk.yaml --target "$LOOP" --ab read_ahead_kb=64,256 --out third
	has "$T/err" "$left"
	echo "$was" >"$queue/read_ahead_kb"
	t "put back, it is forgotten" 0 "$P" probe "$LOOP"
	hasnt "$T/out" "$left"
fi
finish
