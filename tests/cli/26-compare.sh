#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Results side by side, on the sim engine: text, document, status.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >cards.yaml <<'EOF'
blkgate: 1
name: cards
labels: {adapter: required}
defaults: {ioengine: sim, size: 64MiB, runtime: 2s, rw: randread, sim: "lat=100us,jitter=5%"}
workloads:
  - name: one
    gate: {read.iops: 5%}
  - name: plain
EOF
mkdir "$T/other"
go() { "$P" run cards.yaml "$@" >/dev/null 2>&1 </dev/null; }
go --target "$T/scratch" --label adapter=slot --sessions 3 --out slot
go --target "$T/scratch" --label adapter=card --sessions 3 --out card
go --target "$T/scratch" --label adapter=hdd --sessions 2 --out hdd --inject slow=30%
go --target "$T/scratch" --label adapter=slot --sessions 1 --out once

t "two results" 0 "$P" compare slot/result.json card/result.json --two-sided
has "$T/out" "differs from A in: label.adapter slot -> card"
has "$T/out" "no difference larger than 5 % between A and B (95 %)"
has "$T/out" "dut plain  read.clat.p99"
has "$T/out" "sessions of one boot share what it brings"
has "$T/err" "compared, which is no verdict"
t "one that is slower" 0 "$P" compare slot/result.json hdd/result.json --two-sided
has "$T/out" "(injected: slow=30%)"
has "$T/out" "B is lower by more than 5 % (95 %)"
t "one session carries no verdict" 0 "$P" compare slot/result.json once/result.json
has "$T/out" "3 and 1 sessions: carries no verdict; about "
cp once/result.json one.json
go --target "$T/scratch" --label adapter=slot --sessions 1 --out once2
t "one session a side" 0 "$P" compare one.json once2/result.json --two-sided
has "$T/out" "runs of one session a side: carries no verdict; about "
hasnt "$T/out" "not judged: fewer"
t "by label, with a document" 0 "$P" compare {slot,card,hdd,once}/result.json --by label.adapter --two-sided --json by.json
json by.json
ok "a side for each value" jq -e '[.sides[].name] == ["slot", "card", "hdd"]' by.json
ok "its sessions are units" jq -e '.rows[0].sides | map(.sessions) == [4, 3, 2]' by.json
ok "with the words" jq -e '.rows[0].sides | map(.two_sided)[1:] == ["same", "different"]' by.json
ok "each change is that of the two values" jq -e '[.rows[] | select(.absolute | not) | .sides[0].value as $a | .sides[1:][] | (.value / $a - 1 - .change) | fabs] | length > 0 and max < 1e-9' by.json
t "the document owns stdout" 0 "$P" compare slot/result.json card/result.json --json -
ok "and is whole" jq -e '.blkgate_compare == 1' "$T/out"
has "$T/err" "side by side, nothing pooled"
# several targets in one result, told apart by a label each
go --target a="$T/scratch" --target b="$T/other" --label a.adapter=slot --label b.adapter=card --out both
t "targets of one result" 0 "$P" compare both/result.json --by label.adapter
has "$T/out" "B: card, both/result.json"

t "one result" 2 "$P" compare slot/result.json
has "$T/err" "there is one side only"
t "itself" 2 "$P" compare slot/result.json slot/result.json
go --target old="$T/scratch" --target new="$T/other" --label adapter=slot --versus old --out turns
t "two arms in turns" 2 "$P" compare turns/result.json slot/result.json
has "$T/err" "'turns/result.json' is interleaved (--versus)"
t "an unknown label" 2 "$P" compare slot/result.json card/result.json --by label.colour
t "no such file" 4 "$P" compare slot/result.json nothing.json
t "nothing named" 2 "$P" compare
jq '.jobs[].text |= sub("iodepth=1 "; "iodepth=2 ")' card/result.json >depth.json
t "other jobs" 4 "$P" compare slot/result.json depth.json
has "$T/out" "another job: iodepth 1 -> 2"
has "$T/err" "status 4"
finish
