#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line itself: every wrong use is status 2 with a sentence, help is status 0.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
sim_suite s.yaml "lat=100us" "expect: [read.iops >= 1]"

t "no command" 2 "$P"
t "help" 0 "$P" help
has "$T/out" "exit status"
for c in run plan lint probe judge report baseline version; do
	t "$c --help" 0 "$P" "$c" --help
	has "$T/out" "example:"
done
t "unknown command" 2 "$P" rnu
has "$T/err" "did you mean run"
t "unknown option" 2 "$P" run s.yaml --taget x
has "$T/err" "did you mean --target"
t "option without its value" 2 "$P" run s.yaml --target
t "a flag takes no value" 2 "$P" run s.yaml --target "$T/scratch" --quiet=1
t "no suite" 2 "$P" run --target "$T/scratch"
t "no target" 2 "$P" run s.yaml
t "several targets need names" 2 "$P" run s.yaml --target a --target b
t "two targets of one role" 2 "$P" run s.yaml --target a=x --target a=y
t "suite that is missing" 2 "$P" run none.yaml --target "$T/scratch"
has "$T/err" "none.yaml"
ok "a report is written all the same" xmllint --noout blkgate-out/junit.xml
ok "and holds an error" grep -q '<error' blkgate-out/junit.xml
t "equal suite names in one invocation" 2 "$P" run s.yaml s.yaml --target "$T/scratch"
t "nothing selected" 2 "$P" run s.yaml --target "$T/scratch" --only 'nothing*'
t "parameter that is not declared" 2 "$P" run s.yaml --target "$T/scratch" --set x=1
t "bad policy word" 2 "$P" run s.yaml --target "$T/scratch" --policy inconclusive=maybe
t "bad injection" 2 "$P" run s.yaml --target "$T/scratch" --inject slower=1
t "bad sessions" 2 "$P" run s.yaml --target "$T/scratch" --sessions 6
t "two documents on one stream" 2 "$P" run s.yaml --target "$T/scratch" --json - --junit -
t "measured and expected" 0 "$P" run s.yaml --target "$T/scratch"
t "a check filter that leaves nothing" 2 "$P" run s.yaml --target "$T/scratch" --check 'none*'
sed 's/read.iops >= 1/read.iops >= 1000k IOPS/' s.yaml >m.yaml
t "a missed expectation" 1 "$P" run m.yaml --target "$T/scratch"
has "$T/err" "missed"
sed '/expect/d' s.yaml >n.yaml
t "no checks at all" 0 "$P" run n.yaml --target "$T/scratch"
has "$T/err" "measured only, nothing judged"
t "bisect: bad" 1 "$P" run m.yaml --target "$T/scratch" --bisect
t "bisect: suite error stops" 128 "$P" run none.yaml --target "$T/scratch" --bisect
t "bisect: cannot tell" 125 "$P" run s.yaml --target "$T/missing" --bisect
t "dry run of a good plan" 0 "$P" run s.yaml --target "$T/scratch" --dry-run
t "dry run of a missing target" 4 "$P" run s.yaml --target "$T/missing" --dry-run
t "plan" 0 "$P" plan s.yaml --target "$T/scratch"
has "$T/out" "iodepth"
t "lint" 0 "$P" lint s.yaml
t "lint of a broken file" 2 "$P" lint /dev/null
t "probe" 0 "$P" probe "$T/scratch"
has "$T/out" "fs.type"
t "probe of nothing" 2 "$P" probe
t "probe of what is not there" 4 "$P" probe "$T/none"
t "version" 0 "$P" version --engines
has "$T/out" "psync"
t "stdout that is full is an error" 4 bash -c "'$P' version >/dev/full"
finish
