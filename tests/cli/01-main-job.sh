#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job on the sim engine: first run, accept, green, red, offline again, from the journal too.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite s.yaml "lat=100us,jitter=5%,sd=0.5%" "gate: {read.iops: 10%, read.clat.p99: 20%}"
run=("$P" run s.yaml --target "$T/scratch" --seed 7)

t "a first run without a baseline" 5 "${run[@]}"
has "$T/err" "baseline accept"
has "$T/err" "status 5"
ok "result.json is written" test -s blkgate-out/result.json
ok "junit.xml is written" test -s blkgate-out/junit.xml
ok "the journal is written" test -s blkgate-out/journal
t "baseline show without a session" 5 "$P" baseline show simulated
t "accept" 0 "$P" baseline accept blkgate-out/result.json
ok "one file a session" test "$(find baselines/simulated/default -name '*.json' | wc -l)" -eq 1
t "accept of the same session again is refused" 2 "$P" baseline accept blkgate-out/result.json

t "green on unchanged code" 0 "$P" run s.yaml --target "$T/scratch" --seed 8
has "$T/err" "provisional"
has "$T/err" "GREEN"
ok "the last line is the verdict" bash -c "tail -n 1 '$T/err' | grep -q '^blkgate: GREEN.*status 0'"

t "red when it got slower" 1 "$P" run s.yaml --target "$T/scratch" --seed 9 --inject slow=40% --out red
has "$T/err" "regression"
has "$T/err" "in fio:"
ok "the result is stamped" grep -q '"inject' red/result.json
t "an injected result is never accepted" 2 "$P" baseline accept red/result.json

sed 's/lat=100us/lat=50us/' s.yaml >fast.yaml
t "other job text is incomparable" 5 "$P" run fast.yaml --target "$T/scratch" --seed 10 --out fast
has "$T/err" "incomparable"

t "judge says the same offline" 1 "$P" judge red/result.json
jq 'del(.verdicts, .status, .runs[].values)' red/result.json >bare.json
t "and with verdicts and values deleted" 1 "$P" judge bare.json --json again.json
t "the first judgement once more" 1 "$P" judge red/result.json --json first.json
ok "bit for bit" diff <(jq -S .verdicts first.json) <(jq -S .verdicts again.json)
t "a journal is a result" 1 "$P" judge red/journal
sed "$(grep -n '^{"start"' red/journal | tail -n 1 | cut -d: -f1)q" red/journal >torn
printf '{"run": {"job"' >>torn
t "a torn journal: lost and not measured are errors" 4 "$P" judge torn
has "$T/err" "lost"
t "report renders whatever the verdict" 0 "$P" report red/result.json --junit again.xml
ok "and writes JUnit" xmllint --noout again.xml
t "against another result instead of the baseline" 1 "$P" judge red/result.json --against blkgate-out/result.json
jq '.suite = "other"' blkgate-out/result.json >suite.json
t "not against one of another suite" 2 "$P" judge red/result.json --against suite.json
has "$T/err" "'suite.json' is of suite 'other', not of"
jq '.profile = "fast"' blkgate-out/result.json >profile.json
t "nor of another profile" 2 "$P" judge red/result.json --against blkgate-out/result.json --against profile.json
has "$T/err" "'profile.json' is of profile 'fast', not of 'default'"

t "json on stdout is whole and alone" 0 "$P" run s.yaml --target "$T/scratch" --seed 11 --json -
ok "stdout parses" jq -e '.blkgate_result == 1' "$T/out"
t "quiet leaves the last line" 0 "$P" run s.yaml --target "$T/scratch" --seed 12 --quiet
ok "one line" test "$(wc -l <"$T/err")" -eq 1
finish
