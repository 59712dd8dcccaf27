#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Against physics: shares of a link and of a datasheet, and how far the targets lie apart.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/a" "$T/b" "$T/c"

cat >share.yaml <<'EOF'
blkgate: 1
name: share
datasheet: {slow: 1 B/s, fast: 1 TB/s}
defaults: {ioengine: sim, sim: "lat=1ms", size: 1MiB, runtime: 1s, runs: 2, sessions: 1}
workloads:
  - {name: met, rw: read, expect: [read.bw >= 90% of datasheet.slow]}
  - {name: missed, rw: read, expect: [read.bw >= 90% of datasheet.fast]}
  - {name: link, rw: read, expect: [read.bw >= 1% of link]}
  - {name: upstream, rw: read, expect: [read.bw >= 1% of upstream]}
EOF
t "a datasheet" 0 "$P" run share.yaml --target "$T/a" --only met
t "a share that is missed" 1 "$P" run share.yaml --target "$T/a" --only missed
has "$T/err" "90 % of datasheet.fast"
# A RAM disk has no link on any machine.
shm=$(mktemp -d /dev/shm/blkgate-cli.XXXXXX) || exit 1
cleanup rm -rf "$shm"
for of in link upstream; do
	t "an unknown $of is an error and no skip" 4 "$P" run share.yaml --target "$shm" --only $of --junit $of.xml --out $of
	has "$T/err" "the bandwidth of $of is not known on 'dut'"
	ok "in JUnit too" grep -q "<error" $of.xml
	t "and judged again" 4 "$P" judge $of/result.json
	t "the plan tells it before" 0 "$P" plan share.yaml --target "$shm" --only $of
	has "$T/out" "undecidable: the bandwidth of $of is not known"
done

cat >spread.yaml <<'EOF'
blkgate: 1
name: spread
defaults: {ioengine: sim, sim: "lat=1ms", size: 1MiB, runtime: 1s, runs: 3, sessions: 1}
workloads:
  - {name: alike, rw: read, expect: [spread(read.bw) <= 20%]}
EOF
three=(--target one="$T/a" --target two="$T/b" --target three="$T/c")
t "lint knows it" 0 "$P" lint --strict spread.yaml
t "one target has none" 2 "$P" run spread.yaml --target "$T/a"
has "$T/err" "one target has no spread"
t "three alike" 0 "$P" run spread.yaml "${three[@]}" --junit j.xml --out first
junit j.xml
has j.xml 'classname="spread.default.one.alike" name="expect spread(read.bw) max"'
ok "one check over all targets" test "$(grep -c 'name="expect ' j.xml)" -eq 1
ok "kept in the result" jq -e '.checks | length == 1 and .[0].spread and .[0].limit == 0.2' first/result.json
t "judged again" 0 "$P" judge first/result.json
# One target at half the rate, in the document: what is judged is what stands there.
jq -c '(.targets | map(.role) | index("two")) as $t | (.jobs | map(.target) | index($t)) as $j
	| (.runs[] | select(.job == $j)) |= (del(.slots) | .read.ios = (.read.ios / 2 | floor) | .read.bytes = .read.ios * 4096)' first/result.json >half.json
t "one that is slower" 1 "$P" judge half.json --junit half.xml
has "$T/err" "'two' is lowest"
has "$T/err" "expected <= 20.0 %"
ok "is a failure" grep -q '<failure.*type="expectation"' half.xml
ok "of as many cases" test "$(grep -c '<testcase' half.xml)" -eq "$(grep -c '<testcase' j.xml)"
t "a target that is missing" 4 "$P" run spread.yaml --target one="$T/a" --target two="$T/none" --out gone --junit gone.xml
has "$T/err" "no spread without 'two', which was not measured"
ok "is an error" grep -q '<error' gone.xml
t "an injected error on all" 4 "$P" run spread.yaml "${three[@]}" --inject error=0.9 --out broken
sed 's/rw: read,/rw: read, targets: all,/' spread.yaml >all.yaml
t "with a total it is the total's" 0 "$P" run all.yaml "${three[@]}" --junit all.xml --out all
has all.xml 'classname="spread.default.all.alike" name="expect spread(read.bw) max"'
finish
