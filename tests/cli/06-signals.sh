#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Signals, locks, clocks: what was measured is judged and written, nothing is left behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# `short` is over at once, `long` never ends by itself while a test waits for it.
cat >s.yaml <<'END'
blkgate: 1
name: signals
defaults: {ioengine: psync, direct: auto, size: 1MiB, rw: randread, runs: 1}
workloads:
  - {name: short, runtime: 100ms}
  - {name: long, runtime: 10min}
END
# start OUT [ARG...]: in the background; $pid. wait_long OUT: until the run of `long` is going on.
start() {
	local out=$1
	shift
	mkdir -p "$out"
	"$P" run s.yaml --target "$T/scratch" --out "$out" --junit "$out/also.xml" --json "$out/also.json" "$@" >"$out/out" 2>"$out/err" </dev/null &
	pid=$!
}
# shellcheck disable=SC2317 # called through ok
wait_long() {
	local out=$1
	for _ in {1..1200}; do
		kill -0 "$pid" 2>/dev/null || return 1
		if tail -n 1 "$out/journal" 2>/dev/null | grep -q '^{"start": \[1,' && pgrep -P "$pid" >/dev/null; then
			return 0
		fi
		sleep 0.05
	done
	return 1
}
# A seed with which `short` comes first, so that one run is finished when the signal comes.
seed=
for s in 1 2 3 4 5 6 7 8 9; do
	start order --seed $s
	for _ in {1..1200}; do
		grep -q '^{"start"' order/journal 2>/dev/null && break
		sleep 0.05
	done
	first=$(grep -m 1 '^{"start"' order/journal)
	kill -INT $pid
	wait $pid
	case $first in '{"start": [0,'*)
		seed=$s
		break
		;;
	esac
done
ok "a seed was found" test -n "$seed"

for sig in INT TERM HUP; do
	start $sig --seed "$seed"
	ok "SIG$sig: the run goes on" wait_long $sig
	kill -$sig $pid
	wait $pid
	rc=$?
	cp $sig/err "$T/err"
	ok "SIG$sig (status 130)" test "$rc" -eq 130
	has $sig/err "INTERRUPTED"
	has $sig/err "status 130"
	has $sig/err "partial: interrupted"
	junit $sig/junit.xml $sig/also.xml
	json $sig/result.json
	ok "SIG$sig: every document is there" cmp $sig/result.json $sig/also.json
	ok "SIG$sig: marked in the result" jq -e '.interrupted == true and .partial == "interrupted" and .status == 130' $sig/result.json
	ok "SIG$sig: what was measured is kept" jq -e '[.runs[] | select(.job == 0 and .status == "ok" and .values["read.iops"].value > 0)] | length == 1' $sig/result.json
	ok "SIG$sig: the cut run has no number" jq -e '[.runs[] | select(.job == 1) | select(.status == "ok")] | length == 0' $sig/result.json
	ok "SIG$sig: the number of cases stays" test "$(grep -c '<testcase' $sig/junit.xml)" -eq 2
	ok "SIG$sig: nothing is left" test -z "$(ls -A "$T/scratch")"
	t "SIG$sig: judge says the same" 130 "$P" judge $sig/result.json
	t "SIG$sig: and so does the journal" 130 "$P" judge $sig/journal
	t "SIG$sig: never accepted" 2 "$P" baseline accept $sig/result.json
	has "$T/err" "interrupted"
done
ok "no worker is left" test -z "$(pgrep -f -- " --target $T/")"

# The terminal's Ctrl-C goes to the whole group; a second one must not spoil the documents.
start twice --seed "$seed"
ok "a second signal: the run goes on" wait_long twice
kill -INT $pid
kill -TERM $pid
wait $pid
ok "a second signal (status 130)" test $? -eq 130
junit twice/junit.xml
json twice/result.json
t "bisect stops at an interruption" 128 bash -c "
	'$P' run s.yaml --target '$T/scratch' --out bisect --bisect --seed $seed & p=\$!
	for _ in {1..1200}; do grep -q '^{\"start\": \[1,' bisect/journal 2>/dev/null && break; sleep 0.05; done
	kill -INT \$p; wait \$p"

# SIGSTOP and SIGCONT are no error of a run (interrupt-1).
start stopped --seed "$seed"
ok "stopped: the run goes on" wait_long stopped
worker=$(pgrep -P $pid)
for _ in {1..20}; do
	kill -STOP "$worker" && kill -CONT "$worker"
done
kill -INT $pid
wait $pid
ok "stopped and continued (status 130, no I/O error)" test $? -eq 130
hasnt stopped/err "io_error"

# blkgate itself is killed: the journal is the result, the files had no names, the worker goes too.
start killed --seed "$seed"
ok "SIGKILL: the run goes on" wait_long killed
worker=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>/dev/null
for _ in {1..200}; do
	kill -0 "$worker" 2>/dev/null || break
	sleep 0.05
done
ok "SIGKILL: no worker is left" bash -c "! kill -0 $worker"
ok "SIGKILL: no file is left" test -z "$(ls -A "$T/scratch")"
t "SIGKILL: the journal judges" 4 "$P" judge killed/journal --junit killed/from-journal.xml --json killed/from-journal.json
has "$T/err" "lost"
junit killed/from-journal.xml
json killed/from-journal.json
ok "SIGKILL: the finished run counts, the other is lost" jq -e '[.runs[].status] == ["ok", "lost"]' killed/from-journal.json
ok "SIGKILL: one case is whole, one an error" test "$(grep -c '<error' killed/from-journal.xml)" -eq 1
t "SIGKILL: the next run is free to go" 0 "$P" run <(sed '/long/d' s.yaml) --target "$T/scratch" --out after

# Two runs on one folder: the second says who is in its way, or waits.
start holder --seed "$seed"
holder=$pid
ok "lock: the first goes on" wait_long holder
sed '/long/d' s.yaml >short.yaml
t "a second run on the folder" 4 "$P" run short.yaml --target "$T/scratch" --out second
has "$T/err" "'$T/scratch' is locked by another run"
has "$T/err" "--wait-lock"
junit second/junit.xml
t "a second run that waits in vain" 4 "$P" run short.yaml --target "$T/scratch" --out second --wait-lock 100ms
has "$T/err" "is locked by another run"
t "a second run into the same folder of results" 4 "$P" run short.yaml --target "$T/here" --out holder
has "$T/err" "another blkgate run is writing 'holder/journal'"
ok "it did not cut the journal of the first" grep -q '^{"start": \[1,' holder/journal
t "the folder of results is no target" 4 "$P" run short.yaml --target "$T/here" --out "$T/here"
has "$T/err" "where nothing is measured; name another folder"
"$P" run short.yaml --target "$T/scratch" --out waiter --wait-lock 5min >waiter.out 2>waiter.err </dev/null &
waiter=$!
for _ in {1..1200}; do
	[ -s waiter/journal ] && break
	sleep 0.05
done
ok "the waiting one waits" kill -0 $waiter
kill -INT $holder
wait $holder
ok "the first ends with its own status" test $? -eq 130
wait $waiter
rc=$?
cp waiter.err "$T/err"
ok "the waiting one runs then (status 0)" test "$rc" -eq 0
# A signal ends the waiting too.
start holder --seed "$seed"
holder=$pid
ok "lock again: the first goes on" wait_long holder
"$P" run short.yaml --target "$T/scratch" --out waiter2 --wait-lock 5min >waiter.out 2>waiter.err </dev/null &
waiter=$!
for _ in {1..1200}; do
	[ -s waiter2/journal ] && break
	sleep 0.05
done
kill -TERM $waiter
wait $waiter
ok "a signal ends the waiting (status 130)" test $? -eq 130
kill -INT $holder
wait $holder

# A clock that was set back: a result that ended before it started is judged all the same.
sim_suite sim.yaml "lat=100us,sd=0.5%" "gate: {read.iops: 10%}"
t "a session for the clock" 5 "$P" run sim.yaml --target "$T/scratch" --seed 1 --out clock
t "accepted" 0 "$P" baseline accept clock/result.json
t "another" 0 "$P" run sim.yaml --target "$T/scratch" --seed 2 --out clock2
jq '.ended = .started - 86400 | .sessions[].ended = .started - 86400' clock2/result.json >back.json
t "a clock set back" 0 "$P" judge back.json --junit back.xml
junit back.xml
jq '.ended = 0 | .started = 0 | .sessions[].started = 0 | .sessions[].ended = 0 | .runs[].started = 0' clock2/result.json >zero.json
t "a clock that was never set" 0 "$P" judge zero.json --junit zero.xml
junit zero.xml
finish
