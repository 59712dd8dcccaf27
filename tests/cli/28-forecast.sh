#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The forecast of a run in turns, before it is made: from the runs of accepted sessions, and never from
# nothing. And that of a gate which is judged at equal level of a canary.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/a" "$T/b"
two=(--target "old=$T/a" --target "new=$T/b")

cat >s.yaml <<'EOS'
blkgate: 1
name: turns
defaults: {ioengine: sim, runtime: 2s, size: 1MiB, rw: randread}
workloads:
  - {name: quiet, sim: 'lat=100us,sd=1%', gate: {read.iops: 5%}}
  - {name: loud, sim: 'lat=100us,sd=4%', gate: {read.iops: 5%}}
EOS
t "no session is accepted" 0 "$P" plan s.yaml "${two[@]}" --versus old
has "$T/out" "forecast: not known: no two accepted sessions of 'old' or 'new' tell the run sd"
has "$T/out" "a tolerance of 5.0 % bears a run sd of 4.2 % (3.5 %) with 20 pairs, 3.7 % (3.1 %) with 15, 3.0 % (2.5 %) with 10"
hasnt "$T/out" "forecast on unchanged code"
t "of one target in two settings" 0 "$P" plan s.yaml --target "dut=$T/a" --ab sysctl:vm.swappiness=10,60
has "$T/out" "no two accepted sessions of 'dut' tell the run sd"

for i in 1 2 3; do
	"$P" run s.yaml --target "old=$T/a" --sessions 1 --seed "$i" --out "o$i" >/dev/null 2>&1 </dev/null
	t "accept session $i" 0 "$P" baseline accept "o$i/result.json"
done
t "from the runs of accepted sessions" 0 "$P" plan s.yaml "${two[@]}" --versus old
has "$T/out" "forecast on unchanged code: pass "
has "$T/out" " pairs of at most 20"
hasnt "$T/out" "not known"
t "they tell it of the candidate as well" 0 "$P" plan s.yaml "${two[@]}" --versus new
has "$T/out" "forecast on unchanged code: pass "
t "fewer pairs leave more undecided" 0 "$P" plan s.yaml "${two[@]}" --versus old --pairs 10
has "$T/out" " pairs of at most 10"
has "$T/out" "most of the undecided: new loud gate read.iops ("
has "$T/out" "cure: --pairs "
t "of a setting too" 0 "$P" plan s.yaml --target "old=$T/a" --ab sysctl:vm.swappiness=10,60
has "$T/out" "forecast on unchanged code: pass "
t "another profile has other sessions" 0 "$P" plan s.yaml "${two[@]}" --versus old --profile other
has "$T/out" "forecast: not known: "
t "another folder as well" 0 "$P" plan s.yaml "${two[@]}" --versus old --baselines nowhere
has "$T/out" "forecast: not known: "
t "against the baseline they are too few" 0 "$P" plan s.yaml --target "old=$T/a"
has "$T/out" "forecast: not known, 5 comparable sessions"
: >"$(find baselines/turns -name '*.json' | head -n 1)"
t "a damaged baseline is no forecast" 0 "$P" plan s.yaml "${two[@]}" --versus old
has "$T/out" "forecast: not known: "
hasnt "$T/out" "forecast on unchanged code"

# adjust_by: the machine differs from day to day by 6 %, which gate and canary share.
cat >adjust.yaml <<'EOS'
blkgate: 1
name: adjust
defaults: {ioengine: sim, size: 1MiB, runtime: 2s, rw: randread, sim: 'lat=100us,sd=0.5%'}
workloads:
  - name: memory
    canary: {untouched: true}
  - name: one
    adjust_by: memory
    gate: {read.iops: 5%}
EOS
level=(1 0.93 1.05 0.97 1.08 0.92 1.03 0.95)
for i in 0 1 2 3 4 5 6 7; do
	"$P" run adjust.yaml --target "$T/a" --sessions 1 --seed "$i" --out base >/dev/null 2>&1 </dev/null
	jq --arg b "boot$i" '.host["boot.id"] = $b' base/result.json >r.json
	"$P" baseline accept r.json >/dev/null 2>&1 </dev/null
done
i=0
for f in baselines/adjust/default/*.json; do
	jq --argjson x "${level[i]}" '.jobs[].values["read.iops"].v |= map(. * $x)' "$f" >edit && cp edit "$f"
	i=$((i + 1))
done
ok "eight sessions of a machine that differs" test "$i" -eq 8
t "calibrated by what is left" 0 "$P" calibrate adjust.yaml
has "$T/out" "at equal level of canary 'memory' (slope "
has "$T/out" ", by which the gate is judged"
has "$T/out" "tolerance 5 %: holds"
has "$T/out" " (raw: "
t "and forecast by it" 0 "$P" plan adjust.yaml --target "$T/a"
has "$T/out" "forecast on unchanged code: pass 100.0 %"
has "$T/out" "raw, without adjust_by: pass "
t "baseline show says the same" 0 "$P" baseline show adjust.yaml
has "$T/out" "forecast on unchanged code: pass 100.0 %"
sed -i '/adjust_by/d' adjust.yaml
t "not adjusted it is ungateable" 0 "$P" calibrate adjust.yaml
has "$T/out" "ungateable"
hasnt "$T/out" "equal level"
t "and so the forecast" 0 "$P" plan adjust.yaml --target "$T/a"
hasnt "$T/out" "pass 100.0 %"

# The first day: every session of one boot, without any spread. What the plan says comes true.
cat >day.yaml <<'EOS'
blkgate: 1
name: day
parameters: {tol: 5%}
defaults: {ioengine: sim, size: 1MiB, runtime: 1s, rw: randread, sim: 'lat=100us,sd=0.01%'}
workloads:
  - {name: quiet, gate: {read.iops: '${tol}'}}
EOS
for i in 1 2 3 4 5 6; do
	"$P" run day.yaml --target "$T/a" --sessions 1 --seed "$i" --out "day$i" >/dev/null 2>&1 </dev/null
	t "accept day $i" 0 "$P" baseline accept "day$i/result.json"
	if [ "$i" -eq 1 ]; then
		t "known from the first session on" 0 "$P" plan day.yaml --target "$T/a"
		has "$T/out" "dut quiet gate read.iops cannot turn green before 2 boots or days are in the baseline (now 1)"
	fi
done
cat >w.yaml <<'EOS'
blkgate: 1
name: writes
defaults: {ioengine: psync, direct: false, size: 1MiB, bs: 64KiB, rw: write, runtime: 200ms, rate: 10MB/s}
workloads:
  - {name: one, gate: {write.iops: 50%}}
  - {name: two, gate: {write.iops: 50%}}
EOS
t "before a session the bound" 0 "$P" plan w.yaml --target "$T/a"
hasnt "$T/out" "accepted sessions wrote"
"$P" run w.yaml --target "$T/a" --sessions 1 --out wrote >/dev/null 2>&1 </dev/null
t "accept what wrote" 0 "$P" baseline accept wrote/result.json
t "then what it wrote" 0 "$P" plan w.yaml --target "$T/a"
has "$T/out" "a session, by what accepted sessions wrote"
t "a gate that waits" 0 "$P" plan day.yaml --target "$T/a"
has "$T/out" "forecast on unchanged code: pass 0.0 %, undecided 100.0 %, red < 0.2 %, after 5.0 sessions"
has "$T/out" "dut quiet gate read.iops cannot turn green before 2 boots or days are in the baseline (now 1)"
has "$T/out" "What helps: accept a session after a reboot or on another day, a wider tolerance, two arms in turn"
t "calibrate says so" 0 "$P" calibrate day.yaml
has "$T/out" "cannot turn green before 2 boots or days"
t "and it does not" 3 "$P" run day.yaml --target "$T/a" --seed 9 --out later
t "a tolerance that bears what is assumed" 0 "$P" plan day.yaml --target "$T/a" --set tol=6%
has "$T/out" "forecast on unchanged code: pass 100.0 %"
hasnt "$T/out" "cannot turn green"
t "turns green" 0 "$P" run day.yaml --target "$T/a" --set tol=6% --seed 9 --out later
jq '.host["boot.id"] = "another"' day1/result.json | sed "s/$(jq -r .sessions[0].id day1/result.json)/20200101T000000-000001/g" >other.json
t "a session of another boot" 0 "$P" baseline accept other.json
t "is what it waited for" 0 "$P" plan day.yaml --target "$T/a"
has "$T/out" "forecast on unchanged code: pass 100.0 %"
hasnt "$T/out" "cannot turn green"
t "and it turns green" 0 "$P" run day.yaml --target "$T/a" --seed 9 --out later

# What nothing but a tolerance that gates nothing would cure is not written.
cat >wild.yaml <<'EOS'
blkgate: 1
name: wild
defaults: {ioengine: sim, size: 1MiB, runtime: 1s, rw: randread, sim: 'lat=100us,sd=1%'}
workloads:
  - {name: wild, gate: {read.iops: 5%}}
EOS
level=(1 3 0.3 2 0.4 1.5)
for i in 0 1 2 3 4 5; do
	"$P" run wild.yaml --target "$T/a" --sessions 1 --seed "$i" --out w >/dev/null 2>&1 </dev/null
	"$P" baseline accept w/result.json >/dev/null 2>&1 </dev/null
done
i=0
for f in baselines/wild/default/*.json; do
	jq --argjson x "${level[i]}" '.jobs[].values["read.iops"].v |= map(. * $x)' "$f" >edit && cp edit "$f"
	i=$((i + 1))
done
cp wild.yaml kept.yaml
t "nothing is worth writing" 0 "$P" calibrate wild.yaml --write
has "$T/out" "cure: interleave: "
has "$T/out" "  not written: a tolerance of "
ok "the suite stays" cmp wild.yaml kept.yaml
finish
