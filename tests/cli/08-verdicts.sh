#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Verdicts from end to end on the sim engine: each row of the table of verdicts with its status, its
# JUnit shape and its policies. A loss comes from --inject, which cannot be accepted by mistake.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# suite NAME [line...]: one workload `one` of 10 k IOPS with these lines; SIM and TOP change the rest.
SIM="lat=100us,jitter=5%"
suite() {
	local name=$1
	shift
	{
		printf 'blkgate: 1\nname: %s\n' "$name"
		[ -z "${TOP:-}" ] || printf '%s\n' "$TOP"
		printf 'defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "%s"}\n' "$SIM"
		printf 'workloads:\n  - name: one\n'
		[ $# -eq 0 ] || printf '    %s\n' "$@"
	} >"$name.yaml"
}
go() { # NAME STATUS SUITE [ARG...]
	local name=$1 want=$2 s=$3
	shift 3
	rm -rf "out-$s"
	t "$name" "$want" "$P" run "$s.yaml" --target "$T/scratch" --seed 2 --out "out-$s" "$@"
	junit "out-$s/junit.xml"
	has "$T/err" "status $want"
}
base() { # SUITE: one accepted session
	"$P" run "$1.yaml" --target "$T/scratch" --seed 1 --out base >/dev/null 2>&1 </dev/null
	t "accept the session of $1" 0 "$P" baseline accept base/result.json
}
case_of() { # SUITE CHECK ELEMENT TYPE: the case has this child
	ok "$2 is <$3 $4>" bash -c "grep -A 1 'name=\"$2\"' 'out-$1/junit.xml' | grep -q '<$3 message=\".*type=\"$4\"'"
}
skipped() { ok "$2 is skipped: $3" bash -c "grep -A 1 'name=\"$2\"' 'out-$1/junit.xml' | grep -qF '<skipped message=\"$3'"; }
green() { ok "$2 is a plain case" bash -c "grep 'name=\"$2\"' 'out-$1/junit.xml' | grep -q '/>\$'"; }
# shellcheck disable=SC2016 # for jq
verdict() { ok "$2 is $3 in the result" jq -e --arg c "$2" --arg v "$3" '.verdicts | any(.check == $c and .verdict == $v)' "out-$1/result.json"; }

# --- no baseline, then pass, regression, and the provisional mark
suite gate 'gate: {read.iops: 10%}'
go "no baseline" 5 gate
ok "it says where it looked" jq -e '.verdicts | any(.text | test("baselines/gate/default. does not exist; keep this measurement with .blkgate baseline accept RESULT`"))' out-gate/result.json
case_of gate "gate read.iops" error no-baseline
verdict gate "gate read.iops" no-baseline
go "no baseline, only warned" 0 gate --policy no_baseline=warn
skipped gate "gate read.iops" ""
base gate
go "pass" 0 gate
green gate "gate read.iops"
has "$T/err" "provisional (1 of 5)"
go "a provisional pass that must not open the gate" 5 gate --policy provisional=fail
case_of gate "gate read.iops" error provisional
ok "that says why" jq -e '.verdicts | any(.text | test("^the baseline is too thin .1 of 5. and provisional=fail: "))' out-gate/result.json
go "regression" 1 gate --inject slow=30%
case_of gate "gate read.iops" failure regression
verdict gate "gate read.iops" regression
has "$T/err" "tolerance 10 %"
ok "two sessions agreed" jq -e '.sessions | length == 2' out-gate/result.json
go "a provisional regression stays one" 1 gate --policy provisional=fail --inject slow=30%
go "one session alone is never red" 3 gate --sessions 1 --inject slow=30%
has "$T/err" "with 1 session no gate can turn red"

# --- undecided, leaning pass and leaning fail, under each policy
suite narrow 'gate: {read.iops: 5%}'
base narrow
go "undecided, leaning pass" 3 narrow
has "$T/err" "leaning pass"
has "$T/err" "cannot be excluded"
skipped narrow "gate read.iops" "inconclusive: "
verdict narrow "gate read.iops" inconclusive
ok "all five sessions were used" jq -e '.sessions | length == 5' out-narrow/result.json
go "leaning pass, report" 3 narrow --policy inconclusive=report
go "leaning pass, fail" 1 narrow --policy inconclusive=fail
case_of narrow "gate read.iops" failure inconclusive
go "leaning pass, warn" 0 narrow --policy inconclusive=warn
skipped narrow "gate read.iops" "inconclusive: "
go "leaning fail" 3 narrow --inject slow=4%
has "$T/err" "leaning fail"
go "leaning fail, fail" 1 narrow --inject slow=4% --policy inconclusive=fail
go "leaning fail is not excused by warn" 3 narrow --inject slow=4% --policy inconclusive=warn
TOP='policy: {inconclusive: fail}' suite narrow 'gate: {read.iops: 5%}'
go "the policy of the suite" 1 narrow
go "the command line stands above it" 3 narrow --policy inconclusive=report

# --- a percentile that the samples cannot carry
SIM="lat=19us" suite few 'gate: {read.clat.p99.9: 20%}'
base few
go "enough samples" 0 few
go "too few samples for a percentile" 3 few --inject slow=30%
has "$T/err" "samples a run (100 above the percentile)"

# --- watch never asks for more and never fails, but is told
suite watch 'gate: {read.iops: {tolerance: 10%, role: watch}}'
base watch
go "watch" 0 watch --inject slow=40%
skipped watch "gate read.iops" "watch: "
verdict watch "gate read.iops" inconclusive
has "$T/err" "1 watched"
ok "no further session for it" jq -e '.sessions | length == 1' out-watch/result.json
suite watch 'gate: {read.iops: {tolerance: 10%, role: watch}}' 'sim: "lat=100us,error=EIO@5"'
go "but a failed measurement is an error" 4 watch

# --- known, within its floor and date and beyond them
known() { printf '    \nknown:\n  - {check: "one gate read.iops", no_worse_than: %s, ticket: STOR-1421, until: %s}\n' "$1" "$2" >>known.yaml; }
suite known 'gate: {read.iops: 10%}'
base known
known 50% 2099-01-31
go "known" 0 known --inject slow=30%
skipped known "gate read.iops" "known: "
has "$T/err" "STOR-1421"
verdict known "gate read.iops" known
suite known 'gate: {read.iops: 10%}'
known 15% 2099-01-31
go "worse than what is known" 1 known --inject slow=30%
case_of known "gate read.iops" failure regression
has "$T/err" "STOR-1421"
suite known 'gate: {read.iops: 10%}'
known 50% 2001-01-31
go "known until a date that has passed" 1 known --inject slow=30%
has "$T/err" "until 2001-01-31, a date that has passed"
suite known 'gate: {read.iops: 10%}'
known 50% 2099-01-31
sed -i 's/one gate read.iops/one gate read.bw/' known.yaml
t "known of a check that is not there" 2 "$P" run known.yaml --target "$T/scratch"

# --- expectations
suite expect 'expect: [read.iops >= 9k IOPS, "every run: read.clat.p99 <= 1ms", read.bw >= 90% of datasheet.bw]'
sed -i 's/^name: expect/&\ndatasheet: {bw: 40 MB\/s}/' expect.yaml
go "expectations met" 0 expect
ok "three plain cases" test "$(grep -c 'name="expect .*/>$' out-expect/junit.xml)" -eq 3
go "expectations missed" 1 expect --inject slow=30%
case_of expect "expect read.iops min" failure expectation
has "$T/err" "missed"
suite link 'expect: [read.bw >= 80% of link]'
go "a share of a link that nobody knows" 4 link

# --- better than the baseline is green, with the hint to accept it
suite better 'gate: {read.iops: 10%}'
base better
slow=$(echo baselines/better/default/*.json)
jq '.jobs[].values["read.iops"].v |= map(. / 2)' "$slow" >slow.json && mv slow.json "$slow"
go "improvement" 0 better
green better "gate read.iops"
verdict better "gate read.iops" improvement
has "$T/err" "improvement"
has "$T/err" "baseline accept"

# --- incomparable: a fact that must match, never excused
TOP='labels: {card: required}
compare: {must_match: [label.card]}' suite match 'gate: {read.iops: 10%}'
t "a required label is missing" 2 "$P" run match.yaml --target "$T/scratch"
has "$T/err" "--label card="
"$P" run match.yaml --target "$T/scratch" --label card=a --out base >/dev/null 2>&1
t "accept the session of card a" 0 "$P" baseline accept base/result.json
go "the same card" 0 match --label card=a
go "another card" 5 match --label card=b
case_of match "gate read.iops" error incomparable
has "$T/err" "label.card a -> b"
verdict match "gate read.iops" incomparable
ok "with a remedy" jq -e '.verdicts | any(.text | test("undo the change, or accept this as a new level: .blkgate baseline accept RESULT --new-epoch --reason WHY`"))' out-match/result.json
t "accepted as no new level" 0 "$P" baseline accept out-match/result.json --dry-run
has "$T/out" "warning: incomparable with the sessions that are stored (one read.iops)"
go "another card is not excused" 5 match --label card=b --policy no_baseline=warn
go "another measurement version" 5 gate --profile nobody
sed -i 's/runtime: 2s/runtime: 3s/' gate.yaml
go "another job text" 5 gate --policy no_baseline=warn
has "$T/err" "runtime"
suite gate 'gate: {read.iops: 10%}'

# --- a gate that is dropped from the suite, until it is retired
suite drop 'gate: {read.iops: 10%, read.clat.p99: 20%}'
base drop
suite drop 'gate: {read.iops: 10%}'
go "a gate that the baseline demands" 4 drop
has "$T/err" "read.clat.p99"
case_of drop "gate read.clat.p99" error missing
t "retire it" 0 "$P" baseline retire 'dut one gate read.clat.p99' --suite drop --reason "mean is enough"
go "retired" 0 drop
suite drop 'gate: {read.iops: 10%, read.clat.p99: 20%}'
base drop
# Stamps are seconds: this session was accepted after the retirement.
again=$(grep -L '"retired"' baselines/drop/default/*.json | tail -n 1)
jq '.accepted = "2099-01-01T00:00:00"' "$again" >x.json && mv x.json "$again"
suite drop 'gate: {read.iops: 10%}'
go "accepted again it is demanded again" 4 drop

# --- five sessions of one boot are one block: provisional still
suite five 'gate: {read.iops: 10%}'
for i in 1 2 3 4 5; do
	"$P" run five.yaml --target "$T/scratch" --seed "$i" --out "five$i" >/dev/null 2>&1 </dev/null
	t "accept session $i" 0 "$P" baseline accept "five$i/result.json"
done
go "five sessions of one boot" 0 five
has "$T/err" "provisional (1 of 5)"
t "show" 0 "$P" baseline show five
has "$T/out" "5 sessions in 1 block"
go "and red on five sessions" 1 five --inject slow=30%
jq 'del(.inject)' out-five/result.json >stolen.json
t "a regression may enter a thin baseline" 0 "$P" baseline accept stolen.json --dry-run
has "$T/out" "warning: these sessions were judged a regression (one read.iops -3"
# The same five, each of a boot and a day of its own, are no longer provisional.
d=1
for f in baselines/five/default/*.json; do
	jq --arg b "boot-$d" --arg d "2026-0$d-01T00:00:00" '.boot_id = $b | .host["boot.id"] = $b | .started = $d | .ended = $d' "$f" >x.json && mv x.json "$f"
	d=$((d + 1))
done
t "show of five boots" 0 "$P" baseline show five
has "$T/out" "5 sessions in 5 blocks"
go "five boots" 0 five
hasnt "$T/err" "provisional"
go "red on five boots" 1 five --inject slow=30%
has "$T/err" "  one boot"
t "the same offline" 1 "$P" judge out-five/result.json --json again.json
for f in out-five/result.json again.json; do
	ok "by two sessions of one boot, $f" jq -e '[.verdicts[] | select(.check != "measure") | [.one_boot, .new_sessions, .new_blocks]] == [[true, 2, 1]]' "$f"
done
jq 'del(.inject)' out-five/result.json >stolen.json
t "a regression is not accepted any more" 2 "$P" baseline accept stolen.json
has "$T/err" "--new-epoch"
t "a new epoch wants a reason" 2 "$P" baseline accept stolen.json --new-epoch
t "a new epoch" 0 "$P" baseline accept stolen.json --new-epoch --reason STOR-1
t "show of two epochs" 0 "$P" baseline show five
has "$T/out" "epoch 2"
# What each step let through is said beside a pass as well.
go "green at the level of the second epoch" 0 five --inject slow=30%
has "$T/err" "creep"
has "$T/err" "worse than the first sessions of the baseline"
has out-five/junit.xml "worse than the first sessions of the baseline"
t "and in the rich style" 0 "$P" judge out-five/result.json --junit rich.xml --junit-style rich
has rich.xml 'name="creep" value='
t "the first session is dropped" 0 "$P" baseline drop "$(basename "$(find baselines/five -name '*.json' | sort | head -n 1)" .json)" --suite five
t "nobody is dropped twice" 2 "$P" baseline drop 20200101T000000-000000 --suite five

# --- precedence 130 > 2 > 1 > 4 > 5 > 3 > 0
mixed() { # FILE LINE...
	{
		printf 'blkgate: 1\nname: mixed\ndefaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "%s"}\nworkloads:\n' "$SIM"
		shift
		printf '  - %s\n' "$@"
	} >mixed.yaml
}
good='{name: good, expect: [read.iops >= 1]}'
missed='{name: missed, expect: [read.iops >= 1000k]}'
broken='{name: broken, sim: "lat=100us,error=EIO@9"}'
gated='{name: gated, gate: {read.iops: 10%}}'
narrow='{name: narrow, gate: {read.iops: 5%}}'
mixed m "$narrow" "$good"
base mixed
go "3 above 0" 3 mixed
mixed m "$narrow" "$gated" "$good"
go "5 above 3" 5 mixed
mixed m "$narrow" "$gated" "$broken"
go "4 above 5" 4 mixed
mixed m "$narrow" "$gated" "$broken" "$missed"
go "1 above 4" 1 mixed
has "$T/err" "1 missed"
t "2 above 1" 2 "$P" run mixed.yaml none.yaml --target "$T/scratch" --seed 2 --out both
junit both/junit.xml
ok "the good suite was measured" test -s both/mixed/result.json
t "bisect: no baseline stops" 128 "$P" run gate.yaml --target "$T/scratch" --profile nobody --bisect
t "bisect: undecided cannot tell" 125 "$P" run narrow.yaml --target "$T/scratch" --policy inconclusive=report --seed 2 --bisect

# --- selections: the number of cases is constant, and a part is never a baseline
mixed m "$narrow" "$gated" "$good"
go "all" 5 mixed
n=$(grep -c '<testcase' out-mixed/junit.xml)
go "a selection of workloads" 0 mixed --only good
ok "--only leaves $n cases" test "$(grep -c '<testcase' out-mixed/junit.xml)" -eq "$n"
ok "the others say why" test "$(grep -c 'not selected by --only good' out-mixed/junit.xml)" -ge 2
t "a partial result is refused" 2 "$P" baseline accept out-mixed/result.json
has "$T/err" "partial"
go "a selection of checks" 0 mixed --check 'expect*'
ok "--check leaves $n cases" test "$(grep -c '<testcase' out-mixed/junit.xml)" -eq "$n"
t "a part of the checks is refused too" 2 "$P" baseline accept out-mixed/result.json
mixed m "$broken" "$gated"
go "a failed measurement" 4 mixed
t "is refused" 2 "$P" baseline accept out-mixed/result.json
has "$T/err" "failed"
mixed m '{name: good, when: target.type == block, expect: [read.iops >= 1]}'
go "all skipped is no pass" 4 mixed --profile nobody
skipped mixed measure "when: "
mixed m '{name: gone, when: target.type == block}' "$good"
go "some skipped is fine" 0 mixed --profile nobody
TOP='requires: [kernel.release == 0.0.1]' suite req 'expect: [read.iops >= 1]'
go "a requirement that is not met" 4 req
has "$T/err" "kernel.release"
ok "nothing was measured" jq -e '.runs | length == 0' out-req/result.json
finish
