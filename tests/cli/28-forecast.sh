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
finish
