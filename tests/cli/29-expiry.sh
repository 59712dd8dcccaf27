#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# baseline: {max_age}: old sessions do not count, seen from the start of the result; show says so.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite "$T/s.yaml" 'lat=100us' 'gate: {iops: 10%}'
{ cat "$T/s.yaml" && echo 'baseline: {max_age: 180d}'; } >"$T/old.yaml"
{ cat "$T/s.yaml" && echo 'policy: {no_baseline: warn}' && echo 'baseline: {max_age: 180d}'; } >"$T/warn.yaml"

# shellcheck disable=SC2317 # called by t
run() { "$P" run "$1" --target "$T/scratch" --out "$T/$2" --baselines "$T/b" "${@:3}"; }
# as if it had been measured that many days before
age() { # FILE DAYS
	jq -S --indent 1 ".started |= ((rtrimstr(\"Z\") + \"Z\" | fromdate) - $2 * 86400 | todate | rtrimstr(\"Z\"))" "$1" >"$T/aged" && mv "$T/aged" "$1"
}
for i in 1 2 3 4 5 6; do
	t "session $i" 5 "$P" run "$T/s.yaml" --target "$T/scratch" --out "$T/base$i" --baselines "$T/none"
	t "accept $i" 0 "$P" baseline accept "$T/base$i/result.json" --baselines "$T/b"
done
t "young" 0 run "$T/old.yaml" young
hasnt "$T/err" "expired"
n=0
for f in "$T/b/simulated/default"/*.json; do
	age "$f" "$((200 + n))"
	n=$((n + 1))
done
t "too old" 5 run "$T/old.yaml" late
has "$T/err" "(expired: last measured "
has "$T/err" ", 200 days ago, max_age 180d)"
ok "JUnit has no baseline" xmllint --xpath '//testcase/error[@type="no-baseline"]' "$T/late/junit.xml"
ok "the age is in the document" jq -e '.baseline_max_age == 15552000' "$T/late/result.json"
t "no policy excuses it" 5 run "$T/warn.yaml" warn
t "the same offline" 5 "$P" judge "$T/late/result.json" --baselines "$T/b"
t "nothing expires without the key" 0 run "$T/s.yaml" never
hasnt "$T/err" "days old"

t "show" 0 "$P" baseline show "$T/old.yaml" --baselines "$T/b"
has "$T/out" "age: the newest session is 200 days old; it expired "
has "$T/out" "(max_age 180d); 6 sessions have expired"
has "$T/out" "expired: 6 sessions, none counts"
has "$T/out" "forecast: not known"
t "show by name" 0 "$P" baseline show simulated --baselines "$T/b"
has "$T/out" "age: the newest session is 200 days old"
t "calibrate" 0 "$P" calibrate "$T/old.yaml" --baselines "$T/b"
has "$T/out" "no comparable session"

t "a fresh one is let in" 0 "$P" baseline accept "$T/late/result.json" --baselines "$T/b"
t "and counts alone" 0 run "$T/old.yaml" fresh --policy inconclusive=warn
has "$T/fresh/result.json" "6 expired sessions of the baseline left out"

for f in "$T/b/simulated/default"/*.json; do age "$f" 200; done
t "older than a year is said" 0 run "$T/s.yaml" year
hasnt "$T/err" "days old"
for f in "$T/b/simulated/default"/*.json; do age "$f" 200; done
t "older than a year is said" 0 run "$T/s.yaml" year
has "$T/err" "the newest session of the baseline is 400 days old"
has "$T/year/junit.xml" "blkgate.baseline_age"
for f in "$T/b/simulated/default"/*.json; do age "$f" -800; done
t "a clock that was set back" 0 run "$T/old.yaml" back
has "$T/err" "a clock was set back"

finish
