#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is done before a run, and undone behind it: settings of the kernel, commands, filling, steady
# state.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Words that mean nothing are told by lint, without a device.
lint_says() { # NAME TEXT WORKLOAD-LINE...
	local name=$1 text=$2
	shift 2
	sim_suite l.yaml "lat=100us" "gate: {read.iops: 5%}" "$@"
	t "$name" 2 "$P" lint l.yaml
	has "$T/err" "$text"
}
lint_says "a setting with a path" "is no name of a setting" "tunables: {../x: 1}"
lint_says "no setting at all" "tunables: it holds no setting" "tunables: {}"
lint_says "a text where a mapping belongs" "tunables" "tunables: none"

lint_says "a command as a text" "a command is a list of arguments" "setup: [sync]"
lint_says "a command without a name" "a command without a name" 'setup: [[""]]'
lint_says "a time limit of nothing" "is no time limit" "teardown: [{command: [sync], timeout: 0s}]"
lint_says "fio's word for it" "'setup' takes argument lists" "exec_prerun: sync"

# Commands around each run and around all: in order, without a shell, with a few variables.
cat >log.sh <<'EOF'
#!/bin/sh
env | sort >"$BLKGATE_OUT/env"
ls -l /proc/self/fd >"$BLKGATE_OUT/fds"
echo "$* on ${BLKGATE_ROLE:-} in ${BLKGATE_WORKLOAD:-} at ${BLKGATE_TARGET:-}" >>"$BLKGATE_OUT/log"
EOF
chmod +x log.sh
commands_suite() { # FILE WORKLOAD-LINE...
	local file=$1
	shift
	{
		printf 'blkgate: 1\nname: around\nwaive: {no-checks: a test}\n'
		printf 'setup: [[%s/log.sh, suite, "a b; $HOME"]]\nteardown: [[%s/log.sh, end]]\n' "$PWD" "$PWD"
		printf 'defaults: {ioengine: sim, size: 1MiB, runtime: 1s, runs: 2, sessions: 1, sim: "lat=100us"}\n'
		printf 'workloads:\n  - name: one\n    rw: randread\n'
		printf '    %s\n' "$@"
	} >"$file"
}
commands_suite around.yaml "setup: [[$PWD/log.sh, before], [true]]" "teardown: [[$PWD/log.sh, behind]]"
t "commands around the runs" 0 env SECRET=1 "$P" run around.yaml --target "$T/scratch" --out around
printf '%s\n' "suite a b; \$HOME on dut in  at $T/scratch" "before on dut in one at $T/scratch" \
	"behind on dut in one at $T/scratch" "before on dut in one at $T/scratch" \
	"behind on dut in one at $T/scratch" "end on dut in  at $T/scratch" >want
ok "each in its place" diff want around/log
ok "the environment is clean" test "$(grep -cE '^(SECRET|BLKGATE_SCHEMAS)=' around/env)" -eq 0
ok "no descriptor of ours is open" test "$(grep -cE '(journal|scratch|result)' around/fds)" -eq 0
has "$T/err" "setup before each run of 'one': "
ok "they are announced in the result" jq -e '.notices | any(startswith("setup, before all else: "))' around/result.json
t "the plan announces them too" 0 "$P" plan around.yaml --target "$T/scratch"
has "$T/out" "teardown behind each run of 'one'"
rm -rf around
t "a dry run runs none" 0 "$P" run around.yaml --target "$T/scratch" --out around --dry-run
ok "nothing was run" test ! -e around/log
commands_suite failing.yaml 'setup: [[sh, -c, "echo first; echo the cause >&2; exit 3"]]' "teardown: [[$PWD/log.sh, behind]]"
t "a setup that fails" 4 "$P" run failing.yaml --target "$T/scratch" --out failing
has "$T/err" "ended with status 3: first | the cause"
ok "its teardown runs all the same" grep -q '^behind' failing/log
ok "and that of the suite" grep -q '^end' failing/log
ok "why stands in the result" jq -e '.runs[0] | .status == "setup" and (.text | contains("the cause"))' failing/result.json
junit failing/junit.xml
commands_suite spoiled.yaml 'teardown: [["false"]]'
t "a teardown that fails" 4 "$P" run spoiled.yaml --target "$T/scratch" --out spoiled
has "$T/err" 'teardown command "false" ended with status 1'
commands_suite absent.yaml 'setup: [[/no/such/program]]'
t "a program that is not there" 4 "$P" run absent.yaml --target "$T/scratch" --out absent
has "$T/err" "could not be started: No such file or directory"
sed 's/^setup: .*/setup: [["false"]]/' around.yaml >none.yaml
t "a setup of the suite that fails" 4 "$P" run none.yaml --target "$T/scratch" --out none
ok "nothing was run behind it" test "$(cut -d' ' -f1 none/log)" = end
ok "nothing was measured behind it" jq -e '[.runs[] | select(.status == "ok")] | length == 0' none/result.json
sed 's/^teardown: .*/teardown: [["false"]]/' around.yaml >late.yaml
t "a teardown of the suite that fails" 4 "$P" run late.yaml --target "$T/scratch" --out late
# The whole group ends with the time limit, also what the command started.
commands_suite slow.yaml 'setup: [{command: [sh, -c, "sleep 987 & echo begun; wait"], timeout: 300ms}]'
t "a command that does not end" 4 "$P" run slow.yaml --target "$T/scratch" --out slow
has "$T/err" "did not end within 300 ms: begun"
ok "none of it is left" test -z "$(pgrep -f '^sleep 987$')"
# Bounded, and fit for every document.
commands_suite loud.yaml 'setup: [[sh, -c, "seq 1 200000; printf \"\\033[31m\\001x\\377\"; exit 1"]]'
t "a command that prints much" 4 "$P" run loud.yaml --target "$T/scratch" --out loud
has "$T/err" "200000 | "
junit loud/junit.xml
json loud/result.json
# A signal ends the command, and what was set up is taken down.
commands_suite long.yaml 'setup: [[sleep, 600]]' "teardown: [[$PWD/log.sh, behind]]"
"$P" run long.yaml --target "$T/scratch" --out stopped >stopped.out 2>stopped.err </dev/null &
pid=$!
for _ in {1..600}; do
	pgrep -P "$pid" -x sleep >/dev/null && break
	sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
rc=$?
ok "SIGTERM in a setup: status 130" test "$rc" -eq 130
ok "SIGTERM in a setup: taken down" test "$(cut -d' ' -f1 stopped/log | xargs)" = "suite behind end"

# A setting that is not there, or that another arm needs.
sim_suite s.yaml "lat=100us" "tunables: {sysctl:vm.no_such: 1}"
t "a setting that there is not" 4 "$P" run s.yaml --target "$T/scratch" --out none
has "$T/err" "'/proc/sys/vm/no_such' does not exist"
# Steady state and fill without a device: the numbers are the sim engine's.
sim_suite steady.yaml "lat=100us" "precondition: {fill: random, loops: 2, steady_state: {round: 1s}}" \
	"gate: {read.iops: 5%}" "expect: [read.iops >= 1 IOPS]"
t "the plan tells what is written" 0 "$P" plan steady.yaml --target "$T/scratch"
has "$T/out" "fill random 2 times with bs 4 KiB, steady total.iops in 5..25 rounds of 1 s (range 20 %, slope 10 %)"
t "filled and steady" 5 "$P" run steady.yaml --target "$T/scratch" --out steady
has "$T/err" "round 5 of 5..25  10.0 k IOPS  range 0.0 %, slope"
ok "it is recorded" jq -e '.preparations | length == 1 and .[0].filled == 134217728 and .[0].whole and (.[0].rounds | length) == 5' steady/result.json
ok "it is part of what was measured" jq -e '.jobs[0].text | contains("precondition=fill=random,loops=2,bs=4096,metric=total.iops")' steady/result.json
t "the journal says the same" 5 "$P" judge steady/journal
t "it can be accepted" 0 "$P" baseline accept steady/result.json --reason test
sim_suite plain.yaml "lat=100us" "gate: {read.iops: 5%}"
t "without it is another job" 5 "$P" run plain.yaml --target "$T/scratch" --out plain
has "$T/err" "precondition"
rm -rf baselines
sim_suite wild.yaml "lat=100us,sd=90%" "precondition: {steady_state: {round: 1s, rounds: 5..7}}" \
	"gate: {read.iops: 5%}" "expect: [read.iops >= 1 IOPS]"
t "not steady" 5 "$P" run wild.yaml --target "$T/scratch" --out wild
has "$T/err" "steady state not reached in 7 rounds"
has "$T/err" "of at most 20 %"
ok "the expectation is undecided" jq -e '.verdicts[] | select(.check | startswith("expect")) | .verdict == "inconclusive" and .status == 3' wild/result.json
junit wild/junit.xml
json wild/result.json
t "it does not enter a baseline" 2 "$P" baseline accept wild/result.json --reason test
has "$T/err" "steady state not reached"
sed '/ gate:/d' wild.yaml >expects.yaml
t "alone it is status 3" 3 "$P" run expects.yaml --target "$T/scratch" --out expects
t "unless the policy says so" 1 "$P" run expects.yaml --target "$T/scratch" --out expects --policy inconclusive=fail
jq 'del(.preparations)' steady/result.json >bare.json
t "a result without its preparation is none" 4 "$P" judge bare.json
has "$T/err" "nothing tells that its precondition was done"
cat >file.yaml <<'EOF'
blkgate: 1
name: file
defaults: {ioengine: psync, direct: false, size: 1MiB, runtime: 100ms, runs: 2, sessions: 1}
waive: {short-runtime: a test, no-checks: a test}
workloads:
  - {name: a, rw: randread, precondition: {fill: random, bs: 12KiB, loops: 2}}
EOF
t "a budget that does not hold the fill" 2 "$P" run file.yaml --target "$T/scratch" --budget written=2MB --out small
has "$T/err" "to make the files and fill the regions"
t "one that does" 0 "$P" run file.yaml --target "$T/scratch" --budget written=4MB --out folder
ok "layout and fill are both made" jq -e '.preparations[0].filled == 2097152' folder/result.json
ok "the folder is empty" test -z "$(find "$T/scratch" -mindepth 1)"
# An existing file is written only with permission, also to be read.
head -c 1M /dev/zero >"$T/file"
sum=$(sha256sum <"$T/file")
t "a file that may not be filled" 4 "$P" run file.yaml --target "$T/file" --out refused
has "$T/err" "writing to the existing file"
ok "not a byte of it was written" test "$(sha256sum <"$T/file")" = "$sum"
zeros() { # FILE: blocks of 4 KiB that hold nothing
	od -An -v -w4096 -tx8 "$1" | grep -cE '^( 0{16})+$'
}
t "with permission it is filled" 0 "$P" run file.yaml --target "$T/file" --allow-write "$T/file" --out filled
ok "every block of it" test "$(zeros "$T/file")" -eq 0
t "trim has no meaning in a folder" 4 "$P" run <(sed 's/fill: random/trim: true, fill: random/' file.yaml) --target "$T/scratch" --out trim
has "$T/err" "there is nothing to trim in folder"

# The caches of the machine belong to root.
if ! root; then
	skip "drop_caches" "needs root"
else
	sed 's/precondition: .*}}/drop_caches: true}/' file.yaml >caches.yaml
	if [ -w /proc/sys/vm/drop_caches ]; then
		head -c 4M /dev/urandom >"$T/cached" && sync "$T/cached" && cat "$T/cached" >/dev/null
		t "the caches are dropped" 0 "$P" run caches.yaml --target "$T/scratch" --out caches
		ok "another file is out of memory" test "$(fincore -bno RES "$T/cached" 2>/dev/null || echo 0)" -lt 4194304
	fi
	if command -v setpriv >/dev/null; then
		mkdir -p "$T/nobody" && chmod 777 "$T/nobody" && chmod 755 "$T" "$T/here" && cp "$P" caches.yaml "$T/nobody/"
		t "nobody may not" 4 setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "cd '$T/nobody' && ./blkgate run caches.yaml --target ."
		has "$T/err" "the caches of the machine cannot be dropped"
	fi
fi

need "settings of the kernel" losetup || finish
loop "$T/image" 16M || {
	skip "settings of the kernel" "no loop device: $(head -n 1 "$T/err")"
	finish
}
queue=/sys/block/${LOOP#/dev/}/queue
was=$(cat "$queue/read_ahead_kb" 2>/dev/null)
[ -w "$queue/read_ahead_kb" ] || {
	skip "settings of the kernel" "$queue cannot be written"
	finish
}
record=/run/blkgate/sys!block!${LOOP#/dev/}!queue!read_ahead_kb
cat >disk.yaml <<'EOF'
blkgate: 1
name: disk
defaults: {ioengine: psync, direct: false, invalidate: false, size: 1MiB, runtime: 100ms, runs: 2, sessions: 1}
waive: {short-runtime: a test, no-checks: a test}
workloads:
  - {name: small, rw: randread, tunables: {read_ahead_kb: 64}}
  - {name: large, rw: randread, tunables: {read_ahead_kb: 256}}
  - {name: plain, rw: randread}
EOF
# What a run sees of it: the value while the run goes on, by a watcher beside.
# shellcheck disable=SC2317 # called through ok
watched() {
	"$P" run disk.yaml --target "$LOOP" --out seen >"$T/out" 2>"$T/err" </dev/null &
	local pid=$!
	: >seen.values
	while kill -0 "$pid" 2>/dev/null; do
		cat "$queue/read_ahead_kb" >>seen.values
		sleep 0.01
	done
	wait "$pid"
}
ok "three workloads, three values" watched
ok "each was in force" test "$(sort -nu seen.values | xargs)" = "$(printf '%s\n' 64 256 "$was" | sort -nu | xargs)"
ok "it is as it was" test "$(cat "$queue/read_ahead_kb")" = "$was"
ok "no record is left" test ! -e "$record"
ok "the value is part of what was measured" jq -e '[.jobs[].text | contains("tunables=read_ahead_kb=64")] == [true, false, false]' seen/result.json
ok "what it was is said" jq -e --arg was "$was" '.notices | any(contains("was \u0027" + $was + "\u0027 before"))' seen/result.json
t "the plan shows it" 0 "$P" plan disk.yaml --target "$LOOP"
has "$T/out" "read_ahead_kb=64"
sed 's/read_ahead_kb: 256/read_ahead_kb: many/' disk.yaml >bad.yaml
t "a value that the kernel refuses" 4 "$P" run bad.yaml --target "$LOOP" --out bad
has "$T/err" "the kernel refuses 'many'"
ok "the others were measured" jq -e '[.runs[] | select(.status == "ok") | .job] | unique == [0, 2]' bad/result.json
ok "it is as it was, again" test "$(cat "$queue/read_ahead_kb")" = "$was"
t "--ab of the same setting" 2 "$P" run disk.yaml --target "$LOOP" --ab read_ahead_kb=64,256 --out ab
has "$T/err" "which --ab compares"
cat >beside.yaml <<'EOF'
blkgate: 1
name: beside
defaults: {ioengine: null, size: 1MiB, runtime: 1s, runs: 1}
waive: {no-checks: a test}
workloads:
  - {name: a, rw: randread, tunables: {sysctl:vm.dirty_ratio: 30}}
  - {name: b, rw: randread, stonewall: false, tunables: {sysctl:vm.dirty_ratio: 31}}
  - {name: c, rw: randread, stonewall: false}
EOF
t "at the same time there is one value" 4 "$P" run beside.yaml --target "$LOOP" --out beside --dry-run
has "$T/err" "which runs at the same time, to '31'"
has "$T/err" "which sets 'sysctl:vm.dirty_ratio': both have to"

# The one that was set last holds, and the other reads 0: the way back is through that one.
if [ "$(cat /proc/sys/vm/dirty_bytes 2>/dev/null)" = 0 ] && [ -w /proc/sys/vm/dirty_bytes ]; then
	ratio=$(cat /proc/sys/vm/dirty_ratio)
	cat >pair.yaml <<'EOF'
blkgate: 1
name: pair
defaults: {ioengine: null, size: 1MiB, runtime: 100ms, runs: 1, sessions: 1}
waive: {short-runtime: a test, no-checks: a test}
workloads:
  - {name: a, rw: randread, tunables: {sysctl:vm.dirty_bytes: 268435456}}
EOF
	t "a setting that cannot be set to what it was" 0 "$P" run pair.yaml --target "$LOOP" --out pair
	ok "both are as they were" test "$(cat /proc/sys/vm/dirty_bytes) $(cat /proc/sys/vm/dirty_ratio)" = "0 $ratio"
else
	skip "a pair of settings" "vm.dirty_bytes is in use or cannot be written"
fi

# Stopped, it is put back all the same; killed, the next run is told and can do it.
sed 's/runtime: 100ms/runtime: 10min/; /large/d; /plain/d' disk.yaml >long.yaml
# shellcheck disable=SC2317 # called through ok
begin() { # OUT: in the background, until a run goes on; $pid
	"$P" run long.yaml --target "$LOOP" --out "$1" >"$1.out" 2>"$1.err" </dev/null &
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
	ok "SIG$sig: it is switched meanwhile" test "$(cat "$queue/read_ahead_kb")" = 64
	kill -"$sig" "$pid"
	wait "$pid"
	rc=$?
	ok "SIG$sig: status 130" test "$rc" -eq 130
	ok "SIG$sig: it is put back" test "$(cat "$queue/read_ahead_kb")" = "$was"
done
ok "a run that will be killed" begin killed
sed "s/read_ahead_kb: 64/sysctl:vm.dirty_ratio: 33/" long.yaml >sysctl.yaml
kill -KILL "$pid"
wait "$pid" 2>/dev/null
ok "it is still switched" test "$(cat "$queue/read_ahead_kb")" = 64
ok "its record says what it was" grep -qx "$was" "$record"
t "the next run does not start" 4 "$P" run disk.yaml --target "$LOOP" --out next
has "$T/err" "an earlier run was killed and left '$queue/read_ahead_kb' at '64', it was '$was'"
has "$T/err" "--policy leftover=restore"
ok "nothing was measured" jq -e '.runs | length == 0' next/result.json
t "unless it may put it back" 0 "$P" run disk.yaml --target "$LOOP" --out restored --policy leftover=restore
has "$T/err" "was put back to '$was'"
ok "it is as it was at last" test "$(cat "$queue/read_ahead_kb")" = "$was"
ok "and its record is gone" test ! -e "$record"
t "a word that the policy does not know" 2 "$P" run disk.yaml --target "$LOOP" --policy leftover=keep

# Two runs, on two devices, that want one sysctl.
dirty=$(cat /proc/sys/vm/dirty_ratio 2>/dev/null)
if [ -w /proc/sys/vm/dirty_ratio ] && [ "${dirty:-0}" != 0 ]; then
	sed -i 's/ioengine: psync/ioengine: null/' sysctl.yaml
	sed 's/runtime: 10min/runtime: 100ms/; s/: 33/: 34/' sysctl.yaml >second.yaml
	"$P" run sysctl.yaml --target "$LOOP" --out first >first.out 2>first.err </dev/null &
	pid=$!
	for _ in {1..600}; do
		[ "$(cat /proc/sys/vm/dirty_ratio)" = 33 ] && break
		sleep 0.05
	done
	t "the second of two that want one sysctl" 4 "$P" run second.yaml --target "$T/scratch" --out second
	has "$T/err" "another blkgate run switches '/proc/sys/vm/dirty_ratio'"
	ok "the first one's value holds" test "$(cat /proc/sys/vm/dirty_ratio)" = 33
	kill -INT "$pid"
	wait "$pid"
	ok "the sysctl is as it was" test "$(cat /proc/sys/vm/dirty_ratio)" = "$dirty"
else
	skip "two runs and one sysctl" "vm.dirty_ratio is in use or cannot be written"
fi

# A device: filled whole, also behind the last whole block; trimmed; nothing without permission.
truncate -s 4198400 "$T/disk" # 4 MiB and 4 KiB
LOOP=
cleanup "losetup -n -O NAME -j '$T/disk' | xargs -r -n 1 losetup -d"
LOOP=$(losetup --find --show "$T/disk" 2>"$T/err") || {
	skip "a device" "no loop device: $(head -n 1 "$T/err")"
	finish
}
id=diskseq:$(cat "/sys/block/${LOOP#/dev/}/diskseq")
cat >device.yaml <<'EOF'
blkgate: 1
name: device
defaults: {ioengine: io_uring, iodepth: 4, runtime: 200ms, runs: 1, sessions: 1}
waive: {short-runtime: a test, no-checks: a test, size-not-multiple-of-bs: a test}
workloads:
  - {name: a, rw: randread, precondition: {fill: random, bs: 128KiB}}
EOF
t "reading what must be filled first takes permission" 4 "$P" run device.yaml --target "$LOOP" --out refused
has "$T/err" "--allow-write"
ok "nothing was written" test "$(zeros "$T/disk")" -eq 1025
t "filled" 0 "$P" run device.yaml --target "$LOOP" --allow-write "$id" --out device
sync
ok "to the last block" test "$(zeros "$T/disk")" -eq 0
ok "each byte once" jq -e '.preparations[0] | .filled == 4198400 and (.mark | length) > 0' device/result.json
if [ "$(cat "/sys/block/${LOOP#/dev/}/queue/discard_max_bytes")" -gt 0 ]; then
	sed 's/rw: randread.*/rw: randwrite, rate_iops: 20, precondition: {trim: true}}/' device.yaml >trim.yaml
	t "trimmed" 0 "$P" run trim.yaml --target "$LOOP" --allow-write "$id" --out trimmed
	sync
	ok "most of it holds nothing" test "$(zeros "$T/disk")" -gt 900
	ok "how much is recorded" jq -e '.preparations[0].trimmed == 4198400' trimmed/result.json
	sed 's/rw: randread.*/rw: randread, precondition: {trim: true, fill: sequential}}/' device.yaml >both.yaml
	t "trimmed and filled" 0 "$P" run both.yaml --target "$LOOP" --allow-write "$id" --out both
	sync
	ok "filled behind the trim" test "$(zeros "$T/disk")" -eq 0
else
	skip "a trim" "the file behind the loop device takes no discards"
fi
t "in turns each run has its own" 0 "$P" run <(sed 's/runs: 1, sessions: 1/size: 1MiB/' device.yaml) --target "$LOOP" --allow-write "$id" --ab read_ahead_kb=64,256 --out turns
ok "eight runs, eight preparations" jq -e '.preparations | length == 8 and all(.whole) and ([.[].run] | unique | length) == 8' turns/result.json

# Interrupted, it goes on where it was; not when somebody wrote meanwhile.
sed 's/rw: randread.*/rw: randwrite, size: 4MiB, precondition: {fill: sequential, steady_state: {round: 150ms, rounds: 300..300, range: 100%, slope: 100%}}}/' device.yaml >resume.yaml
rounds() { grep -o '"rounds": \[[^]]*\]' "$1" 2>/dev/null | tail -n 1 | grep -o '[0-9.]\+' | wc -l; }
# shellcheck disable=SC2317 # called through ok
interrupt() { # SIGNAL: after three rounds of its own
	: >resume.err
	"$P" run resume.yaml --target "$LOOP" --allow-write "$id" --out resume >resume.out 2>resume.err </dev/null &
	pid=$!
	for _ in {1..600}; do
		kill -0 "$pid" 2>/dev/null || return 1
		[ "$(grep -c ': round ' resume.err)" -ge 3 ] && break
		sleep 0.05
	done
	kill -"$1" "$pid"
	wait "$pid" 2>/dev/null
	return 0
}
ok "interrupted in its rounds" interrupt INT
had=$(rounds resume/journal)
ok "its journal holds the rounds" test "$had" -ge 3
ok "interrupted again" interrupt INT
has resume.err "goes on from the run that was interrupted: $had rounds"
ok "the region was not filled again" test "$(grep -c 'its region is filled' resume.err)" -eq 0
ok "what was taken over is recorded" jq -e --argjson had "$had" '.preparations[0] | .resumed == $had and (.rounds | length) > $had and .filled == 4194304' resume/result.json
dd if=/dev/zero of="$LOOP" bs=4096 count=1 oflag=direct conv=notrunc 2>/dev/null
ok "and after somebody else wrote" interrupt INT
has resume.err "was written to since the last step, or is another one"
has resume.err "its region is filled"
ok "killed" interrupt KILL
ok "what a killed run wrote cannot be told from what others wrote" interrupt INT
has resume.err "is not used: its target was written to since"
finish
