#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Evidence is added, never replaced: run --with, judge A B, on the sim engine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

suite() { # FILE TOLERANCE [line...]: a suite `pool` of two workloads
	local file=$1 tolerance=$2
	shift 2
	{
		printf 'blkgate: 1\nname: pool\n'
		printf 'defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "lat=100us,jitter=5%%"}\n'
		printf 'workloads:\n  - name: one\n    gate: {read.iops: %s}\n' "$tolerance"
		printf '  - name: two\n    gate: {read.iops: 10%%}\n'
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$file"
}
go() { "$P" run "$@" --target "$T/scratch" >/dev/null 2>&1 </dev/null; }
# A lost result that is no injected one: as a device that lost would leave it.
forge() { jq 'del(.inject, .injected)' "$1" >"$2"; }
suite pool.yaml '3%'
for i in 1 2; do
	go pool.yaml --sessions 1 --out "base$i"
	t "accept session $i" 0 "$P" baseline accept "base$i/result.json"
done

# --- a session a boot: the second run goes on where the first could not decide
t "the first session is not enough" 3 "$P" run pool.yaml --target "$T/scratch" --sessions 1 --change X --out a
has "$T/err" "--only one --sessions 2 --with a/result.json"
t "the next one goes on" 3 "$P" run pool.yaml --target "$T/scratch" --only one --sessions 2 --with a/result.json --out b
hasnt "$T/err" "no gate can turn red"
hasnt "$T/err" "note: nothing of the sequence"
has "$T/err" "note: --change 'X' is that of 'a/result.json'"
has "$T/err" "attempt 1, "
has "$T/err" "1 undecided, 1 pass (status 3)"
has "$T/err" "undecided after 3 of at most 5 new sessions"
junit b/junit.xml
json b/result.json
has b/junit.xml 'name="blkgate.attempt.1"'
ok "it holds the sessions of both" jq -e '(.sessions | length) == 3 and (.sessions[0].from == 1) and (.sessions[0].boot == .host["boot.id"]) and .change == "X"' b/result.json
ok "with the first session of the first" test "$(jq -r '.sessions[0].id' a/result.json)" = "$(jq -r '.sessions[0].id' b/result.json)"
ok "and is whole, for what was not selected was measured before" jq -e 'has("partial") | not' b/result.json
verdicts() { jq -S '[.status, .verdicts]' "$1"; }
bare() { jq 'del(.verdicts, .status, .baseline_digest)' "$1"; }
bare b/result.json >bare.json
t "judge needs this file alone" 3 "$P" judge bare.json --json again.json
ok "the same verdict, bit for bit" diff <(verdicts b/result.json) <(verdicts again.json)
t "so does the journal" 3 "$P" judge b/journal --json journal.json
ok "the same verdict from the journal" diff <(verdicts b/result.json) <(verdicts journal.json)
t "a third run over the second's folder" 3 "$P" run pool.yaml --target "$T/scratch" --only one --sessions 1 --with b/result.json --out b
ok "its result is the whole sequence" jq -e '(.sessions | length) == 4 and (.attempts | length) == 3' b/result.json
ok "and the evidence was kept aside" test -e b/result.json.old

# --- judge pools files of one change
go pool.yaml --sessions 1 --change X --out c
t "two files of one change" 3 "$P" judge c/result.json a/result.json --json pooled.json
has "$T/err" "2 sessions"
has "$T/err" "undecided after 2 of at most 5 new sessions"
ok "in order of time" test "$(jq -r '.sessions[0].id' a/result.json)" = "$(jq -r '.sessions[0].id' pooled.json)"
t "the pooled file is a result" 3 "$P" judge pooled.json
t "one file twice is one" 3 "$P" judge a/result.json a/result.json
has "$T/err" "1 session, "
t "report stays with each file" 2 "$P" report a/result.json c/result.json
has "$T/err" "or pool them: blkgate judge"
go pool.yaml --sessions 1 --change Y --out y
t "another change" 2 "$P" judge a/result.json y/result.json
# which of two that began in one second comes first is open
has "$T/err" "is no evidence for this result: it is of change '"
go pool.yaml --sessions 1 --out none
t "no change id beside one" 2 "$P" judge a/result.json none/result.json
has "$T/err" "names none"
go pool.yaml --sessions 1 --out none2
t "no change id on either side, nothing differs" 3 "$P" judge none/result.json none2/result.json
jq '.targets[0].facts["device.firmware"] = "other"' none/result.json >firmware.json
t "no change id on either side, another firmware" 2 "$P" judge firmware.json none2/result.json
has "$T/err" "device.firmware "

# --- no retry until green
go pool.yaml --change X --inject slow=30% --out lost
forge lost/result.json red.json
t "a lost result is red" 1 "$P" judge red.json
t "good sessions behind it change nothing" 1 "$P" run pool.yaml --target "$T/scratch" --sessions 2 --change X --with red.json --out green
has "$T/err" "decided after session 2, 2 further ones beside it"
has "$T/err" "note: nothing of the sequence is undecided"
t "nor does what is not selected" 1 "$P" run pool.yaml --target "$T/scratch" --only two --sessions 1 --change X --with red.json --out green2
t "nor does the order of the files" 1 "$P" judge green/result.json red.json
jq '.runs[].wall += 1' red.json >forged.json
t "another file that says it is the same" 2 "$P" judge red.json forged.json
has "$T/err" "both hold session '"
has "$T/err" "'forged.json'"
ok "half of it" jq '.sessions |= .[:1] | .runs |= map(select(.session == 0))' red.json
cp "$T/ok.out" half.json
t "a part of it counts no more than the whole" 1 "$P" judge half.json red.json
t "in either order" 1 "$P" judge red.json half.json
t "nor does a part hide it" 1 "$P" judge half.json red.json green/result.json
go pool.yaml --change X --sessions 2 --out early
jq '.sessions[].started -= 86400000 | .started -= 86400000' early/result.json >early.json
t "a green with an earlier clock" 3 "$P" judge red.json early.json --junit early.xml
has "$T/err" "WARNING: red by itself: attempt 2"
has "$T/err" "1 attempt red by itself"
has early.xml 'name="blkgate.warning" value="WARNING: red by itself: attempt 2'
has early.xml "WORSE BEHIND ITS DECISION"
suite wide.yaml '40%'
t "nor a tolerance widened meanwhile" 2 "$P" run wide.yaml --target "$T/scratch" --change X --with red.json --out green
has "$T/err" "demanded another thing then"

# --- a red attempt that a run would leave out
t "a lost result is entered" 1 "$P" judge red.json --history past
cp -r green/. red-out
cp red.json red-out/result.json
t "the same change once more, in its place" 2 "$P" run pool.yaml --target "$T/scratch" --change X --out red-out
has "$T/err" "'red-out/result.json' is a red attempt of change 'X'"
has "$T/err" "--with red-out/result.json"
ok "nothing was measured, nothing moved" cmp red.json red-out/result.json
t "or with it in the history" 2 "$P" run pool.yaml --target "$T/scratch" --change X --out new-out --history past
has "$T/err" "is a red attempt of change 'X'"
has "$T/err" "--with RESULT, the file that holds session '$(jq -r '.sessions[0].id' red.json)'"
t "with it the run goes on" 1 "$P" run pool.yaml --target "$T/scratch" --change X --sessions 1 --out red-out --history past --with red-out/result.json
t "another change is free" 3 "$P" run pool.yaml --target "$T/scratch" --change Y --sessions 1 --out red-out --history past
cp red.json red-out/result.json
t "so is an injected one" 1 "$P" run pool.yaml --target "$T/scratch" --change X --inject slow=40% --out red-out --history past
t "and a green one may be repeated" 3 "$P" run pool.yaml --target "$T/scratch" --change Y --sessions 1 --out red-out

# --- a sequence is one entry of the history, and one that is used up says so
t "five sessions" 3 "$P" run pool.yaml --target "$T/scratch" --change H --sessions 5 --out five --history hist
t "two more" 3 "$P" run pool.yaml --target "$T/scratch" --only one --sessions 2 --with five/result.json --out seven --history hist
has "$T/err" "2 sessions beyond the 5 of the sequence are not judged"
has "$T/err" "note: the sequence has all its sessions: what this run measures is shown beside it"
ok "one entry" test "$(find hist -name '*.json' | wc -l)" -eq 1

# --- what is no evidence
for o in lost a; do cp "$o/result.json" "$o.json"; done
refused() { # NAME FILE TEXT [ARG...]
	local name=$1 file=$2 text=$3
	shift 3
	t "$name" 2 "$P" run pool.yaml --target "$T/scratch" --change X --with "$file" --out no "$@"
	has "$T/err" "$text"
	ok "nothing was measured" test ! -e no/result.json
	junit no/junit.xml
}
refused "injected" lost.json "it is injected"
refused "an injected run adds none" a.json "adds no evidence" --inject slow=10%
jq '.interrupted = true | .partial = "interrupted"' a.json >int.json
refused "interrupted" int.json "it was interrupted"
jq 'del(.runs[0])' a.json >short.json
refused "not whole" short.json "the measurement of "
head -n 3 a/journal >torn
refused "unfinished" torn "it is unfinished"
refused "other runs" a.json "runs of a session 5 -> 6" --runs 6
jq '.jobs[0].text |= sub("iodepth=1 "; "iodepth=2 ")' a.json >depth.json
refused "another job" depth.json "iodepth"
jq '.host["kernel.release"] = "1.0"' a.json >kernel.json
refused "another kernel" kernel.json "kernel.release 1.0 -> "
refused "another label" a.json "label.adapter absent -> B" --label adapter=B
t "no such file" 4 "$P" run pool.yaml --target "$T/scratch" --with nothing.json --out no
t "its own evidence is not overwritten" 2 "$P" run pool.yaml --target "$T/scratch" --change X --with a.json --json a.json --out no
has "$T/err" "is the result that --with goes on from"

# --- accepting the sequence: each session with its own boot
jq '.host["boot.id"] = "another-boot"' a.json >boot.json
t "over a reboot" 3 "$P" run pool.yaml --target "$T/scratch" --sessions 1 --with boot.json --out boots
ok "each session keeps its boot" jq -e '[.sessions[].boot] | unique | length == 2' boots/result.json
t "accepted" 0 "$P" baseline accept boots/result.json
ok "with it" grep -q '"boot_id": "another-boot"' "baselines/pool/default/$(jq -r '.sessions[0].id' a.json).json"
finish
