#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whether a measurement counts: requires, admit, what is watched during a run, and who judges it later.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# suite FILE TOP [WORKLOAD-WORDS]: one short workload of direct reads.
suite() {
	printf 'blkgate: 1\nname: admission\nwaive: {no-checks: x, short-runtime: x}\n%s\n' "$2"
	printf 'defaults: {ioengine: libaio, iodepth: 4, size: 8MiB, runtime: 500ms, runs: 2, sessions: 1}\n'
	printf 'workloads:\n  - {name: one, rw: randread, bs: 4KiB%s}\n' "${3:-}"
} >"$1"
run() { # NAME STATUS SUITE [ARG...]
	local name=$1 want=$2 s=$3
	shift 3
	t "$name" "$want" "$P" run "$s" --target "$T/scratch" --out out --junit out.xml "$@"
}

# ---- the kernel under test really booted ----
suite kernel.yaml $'parameters: {kernel: {required: true}}\nrequires: ["kernel.release == ${kernel}"]'
run "the kernel that was meant" 0 kernel.yaml --set "kernel=$(uname -r)"
run "another one" 4 kernel.yaml --set kernel=6.1.0-never
has "$T/err" "requires: kernel.release == 6.1.0-never is not met on 'dut': it is '$(uname -r)'"
has "$T/err" "status 4"
junit out.xml
has out.xml "kernel.release == 6.1.0-never is not met"
ok "nothing was measured" jq -e '.runs | length == 0' out/result.json
t "and none was named" 2 "$P" run kernel.yaml --target "$T/scratch" --out out
has "$T/err" "kernel"

# ---- what a run shows ----
suite watched.yaml 'admit: [kernel.release != 1.0, generator.cpu < 1000%]'
run "a run is watched unasked" 0 watched.yaml
json out/result.json
ok "processors, log and disk were looked at" jq -e '
	.runs | length == 2 and all(.[]; .watched | has("kernel_log.lines") or (.unknown | has("kernel_log.lines")))' out/result.json
ok "the cost of a look stands beside it" jq -e '.runs | all(.[]; .watched.cost > 0)' out/result.json

suite busy.yaml 'admit: [generator.cpu < 0.1%]'
run "a condition that no run meets" 4 busy.yaml
has "$T/err" "admit: generator.cpu < 0.1% did not hold during the run on 'dut': it was '"
ok "the run says so, and has no number" jq -e '
	.runs[0] | .status == "admission" and (.window == 0) and (has("values") | not) and (.text | contains("generator.cpu"))' out/result.json
ok "it is not made again" jq -e '.runs | length == 1' out/result.json
has out.xml 'type="admission"'
junit out.xml
# Who judges later has the file only.
cp out/result.json broken.json
t "judged later it is the same" 4 "$P" judge broken.json --json again.json
ok "bit for bit" test "$(jq -S .verdicts out/result.json)" = "$(jq -S .verdicts again.json)"
t "and no baseline" 2 "$P" baseline accept broken.json
cp out/journal journal
t "judged from the journal as well" 4 "$P" judge journal

# ---- the drive was too hot in one run: undecided, also for who judges later ----
suite hot.yaml '' ', expect: [read.iops >= 1]'
run "a quiet run" 0 hot.yaml
jq '.runs[1].watched["health.thermal_1_time"] = "2 40 43"' out/result.json >hot.json
t "a throttled run is undecided" 3 "$P" judge hot.json --junit hot.xml
has "$T/err" "the device throttled in run 2 of session 1: health.thermal_1_time +3; without that: pass"
has "$T/err" "seen: throttled (health.thermal_1_time +3)"
junit hot.xml
t "and no baseline either" 2 "$P" baseline accept hot.json
has "$T/err" "the device throttled in run 2"
jq '.runs[1].watched["health.thermal_1_time"] = "2 40"' out/result.json >damaged.json
t "a damaged look is damage" 4 "$P" judge damaged.json
has "$T/err" "runs[1].watched[\"health.thermal_1_time\"]: is not 'looks first last'"

# ---- what cannot be shown is told before anything is measured ----
suite heat.yaml 'admit: [temperature < 70C wait 1s]'
if "$P" probe "$T/scratch" 2>/dev/null | grep -qE '^ *temperature +[0-9]'; then
	skip "no thermometer" "the disk here has one"
else
	run "no thermometer" 4 heat.yaml
	has "$T/err" "admit: temperature < 70C wait 1s is not met on 'dut'"
fi
suite throttled.yaml 'admit: [throttled == no]'
run "no counters of heat" 4 throttled.yaml
has "$T/err" "admit: throttled == no is not met on 'dut'"
suite log.yaml 'admit: [kernel_log == clean]'
if root && [ "$(cat /proc/sys/kernel/dmesg_restrict 2>/dev/null)" = 1 ] && command -v setpriv >/dev/null; then
	chmod 755 "$T" "$T/here"
	mkdir -p "$T/nobody" && chown 65534 "$T/nobody"
	t "a log that may not be read" 4 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$P" run log.yaml --target "$T/nobody" --out "$T/nobody/out"
	has "$T/err" "the kernel log may not be read (kernel.dmesg_restrict): run blkgate as root or with CAP_SYSLOG"
else
	skip "a log that may not be read" "needs root, setpriv, and kernel.dmesg_restrict = 1"
fi
if [ -r /dev/kmsg ] && root; then
	run "a clean log" 0 log.yaml
	ok "it was looked at in each run" jq -e '.runs | all(.[]; .watched["kernel_log.lines"] | endswith(" 0 0 0 0"))' out/result.json
else
	skip "a clean log" "needs root and /dev/kmsg"
fi

# ---- where there is no disk nothing is claimed of one ----
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && mkdir /dev/shm/blkgate-admission.$$ 2>/dev/null; then
	cleanup "rm -rf /dev/shm/blkgate-admission.$$"
	suite memory.yaml '' ', ioengine: psync, direct: false, invalidate: false'
	t "a file in memory" 0 "$P" run memory.yaml --target /dev/shm/blkgate-admission.$$ --out out
	ok "no temperature, no link, no bytes of a disk, and none unknown" jq -e '.runs | all(.[]; .watched |
		[(. + (.unknown // {})) | keys[] | select(test("temperature|^link|^health|^pcie"))] == [])' out/result.json
	suite memory.yaml 'admit: [other_io < 5%]' ', ioengine: psync, direct: false, invalidate: false'
	t "so that a condition on it is not met" 4 "$P" run memory.yaml --target /dev/shm/blkgate-admission.$$ --out out
	has "$T/err" "admit: other_io < 5% did not hold"
else
	skip "a file in memory" "/dev/shm is no tmpfs that can be written"
fi

# ---- refused by the suite ----
refused() { # NAME TOP TEXT
	suite bad.yaml "$2"
	t "$1" 2 "$P" lint bad.yaml
	has "$T/err" "$3"
}
refused "requires knows no run" 'requires: [kernel_log == clean]' "kernel_log is known of a run only"
refused "only the temperature is waited for" 'admit: [link == full wait 1min]' "nothing is gained by waiting for link"
refused "a value that it never has" 'admit: [throttled == maybe]' "'maybe' is no value of throttled"
finish
