#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# adjust_by from end to end on the sim engine: the canary runs along, and without it nothing passes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >adjust.yaml <<'EOF'
blkgate: 1
name: adjust
defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "lat=100us,jitter=5%"}
workloads:
  - name: memory
    canary: {untouched: true}
  - name: one
    adjust_by: memory
    gate: {read.iops: 5%}
  - name: two
    gate: {read.iops: 5%}
EOF
t "the suite is fine" 0 "$P" lint adjust.yaml
# Six sessions, as of six boots.
for i in 1 2 3 4 5 6; do
	"$P" run adjust.yaml --target "$T/scratch" --sessions 1 --out base >/dev/null 2>&1 </dev/null
	jq --arg b "boot$i" '.host["boot.id"] = $b' base/result.json >"b$i.json"
	t "accept session $i" 0 "$P" baseline accept "b$i.json"
done
t "judged at equal level" 0 "$P" run adjust.yaml --target "$T/scratch" --only one --out a
has "$T/err" "tolerance 5 % adjusted"
ok "and the document" jq -e '[.verdicts[] | select(.check == "gate read.iops" and .workload == "one") | .adjusted_by] == ["memory"]' a/result.json
ok "the canary ran along" jq -e '[.jobs[] | select(.state == "ready") | .name] == ["memory", "one"]' a/result.json
ok "the raw verdict stands beside" jq -e '.verdicts | any(.check == "gate read.iops" and (.text | test("at equal level of canary .memory., which moved by .*; raw: pass, ")))' a/result.json
ok "not where it was not declared" jq -e '.verdicts | all(.workload != "two" or (.text | test("canary") | not))' base/result.json
# An injection plays the change, which cannot reach it: else nothing would be left to adjust by.
t "an injection spares the canary" 1 "$P" run adjust.yaml --target "$T/scratch" --inject slow=20% --out i
has "$T/err" "note: --inject 'slow=20%' is not done to the canary 'memory' on 'dut': the suite declares it untouched by the change"
ok "both gates are red" jq -e '[.verdicts[] | select(.verdict == "regression") | .workload] == ["one", "two"]' i/result.json
# The canary's runs are gone: no path to a pass.
jq 'del(.runs[] | select(.job == 0)) | .jobs[0].state = "skipped" | .jobs[0].why = "gone"' a/result.json >gone.json
t "without the canary it is an error" 4 "$P" judge gone.json
has "$T/err" "which has no read.iops in session 1"
sed -i 's/canary: {untouched: true}/canary: true/' adjust.yaml
t "only a canary that is declared untouched" 2 "$P" lint adjust.yaml
has "$T/err" "adjust.yaml:8:16"
has "$T/err" "adjusted by one that it hits, a loss becomes a pass"
finish
