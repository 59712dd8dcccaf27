#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Faults in the middle of a run: status 4 with the cause, no number of a failed run, the others measured.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# two FILE ENGINE-WORDS BAD-WORDS GOOD-WORDS: the workload `bad` comes to grief, `good` must not.
two() {
	{
		printf 'blkgate: 1\nname: faults\ndefaults: {runs: 2, runtime: 100ms, %s}\n' "$2"
		printf 'workloads:\n'
		printf '  - {name: bad, %s}\n  - {name: good, %s}\n' "$3" "$4"
	} >"$1"
}
# What holds after each fault, whatever it was.
aftermath() { # NAME OUT TEXT [FOLDER]
	local name=$1 out=$2 text=$3 folder=${4:-}
	has "$out/err" "$text"
	has "$out/err" "status 4"
	junit "$out/junit.xml"
	json "$out/result.json"
	ok "$name: the JUnit case is an error" grep -q 'name="measure".*' "$out/junit.xml"
	ok "$name: the cause is in the report" bash -c "tr '\n' ' ' <'$out/junit.xml' | tr -s ' ' | grep -qF -- '<error message='"
	ok "$name: the failed run has no number" jq -e '
		[.runs[] | select(.status != "ok")] | length > 0 and
		all(.[]; [(.values // {})[] | .value? | numbers] | length == 0)' "$out/result.json"
	ok "$name: and no latencies or slots" jq -e '
		[.runs[] | select(.status != "ok")] | all(.[]; (.read.ios? // 0) == 0 and (.write.ios? // 0) == 0 and (.window // 0) == 0)' "$out/result.json"
	ok "$name: it is named in the journal too" grep -q '"status": "[a-z_ -]*"' "$out/journal"
	[ -z "$folder" ] || ok "$name: no file is left" test -z "$(ls -A "$folder")"
}
# shellcheck disable=SC2016
others() { ok "$1: the other workload was measured" jq -e '[.jobs[] | .name] as $n | [.runs[] | select($n[.job] == "good" and .status == "ok")] | length == 2' "$2/result.json"; }
# fault NAME OUT TEXT SUITE [ARG...]: one faulty invocation with all that must hold after it.
fault() {
	local name=$1 out=$2 text=$3 suite=$4
	shift 4
	mkdir -p "$out"
	"$P" run "$suite" --out "$out" "$@" >"$out/out" 2>"$out/err" </dev/null
	rc=$?
	cp "$out/err" "$T/err"
	ok "$name (status 4)" test "$rc" -eq 4
	aftermath "$name" "$out" "$text"
	others "$name" "$out"
}
sim() { two "$1" 'ioengine: sim, size: 64MiB' "rw: randwrite, sim: \"lat=100us,$2\"" 'rw: randread, sim: lat=100us'; }

# Those that take their time run beside the others: the hang needs the supervisor's grace of 10 s.
sim hang.yaml hang@200
mkdir -p hang
"$P" run hang.yaml --target "$T/scratch" --out hang --seed 1 >hang/out 2>hang/err </dev/null &
hang=$!

sim eio.yaml error=EIO@100
fault "EIO in the middle" eio "Input/output error" eio.yaml --target "$T/scratch"
has eio/err "offset"
sim enospc.yaml error=ENOSPC@100
fault "ENOSPC in the middle" enospc "No space left on device" enospc.yaml --target "$T/scratch"
sim first.yaml error=EIO@1
fault "EIO at the first I/O" first "Input/output error" first.yaml --target "$T/scratch"
sim crash.yaml crash@100
fault "a worker that aborts" crash "was killed by SIGABRT" crash.yaml --target "$T/scratch"
(
	# With core dumps allowed, in a folder that goes away.
	ulimit -c unlimited 2>/dev/null
	mkdir -p cores && cd cores && "$P" run ../crash.yaml --target "$T/scratch" >out 2>err </dev/null
)
has cores/err "was killed by SIGABRT"
t "injected errors" 4 "$P" run <(sed 's/,error=EIO@1//' first.yaml) --target "$T/scratch" --inject error=0.5
has "$T/err" "Input/output error"

# A budget that is used up is an error with its sentence, and blkgate can read what it wrote.
sim budget.yaml jitter=1%
t "a budget used up in the middle" 4 "$P" run budget.yaml --target "$T/scratch" --budget written=1MB --out budget
has "$T/err" "written is used up"
ok "one run of it was measured" jq -e '[.runs[] | select(.job == 0) | .status] == ["ok", "none"]' budget/result.json
t "judge reads the result" 4 "$P" judge budget/result.json
has "$T/err" "used up"
t "judge reads the journal" 4 "$P" judge budget/journal
has "$T/err" "used up"

# The file size limit of the account: a real write fails (EFBIG), the process must not die of SIGXFSZ.
two efbig.yaml 'ioengine: psync, direct: auto' 'rw: randwrite, size: 4MiB' 'rw: randread, size: 1MiB, ioengine: sim, sim: lat=100us'
mkdir -p efbig
bash -c "ulimit -f 2048; exec '$P' run efbig.yaml --target '$T/scratch' --out efbig" >efbig/out 2>efbig/err </dev/null
rc=$?
ok "beyond the file size limit (status 4)" test "$rc" -eq 4
aftermath "beyond the file size limit" efbig "File too large" "$T/scratch"
others "beyond the file size limit" efbig

# A worker that somebody kills. The file is there already, so the only child is the worker of a run.
head -c 1M /dev/zero >"$T/data"
two kill.yaml 'ioengine: psync, direct: auto, size: 1MiB' 'rw: randread, runtime: 60s' 'rw: read'
mkdir -p kill
"$P" run kill.yaml --target "$T/data" --out kill >kill/out 2>kill/err </dev/null &
pid=$!
# The job `bad` is number 0; its worker is the child after its start record.
worker=
for _ in {1..600}; do
	kill -0 $pid 2>/dev/null || break
	if tail -n 1 kill/journal 2>/dev/null | grep -q '^{"start": \[0,'; then
		worker=$(pgrep -P $pid) && break
	fi
	sleep 0.05
done
ok "the worker was found" test -n "$worker"
[ -z "$worker" ] || kill -9 "$worker"
wait $pid
rc=$?
ok "a killed worker (status 4)" test "$rc" -eq 4
aftermath "a killed worker" kill "was killed by SIGKILL"
others "a killed worker" kill

# A worker that even SIGKILL does not end: frozen. Its target is lost, blkgate ends all the same.
freezer=/sys/fs/cgroup/freezer
stuck=
if root && [ -w $freezer/cgroup.procs ] && mkdir "$freezer/blkgate-test.$$" 2>/dev/null; then
	group=$freezer/blkgate-test.$$
	cleanup "echo THAWED >$group/freezer.state; for p in \$(cat $group/cgroup.procs); do kill -9 \$p; echo \$p >$freezer/cgroup.procs; done; sleep 0.2; rmdir $group"
	mkdir -p stuck
	"$P" run hang.yaml --target "$T/scratch" --out stuck --seed 1 >stuck/out 2>stuck/err </dev/null &
	stuck=$!
	worker=
	for _ in {1..600}; do
		kill -0 $stuck 2>/dev/null || break
		if tail -n 1 stuck/journal 2>/dev/null | grep -q '^{"start": \[0,'; then
			worker=$(pgrep -P $stuck) && break
		fi
		sleep 0.05
	done
	ok "the worker to freeze was found" test -n "$worker"
	[ -z "$worker" ] || echo "$worker" >"$group/cgroup.procs"
	echo FROZEN >"$group/freezer.state"
else
	skip "an unkillable worker" "needs root and the cgroup v1 freezer"
fi

# A device that ends early: reads beyond the truncated backing file fail.
if need "EIO of a device" losetup && loop "$T/img" 16M; then
	two short.yaml 'ioengine: psync, direct: true' 'rw: read, offset: 8MiB, size: 8MiB' 'rw: randread, size: 1MiB'
	truncate -s 4M "$T/img"
	fault "EIO of a device" short "Input/output error" short.yaml --target "$LOOP"
	has short/err "offset 8388608"
	ok "errno and place are data" jq -e '.runs[] | select(.status != "ok") | .error.offset == 8388608 or .error_offset == 8388608' short/result.json
fi

# Writes that the page cache took and the disk has no room for. The first sync tells; a second would
# succeed, so the first is final (lost-write-2).
if need "lost buffered writes" losetup mkfs.ext4 && mount_at "$T/small" -t tmpfs -o size=24m tmpfs; then
	loop "$T/small/img" 64M
	id=diskseq:$(cat "/sys/block/${LOOP#/dev/}/diskseq")
	two lost.yaml 'ioengine: psync, direct: false' 'rw: write, size: 48MiB, time_based: false, runtime: 60s, bs: 1MiB' 'rw: randread, size: 1MiB, ioengine: sim, sim: lat=100us'
	fault "lost buffered writes" lost "sync" lost.yaml --target "$LOOP" --allow-write "$id"
	has lost/err "bad"
fi
if need "ENOSPC of a file system" losetup mkfs.ext4 && mount_at "$T/thin" -t tmpfs -o size=24m tmpfs; then
	loop "$T/thin/img" 64M
	if mkfs.ext4 -q -F "$LOOP" && mount_at "$T/thin-mnt" "$LOOP"; then
		two thin.yaml 'ioengine: psync, direct: auto' 'rw: randwrite, size: 40MiB' 'rw: randread, size: 40MiB'
		mkdir -p thin
		"$P" run thin.yaml --target "$T/thin-mnt" --out thin >thin/out 2>thin/err </dev/null
		rc=$?
		ok "ENOSPC behind a file system with room (status 4)" test "$rc" -eq 4
		aftermath "ENOSPC behind a file system" thin "layout"
		ok "no file is left" test "$(find "$T/thin-mnt" -type f | wc -l)" -eq 0
	fi
fi

wait $hang
rc=$?
cp hang/err "$T/err"
ok "a worker that hangs (status 4)" test "$rc" -eq 4
aftermath "a worker that hangs" hang "hung in phase" "$T/scratch"
others "a worker that hangs" hang
if [ -n "$stuck" ]; then
	wait "$stuck"
	rc=$?
	cp stuck/err "$T/err"
	ok "an unkillable worker (status 4)" test "$rc" -eq 4
	aftermath "an unkillable worker" stuck "cannot be killed and was abandoned"
	has stuck/err "the target is lost"
	ok "it was alive when blkgate ended" kill -0 "$worker"
	echo THAWED >"$group/freezer.state"
	for _ in {1..100}; do
		kill -0 "$worker" 2>/dev/null || break
		sleep 0.1
	done
	ok "thawed it dies" bash -c "! kill -0 $worker"
fi
ok "no worker is left" test -z "$(pgrep -f -- " --target $T/")"
finish
