#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calibrate: from accepted sessions and from results, the forecast of the suite, and tolerances written
# back into the suite with its comments kept.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$T/noisy.yaml" <<'EOS'
blkgate: 1
name: noisy
parameters: {tol: 1%}
defaults: {ioengine: sim, runtime: 2s, size: 1MiB, sim: 'lat=100us,sd=3%', rw: randread}
workloads:
  - name: loud
    gate:
      iops: "1%"   # too tight
  - name: parameter
    gate: {iops: '${tol}'}
EOS
cp "$T/noisy.yaml" "$T/kept.yaml"
from=()
for i in 1 2 3 4 5 6; do
	t "session $i" 5 "$P" run "$T/noisy.yaml" --target "$T/scratch" --out "$T/o$i" --sessions 1 --seed "$i" --quiet
	from+=(--from "$T/o$i/result.json")
done

t "nothing is accepted" 5 "$P" calibrate "$T/noisy.yaml"
has "$T/err" "no session of suite 'noisy'"
t "too few sessions" 0 "$P" calibrate "$T/noisy.yaml" --from "$T/o1/result.json"
has "$T/out" "5 sessions are needed"
t "from results as the shell expands them" 0 "$P" calibrate "$T/noisy.yaml" --from "$T"/o?/result.json
cp "$T/out" "$T/expanded"
t "from results" 0 "$P" calibrate "$T/noisy.yaml" "${from[@]}"
has "$T/out" "dut loud gate read.iops: 6 sessions, 1 block"
has "$T/out" "ungateable"
has "$T/out" "cure: "
has "$T/out" "suite on unchanged code: pass "
has "$T/out" "the tolerance of iops comes from a parameter"
has "$T/out" '-      iops: "1%"   # too tight'
ok "the suite stays as it is" cmp "$T/noisy.yaml" "$T/kept.yaml"

t "written" 0 "$P" calibrate "$T/noisy.yaml" "${from[@]}" --write
ok "the value changed and the comment stayed" grep -qE '^      iops: "[0-9.]+%"   # too tight$' "$T/noisy.yaml"
ok "one line differs" test "$(diff "$T/noisy.yaml" "$T/kept.yaml" | grep -c '^<')" -eq 1
t "what was written lints" 0 "$P" lint "$T/noisy.yaml"
t "and holds now" 0 "$P" calibrate "$T/noisy.yaml" "${from[@]}"
hasnt "$T/out" "# too tight"

t "accepted sessions" 0 "$P" baseline accept "$T/o1/result.json" "$T/o2/result.json"
t "from accepted sessions" 0 "$P" calibrate "$T/noisy.yaml"
has "$T/out" "2 sessions"

sed 's/name: noisy/name: other/' "$T/kept.yaml" >"$T/other.yaml"
t "results of another suite" 2 "$P" calibrate "$T/other.yaml" "${from[@]}"
has "$T/err" "of suite 'noisy', not of 'other'"
t "a result in the place of a suite" 2 "$P" calibrate "$T/o1/result.json"
t "two suites" 2 "$P" calibrate "$T/noisy.yaml" "$T/other.yaml"
has "$T/err" "takes one suite"
t "a share out of range" 2 "$P" calibrate "$T/noisy.yaml" --undecided 80%
chmod 400 "$T/kept.yaml"
t "no suite" 2 "$P" calibrate
finish
