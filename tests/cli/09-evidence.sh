#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing old, foreign or half made may pass for evidence of this run; budgets, locks, streams.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
sim_suite s.yaml "lat=100us" "expect: [read.iops >= 1]" "gate: {read.iops: 10%}"
run=("$P" run s.yaml --target "$T/scratch")

# --- documents of an earlier run
t "a run" 5 "${run[@]}"
cp blkgate-out/result.json first.json
echo "broken: [" >bad.yaml
t "a suite error afterwards" 2 "$P" run bad.yaml --target "$T/scratch"
ok "leaves no older result to be accepted" test ! -e blkgate-out/result.json
t "accept finds nothing" 4 "$P" baseline accept blkgate-out/result.json
t "a run" 5 "${run[@]}"
t "a JUnit path that cannot be written" 4 "${run[@]}" --junit none/x.xml
ok "costs no older result" test -s blkgate-out/result.json
sim_suite hang.yaml "hang@3" "expect: [read.iops >= 1]"
"$P" run hang.yaml --target "$T/scratch" >"$T/out" 2>"$T/err" &
pid=$!
for _ in $(seq 200); do
	# one reading: the journal of the run before, which has an end, may
	# be replaced between two
	journal=$(cat blkgate-out/journal 2>/dev/null)
	[[ $journal == *'"start"'* && $journal != *'"end"'* ]] &&
		! [ -e blkgate-out/result.json ] && break
	sleep 0.05
done
kill -9 "$pid"
wait "$pid" 2>/dev/null
ok "a killed run leaves no older result" test ! -e blkgate-out/result.json
ok "but a JUnit file that says not measured" grep -q 'not measured' blkgate-out/junit.xml
t "the next run keeps the unfinished journal" 5 "${run[@]}" --verbose
t "which can be judged" 4 "$P" judge blkgate-out/journal.old
has "$T/err" "lost"

# --- budgets
cat >b.yaml <<'Y'
blkgate: 1
name: b
defaults: {ioengine: psync, direct: false, size: 4MiB, loops: 1, runs: 2, sessions: 3}
workloads:
  - {name: r, rw: read, expect: [read.iops >= 1]}
Y
t "a budget that holds no session is refused" 2 "$P" run b.yaml --target "$T/scratch" --budget time=1ms
ok "and said in the result" jq -e '.setup_error | test("^3 sessions take about .*, the budget is 1 ms$")' blkgate-out/result.json
ok "nothing was run" jq -e '.runs == []' blkgate-out/result.json
t "plan refuses it too" 2 "$P" plan b.yaml --target "$T/scratch" --budget time=1ms
t "and a dry run" 2 "$P" run b.yaml --target "$T/scratch" --budget time=1ms --dry-run
t "a layout beyond the byte budget is not made" 2 "$P" run b.yaml --target "$T/scratch" --budget written=1MiB
ok "by what the files take" jq -e '.setup_error == "3 sessions write 12 MiB to make the files alone, the budget is 1 MiB"' blkgate-out/result.json
cat >long.yaml <<'Y'
blkgate: 1
name: long
defaults: {ioengine: sim, size: 4MiB, runtime: 1h, sim: "lat=100ms"}
workloads:
  - {name: r, rw: read, expect: [read.iops >= 1]}
Y
t "one that runs out on the way is an error" 4 "$P" run long.yaml --target "$T/scratch" --budget time=1s
has "$T/err" "the budget of 1 s is used up"
ok "and said in the result" jq -e '.partial | test("budget")' blkgate-out/result.json
cat >wb.yaml <<'Y'
blkgate: 1
name: wb
defaults: {ioengine: psync, direct: false, size: 4MiB, loops: 1, runs: 5, sessions: 1}
workloads:
  - {name: w, rw: write, expect: [write.iops >= 1]}
Y
t "bytes that run out in the middle" 4 "$P" run wb.yaml --target "$T/scratch" --budget written=13MiB
has "$T/err" "written is used up"
ok "two runs were made" jq -e '[.runs[] | select(.written > 0)] | length == 2' blkgate-out/result.json
t "with room it runs" 0 "$P" run b.yaml --target "$T/scratch" --budget written=100MiB
ok "three sessions, complete" jq -e '.sessions | length == 3 and all(.complete)' blkgate-out/result.json

# --- a target that changes while the lock is awaited
echo precious >precious
truncate -s 1M allowed
head -c 1M /dev/zero >allowed
cat >w.yaml <<'Y'
blkgate: 1
name: w
defaults: {ioengine: psync, direct: false, size: 512KiB, bs: 4KiB, runs: 1, sessions: 1}
workloads:
  - {name: w, rw: write}
Y
# shellcheck disable=SC2094
(flock -x 9 && : >locked && while ! [ -e swap ]; do sleep 0.05; done && mv allowed gone && ln -s precious allowed) 9<allowed &
while ! [ -e locked ]; do sleep 0.05; done
"$P" run w.yaml --target "$PWD/allowed" --allow-write "$PWD/allowed" --wait-lock 30s --out swapped >"$T/out" 2>"$T/err" &
pid=$!
sleep 0.5
: >swap
wait "$pid"
got=$?
ok "a file that was replaced meanwhile is refused" test "$got" -eq 4
ok "and the other file is untouched" grep -qx precious precious
t "two roles for one target" 2 "$P" run s.yaml --target a="$T/scratch" --target b="$T/scratch/."

# --- streams
t "closed standard descriptors" 5 bash -c '"$0" "$@" --out closed 1>&- 2>&- 0<&-' "${run[@]}"
t "do not end in the journal" 5 "$P" judge closed/journal
t "a pipe that nobody reads" 5 bash -c '"$0" judge first.json 2>/dev/null; s=$?; "$0" judge first.json --json - 2>/dev/null | true; exit $s' "$P"
"${run[@]}" --junit /dev/stdout >stream.xml 2>/dev/null
ok "one document on a stream" test "$(grep -c '<?xml' stream.xml)" -eq 1

# --- options
t "bisect: a wrong option blames no commit" 128 "${run[@]}" --bisect --nonsense
t "bisect: a wrong injection neither" 128 "${run[@]}" --bisect --inject x=1
: >isfile
t "bisect: a folder that cannot be made cannot tell" 125 "${run[@]}" --bisect --out isfile/x
for twice in "--runs 5 --runs 7" "--seed 1 --seed 2" "--quiet --quiet" "--out a --out b"; do
	# shellcheck disable=SC2086
	t "given twice: $twice" 2 "${run[@]}" $twice
done
for zero in time=0s written=0; do
	t "a budget of nothing: $zero" 2 "${run[@]}" --budget "$zero"
done
t "judge --bisect of nothing" 128 "$P" judge --bisect
t "JSON and JUnit in one place" 2 "${run[@]}" --json same.out --junit same.out
t "by two names of one stream" 2 "${run[@]}" --json /dev/stdout --junit -
t "JSON over the JUnit file" 2 "${run[@]}" --json blkgate-out/junit.xml

# --- what cannot be read is in the documents too
t "judge of a file that is not there" 4 "$P" judge none.json --junit none.xml --json none.out
ok "an error case in JUnit" grep -q '<error' none.xml
ok "and valid JSON" jq -e '.setup_error | test("none.json")' none.out
t "a suite error with JSON on stdout" 2 "$P" run bad.yaml --target "$T/scratch" --json -
ok "is valid JSON" jq -e '.blkgate_result == 1 and .status == 2' "$T/out"
t "first" 0 "$P" baseline accept first.json
cases() { grep -c '<testcase' "$1"; }
t "with a baseline" 0 "${run[@]}"
before=$(cases blkgate-out/junit.xml)
cp -r baselines kept
truncate -s -10 baselines/simulated/default/*.json
t "with a damaged one" 4 "${run[@]}"
has "$T/err" "baselines/simulated/default"
ok "as many cases" test "$(cases blkgate-out/junit.xml)" -eq "$before"
rm -rf baselines && mv kept baselines
mkfifo baselines/simulated/default/fifo.json
t "a fifo among the baselines is not waited for" 4 timeout 20 "${run[@]}"
rm baselines/simulated/default/fifo.json
mkdir -p link && ln -s ../precious link/journal
t "a journal that is a link" 4 "${run[@]}" --out link
ok "is not followed" grep -qx precious precious
mkdir -p pipe && mkfifo pipe/journal
t "a journal that is a fifo" 4 timeout 20 "${run[@]}" --out pipe
t "judge under another profile" 5 "$P" judge first.json --profile other
has "$T/err" "profile other"
t "report of two with one JSON" 2 "$P" report first.json first.json --json x.json
t "only a check" 0 "${run[@]}" --check 'expect*'
ok "the other is skipped, not judged" jq -e '.verdicts | any(.check == "gate read.iops" and .verdict == "skipped")' blkgate-out/result.json
ok "and stays so offline" test "$("$P" judge blkgate-out/result.json --quiet 2>&1 | grep -c 'status 0')" -eq 1

# --- what measured nothing, the sessions that were not made, the measurement itself
sim_suite slow.yaml "lat=3s" "expect: [read.lat.max <= 5s]"
t "no I/O completed in the window" 4 "$P" run slow.yaml --target "$T/scratch" --out slow
has "$T/err" "no I/O completed in the window"
t "three sessions" 0 "$P" run s.yaml --target "$T/scratch" --sessions 3 --check 'expect*' --out three
sed "$(grep -n '^{"session"' three/journal | sed -n 2p | cut -d: -f1)q" three/journal >one-of-three
t "one session of three" 4 "$P" judge one-of-three
has "$T/err" "session 2 of at least 3"
sed '$d' three/journal >endless
t "all sessions and no end" 4 "$P" judge endless
t "a result against itself" 5 "$P" judge first.json --against first.json
has "$T/err" "this measurement itself"
t "and judged against what was accepted of it" 5 "$P" judge first.json
t "an injected run" 1 "${run[@]}" --inject slow=30% --out injected
t "is no reference" 2 "$P" judge first.json --against injected/result.json
has "$T/err" "injected"
t "nor is a part of a run" 2 "$P" judge first.json --against three/result.json
has "$T/err" "partial"

# --- a new epoch is no retirement
cat >two.yaml <<'Y'
blkgate: 1
name: two
defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "lat=100us"}
workloads:
  - {name: A, gate: {read.iops: 10%}}
  - {name: B, gate: {read.iops: 10%}}
Y
t "two gated workloads" 5 "$P" run two.yaml --target "$T/scratch" --out two
t "accepted" 0 "$P" baseline accept two/result.json
sed -i '/name: B/d' two.yaml
t "one of them is gone" 4 "$P" run two.yaml --target "$T/scratch" --out two
t "that cannot be accepted away" 2 "$P" baseline accept two/result.json --new-epoch --reason x
has "$T/err" "baseline retire 'dut B'"
t "but retired" 0 "$P" baseline retire 'dut B' --suite two --reason sold
t "a new epoch without it" 0 "$P" baseline accept two/result.json --new-epoch --reason x
t "and green" 0 "$P" run two.yaml --target "$T/scratch" --out two

# --- no document over what the command reads or may write
head -c 1M /dev/urandom >data.img
sum=$(cksum <data.img)
for doc in "--json data.img" "--junit data.img" "--junit ./data.img"; do
	# shellcheck disable=SC2086
	t "a document over the target: $doc" 2 "$P" run s.yaml --target data.img $doc
done
ln -s data.img alias.img
t "or over a link to it" 2 "$P" run s.yaml --target data.img --junit alias.img
ok "the target stands" test "$(cksum <data.img)" = "$sum"
sum=$(cksum <s.yaml)
t "over the suite" 2 "${run[@]}" --junit s.yaml
t "over the suite" 2 "${run[@]}" --json s.yaml
ok "the suite stands" test "$(cksum <s.yaml)" = "$sum"
stored=$(echo baselines/simulated/default/2*.json)
t "over an accepted session" 2 "${run[@]}" --json "$stored"
ok "the session stands" jq -e .blkgate_baseline "$stored"
t "judge over its input" 2 "$P" judge first.json --junit first.json
t "report over its input" 2 "$P" report first.json --json first.json
t "judge over what it compares with" 2 "$P" judge first.json --against first.json --junit first.json
ok "the result stands" jq -e .blkgate_result first.json
mkdir -p both && cp data.img both/result.json
t "a target where the result belongs" 2 "$P" run s.yaml --target both/result.json --out both
ok "stands" cmp data.img both/result.json

# --- nothing that was measured is overwritten by what was not
t "a good run" 0 "${run[@]}" --out kept
cp kept/result.json good.json
t "a mistyped target" 4 "$P" run s.yaml --target nowhere --out kept
t "and again" 4 "$P" run s.yaml --target nowhere --out kept
ok "the good result is there" cmp good.json kept/result.json.old
mkdir -p blocked && cp good.json blocked/result.json
t "a result that cannot be set aside" 0 "${run[@]}" --out blocked
ok "is set aside under another name" test -s blocked/result.json.old

# --- baseline commands without effect, and retirements that outlive no clock
t "retire --dry-run of what is not demanded" 2 "$P" baseline retire 'dut nothing' --suite simulated --reason x --dry-run
t "retire --dry-run" 0 "$P" baseline retire 'dut one' --suite simulated --reason x --dry-run
ok "writes no record" bash -c '! ls baselines/simulated/default/RETIRE* 2>/dev/null'
t "retire" 0 "$P" baseline retire 'dut one' --suite simulated --reason x
"${run[@]}" --out newer >/dev/null 2>&1
t "accept at once" 0 "$P" baseline accept newer/result.json
sed 's/name: one/name: other/' s.yaml >other.yaml
t "what was accepted later is demanded again" 4 "$P" run other.yaml --target "$T/scratch" --out other
has "$T/err" "retire 'dut one'"
t "JSON to a closed stdout" 4 bash -c '"$0" "$@" --json - --quiet --out closed2 1>&-' "${run[@]}"
ln -s nowhere deadlink
t "baselines behind a link that leads nowhere" 4 "${run[@]}" --baselines deadlink --policy no_baseline=warn

# --- what stands in the baseline, what is not whole, and what is no result
sim_suite whole.yaml "lat=100us,jitter=5%" "gate: {read.iops: 50%}"
sed -i 's/^name: .*/name: whole/' whole.yaml
"$P" run whole.yaml --target "$T/scratch" --out whole >/dev/null 2>&1 </dev/null
t "not stored yet: it may be accepted" 5 "$P" judge whole/result.json
has "$T/err" "if wanted: blkgate baseline accept whole/result.json"
t "accepted" 0 "$P" baseline accept whole/result.json
t "stored: it need not be accepted again" 5 "$P" judge whole/result.json
hasnt "$T/err" "baseline accept whole/result.json"
has "$T/err" "judged again, and the baseline is another one than when this result was written"
t "its own session is left out, and that is said" 0 "$P" baseline diff whole/result.json
has "$T/out" "without session $(jq -r '.sessions[0].id' whole/result.json), which is of this result"
for none in whole.yaml whole-suite; do
	t "diff of '$none', which is no result" 2 "$P" baseline diff "$none"
	has "$T/err" "baseline diff needs a result"
done
"$P" run whole.yaml --target "$T/scratch" --out whole2 >/dev/null 2>&1 </dev/null
t "a whole one passes" 0 "$P" judge whole2/result.json
hasnt "$T/err" "judged again"
jq '.sessions[0].complete = false' whole2/result.json >torn.json
t "one whose session is not complete does not" 4 "$P" judge torn.json
has "$T/err" "session '$(jq -r '.sessions[0].id' torn.json)' is not complete"
grep -v '^{"end"' whole2/journal | grep -v '"complete":true' >torn
t "nor does a journal that lacks the end of its session" 4 "$P" judge torn
t "help says what each verb takes" 0 "$P" baseline --help
has "$T/out" "drop SESSION..."
finish
