#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several files of a job, and where its threads and buffers are.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >files.yaml <<'EOF'
blkgate: 1
name: files
defaults: {direct: auto, runs: 1, sessions: 1}
waive: {no-checks: what a run did is looked at}
workloads:
  - {name: shared, rw: randread, size: 1MiB, nrfiles: 4, numjobs: 2}
  - {name: own, rw: write, size: 384KiB, nrfiles: 3, numjobs: 2, files: per_job, bs: 64KiB, end_fsync: true}
EOF
t "a plan with several files" 0 "$P" plan files.yaml --target "$T/scratch"
has "$T/out" "nrfiles 4 files.yaml:6:"
# Four files of 256 KiB and, for the second job of the writer, two more of 128; then its 768 KiB.
has "$T/out" "written 2 MiB a session"
t "jobs work on several files" 0 "$P" run files.yaml --target "$T/scratch" --out out
ok "each block of each file once a job" jq -e \
	'[.runs | sort_by(.job)[] | (.read.ios // 0), (.write.ios // 0)] == [512, 0, 0, 12]' out/result.json
ok "each file of each job was synced" jq -e '[.runs[] | select(.job == 1) | .sync_lat.n] == [6]' out/result.json
ok "several files are part of the identity" jq -e '.jobs | all(.text | test(" nrfiles=[34] "))' out/result.json
ok "nothing is left in the folder" test -z "$(ls -A "$T/scratch")"

head -c 1048576 /dev/urandom >"$T/scratch/one"
cat >file.yaml <<'EOF'
blkgate: 1
name: file
defaults: {direct: auto, runs: 1, sessions: 1}
waive: {no-checks: what a run did is looked at}
workloads:
  - {name: two, rw: read, size: 64KiB, nrfiles: 2}
EOF
t "a single file has no others" 4 "$P" run file.yaml --target "$T/scratch/one" --out out-file
has "$T/err" "nrfiles: 2 needs a folder, and 'dut' is a file; name a folder with --target"
sed -i 's/size: 64KiB, nrfiles: 2/offset: 50%, size: 50%/' file.yaml
t "the second half of a file" 0 "$P" run file.yaml --target "$T/scratch/one" --out out-half
ok "the share stands in bytes" jq -e \
	'.jobs[0].text | test(" offset=524288 ") and test(" size=524288 ")' out-half/result.json
ok "that much was read" jq -e '.runs[0].read.ios == 128' out-half/result.json
rm "$T/scratch/one"

cat >many.yaml <<'EOF'
blkgate: 1
name: many
defaults: {direct: auto, runs: 1, sessions: 1}
waive: {no-checks: what a run did is looked at}
workloads:
  - {name: many, rw: read, size: 4MiB, nrfiles: 128}
EOF
t "more files than descriptors" 4 bash -c "ulimit -n 200; '$P' run many.yaml --target '$T/scratch' --out out-many"
has "$T/err" "need 289 descriptors, and RLIMIT_NOFILE is 200"
t "with descriptors enough" 0 bash -c "ulimit -n 400; '$P' run many.yaml --target '$T/scratch' --out out-many"

node() {
	cat >node.yaml <<-EOF
		blkgate: 1
		name: node
		defaults: {ioengine: "null", size: 1MiB, runs: 1, sessions: 1}
		waive: {no-checks: what a run did is looked at}
		workloads:
		  - {name: n, rw: read, numjobs: 2, $1}
	EOF
}
if [ -r /sys/devices/system/node/node0/cpulist ] && [ ! -e /sys/devices/system/node/node63 ]; then
	node "numa_cpu_nodes: 63"
	t "processors of an absent node" 4 "$P" run node.yaml --target "$T/scratch" --out out-node
	has "$T/err" "numa_cpu_nodes: node 63 is not there; this machine has nodes 0"
	node 'numa_mem_policy: "bind:63"'
	t "memory of an absent node" 4 "$P" run node.yaml --target "$T/scratch" --out out-node
	has "$T/err" "numa_mem_policy: node 63 is not there, or has no memory"
else
	skip "absent nodes" "this kernel knows no memory nodes"
fi
node "cpus_allowed: 0, numa_cpu_nodes: 0"
t "two lists of processors" 2 "$P" run node.yaml --target "$T/scratch" --out out-node
has "$T/err" "both cpus_allowed and numa_cpu_nodes"
node "cpus_allowed_policy: split"
t "split of nothing" 2 "$P" run node.yaml --target "$T/scratch" --out out-node
has "$T/err" "needs cpus_allowed"
finish
