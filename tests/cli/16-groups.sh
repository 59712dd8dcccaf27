#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Workloads at the same time, and one workload on all targets with its total.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/a" "$T/b"

cat >mix.yaml <<'EOF'
blkgate: 1
name: mix
defaults: {ioengine: psync, direct: false, invalidate: false, size: 1MiB, runtime: 100ms}
waive: {short-runtime: a test}
workloads:
  - {name: alone, rw: read}
  - {name: reader, rw: randread, gate: {iops: 90%}}
  - {name: writer, rw: randwrite, end_fsync: false, stonewall: false, expect: [write.bw >= 1 B/s]}
EOF
t "the plan shows the group" 0 "$P" plan mix.yaml --target "$T/a"
has "$T/out" "reader on dut together with writer"
t "one brings the other" 5 "$P" run mix.yaml --target "$T/a" --only reader
has "$T/err" "'writer' runs at the same time as 'reader', which was selected, and so runs too"
has "$T/err" "beside writer"
ok "both ran in the same turns" jq -e '[.runs[] | select(.job == 1) | [.run, .order]] | length == 5 and . == ([$r[0].runs[] | select(.job == 2) | [.run, .order]])' --slurpfile r blkgate-out/result.json blkgate-out/result.json
ok "the fio command has both sections" jq -e '.jobs[1].fio | test("--name=reader .* --name=writer ")' blkgate-out/result.json
ok "the company stands in the identity" jq -e '.jobs[1].text | test("^beside=1%20same%20bs=")' blkgate-out/result.json
sed 's/name: writer,/name: writer, ramp_time: 10ms,/' mix.yaml >apart.yaml
t "windows that do not meet" 2 "$P" lint apart.yaml
has "$T/err" "do not overlap in full: they begin after 0 s and 10 ms"
sed 's/name: writer,/name: writer, when: target.type == block,/' mix.yaml >when.yaml
t "half a mixture is not measured" 0 "$P" run when.yaml --target "$T/a"
has "$T/err" "reader skipped: it runs only at the same time as 'writer' on 'dut', which is skipped"

cat >all.yaml <<'EOF'
blkgate: 1
name: all
defaults: {ioengine: sim, size: 1MiB, runtime: 1s, sessions: 2, sim: "lat=1ms"}
workloads:
  - name: slots
    rw: read
    targets: all
    gate: {iops: 10%}
    expect: [read.iops <= 1001 IOPS, all targets: read.iops >= 1999 IOPS, "all targets: every run: read.iops <= 2001 IOPS"]
EOF
two=(--target one="$T/a" --target two="$T/b")
t "all targets and their total" 5 "$P" run all.yaml "${two[@]}" --junit j.xml
has "$T/err" "all slots read 2.00 k IOPS"
junit j.xml
has j.xml 'classname="all.default.all.slots" name="expect read.iops min"'
t "accepted" 0 "$P" baseline accept blkgate-out/result.json
has "$T/out" "3 workloads"
t "the same again is green" 0 "$P" run all.yaml "${two[@]}" --out second
has "$T/err" "all slots read 2.00 k IOPS"
hasnt "$T/err" "regression"
t "judged again from the file" 0 "$P" judge second/result.json
t "a loss on each is one of the total too" 1 "$P" run all.yaml "${two[@]}" --inject slow=40% --out third
has "$T/err" "all slots gate read.iops regression"
sed 's/read.iops <= 1001 IOPS/read.iops >= 1 IOPS/; s/lat=1ms/lat=2ms/' all.yaml >other.yaml
t "another load is another measurement" 1 "$P" run other.yaml "${two[@]}" --out fourth
has "$T/err" "beside it (sim lat=1ms -> lat=2ms)"
t "one target is announced" 1 "$P" run all.yaml --target "$T/a" --out fifth
has "$T/err" "there is one target, and the total is its figures"
t "the role of the total is taken" 2 "$P" run all.yaml --target all="$T/a"
has "$T/err" "role name 'all' is that of the total"
t "a target that is missing leaves no total" 4 "$P" run all.yaml --target one="$T/a" --target two="$T/none" --out sixth
has "$T/err" "no total without 'slots' on 'two'"
finish
