#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside ci/lab under busybox: the tests on a real (if emulated) NVMe drive.
B=build/blkgate
S=tests/lab/suite.yaml
. tests/lab/lib.sh
# Interrupts of the drive so far.
interrupts() { awk '/nvme/ { for (i = 2; i <= 3; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
# Interrupts of a command, in $irqs, and the I/Os of its result, in $ios.
counted() {
	before=$(interrupts)
	t "$@"
	irqs=$(($(interrupts) - before))
	ios=$(tr -s ',{' '\n' <blkgate-out/result.json | sed -n 's/.*"ios": *\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
	ios=${ios:-0}
}

# ---- the engine, call by call ----
export BLKGATE_LAB_NG=/dev/ng0n1 BLKGATE_LAB_BLOCK=/dev/nvme0n1 BLKGATE_LAB_NG_4K=/dev/ng0n2
export BLKGATE_LAB_NG_PI=/dev/ng0n3 BLKGATE_LAB_NG_EXTENDED=/dev/ng0n4
build/tests/conformance/test_passthrough >/tmp/out 2>&1
sed -n -e 's/^\[ *OK *\] /ok - lab: passthrough: /p' -e 's/^\[ *FAILED *\] /not ok - lab: passthrough: /p' \
	-e 's/^\[ *SKIPPED *\] /not ok - lab: passthrough: skipped: /p' /tmp/out | sort -u
grep -q 'FAILED\|SKIPPED' /tmp/out && cp /tmp/out /tmp/err && fail "passthrough"

t "version tells that the engine is usable" 0 $B version --engines
grep -q "io_uring_cmd usable" /tmp/out || fail "io_uring_cmd is not usable"

# ---- runs ----
t "writing without permission" 4 $B run $S --target /dev/ng0n1 --only write
says "writing to '/dev/ng0n1' is not permitted; it takes --allow-write wwid:"
t "a node is no identity" 4 $B run $S --target /dev/ng0n1 --only write --allow-write /dev/ng0n1
says "no identity"
t "another namespace's identity" 4 $B run $S --target /dev/ng0n1 --only write --allow-write serial:LAB0/nsid:2
says "'serial:LAB0/nsid:2' is /dev/nvme0n2, and the target is /dev/nvme0n1"
dd if=/dev/zero of=/dev/nvme0n1 bs=1M count=16 2>/dev/null && sync
t "reads, and writes by identity" 0 $B run $S --target /dev/ng0n1 --only '[rw]*' --allow-write serial:LAB0/nsid:1
says "lab on dut = /dev/ng0n1"
echo 3 >/proc/sys/vm/drop_caches
if dd if=/dev/nvme0n1 bs=1M count=16 2>/dev/null | tr -d '\0' | head -c 1 | grep -q .; then pass "the block device sees what was written"; else fail "nothing was written"; fi
grep -q '"passthrough": *"/dev/ng0n1"' blkgate-out/result.json || fail "the result does not tell the node"
t "fio's line of it" 0 grep -q -- '--filename=/dev/ng0n1.*--ioengine=io_uring_cmd.*--cmd_type=nvme' blkgate-out/result.json
t "a transfer above MDTS" 4 $B run $S --target /dev/ng0n1 --only large
says "a transfer of 1048576 bytes is above the 524288 bytes that the device takes at once (MDTS)"
t "the engine on a block device" 4 $B run $S --target /dev/nvme0n1 --only read
says "io_uring_cmd needs the passthrough node of an NVMe namespace; the target 'dut' is /dev/nvme0n1: --target /dev/ng0n1"
t "another engine on the node" 4 $B run $S --target /dev/ng0n1 --only read --set engine=io_uring
says "ioengine io_uring cannot use the passthrough node /dev/ng0n1 of target 'dut': --target /dev/nvme0n1"
t "a format with PI" 4 $B run $S --target /dev/ng0n3 --only read
says "namespace 3 has protection information (PI type 1)"
t "a format with metadata in the data" 4 $B run $S --target /dev/ng0n4 --only read
says "the kernel cannot use the format of its blocks"

# ---- what uses the block device uses the node ----
# The claim of a writing session is on the block device: nobody else gets it meanwhile.
$B run $S --target /dev/ng0n1 --only write --allow-write serial:LAB0/nsid:1 --set runtime=4s >/tmp/bg 2>&1 &
n=0
# Its worker is there when two processes have the node.
# shellcheck disable=SC2010
while [ "$(ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c ng0n1)" -lt 2 ] && [ $n -lt 100 ]; do n=$((n + 1)) && sleep 0.1; done
t "a device mapping on top is refused while it is written" 1 dmsetup create top --table "0 1024 linear /dev/nvme0n1 0"
says "busy"
wait $!
t "and made when the session is over" 0 dmsetup create top --table "0 1024 linear /dev/nvme0n1 0"
t "now writing is refused" 4 $B run $S --target /dev/ng0n1 --only write --allow-write serial:LAB0/nsid:1
says "'/dev/nvme0n1' is held by"
dmsetup remove top
echo 'start=256' | sfdisk -q /dev/nvme0n2 >/tmp/err 2>&1 || fail sfdisk
mkfs.ext4 -q /dev/nvme0n2p1 >/tmp/err 2>&1 || fail mkfs.ext4
mkdir -p /mnt
mount -t ext4 /dev/nvme0n2p1 /mnt || fail mount
t "writing with a mounted partition" 4 $B run $S --target /dev/ng0n2 --only write --allow-write serial:LAB0/nsid:2
says "'/dev/nvme0n2p1' is mounted on '/mnt' (ext4)"
t "reading it is allowed" 0 $B run $S --target /dev/ng0n2 --only read
says "it is read all the same"
umount /mnt
t "writing over a partition table" 4 $B run $S --target /dev/ng0n2 --only write --allow-write serial:LAB0/nsid:2
says "holds data (dos signature)"

# ---- what is watched while it is measured ----
W=tests/lab/admission.yaml
watched() { grep -o '"watched": {.*' blkgate-out/result.json | head -n 1; }
t "SMART, link, log and disk of a quiet run" 0 $B run $W --target /dev/nvme0n1 --set runtime=3s
# The drive's 323 K; its link is 2.5 GT/s x1 and can do no more.
if watched | grep -qE '"temperature": "[2-9] 50 50 50 50".*"link.speed": "[0-9]+ 2500 2500 2500 2500", "link.width": "[0-9]+ 1 1 1 1"'; then pass "50 C by SMART, 2.5 GT/s x1 under load"; else watched >/tmp/err && fail "what was watched"; fi
if watched | grep -qE '"health.media_errors": "[2-9] 0 0".*"health.thermal_1_time": "[2-9] 0 0".*"kernel_log.lines": "1 0 0 0 0".*"device.other_bytes"'; then pass "counters, log and disk"; else watched >/tmp/err && fail "what was watched"; fi
cost=$(watched | sed -n 's/.*"cost": *\([0-9]*\).*/\1/p')
if [ "${cost:-0}" -gt 0 ] && [ "$cost" -lt 1000000000 ]; then pass "a look at the health took $((cost / 1000)) us"; else fail "cost $cost"; fi
while :; do dd if=/dev/nvme0n1 bs=64k iflag=direct of=/dev/null 2>/dev/null; done &
other=$!
t "somebody else reads the drive" 4 $B run $W --target /dev/nvme0n1 --set runtime=500ms
says "admit: other_io < 5% did not hold during the run on 'dut': it was '"
kill $other 2>/dev/null
wait $other
(n=0 && while ! grep -q '"start"' blkgate-out/journal 2>/dev/null && [ $n -lt 100 ]; do n=$((n + 1)) && sleep 0.05; done
	sleep 1 && echo 1 >/sys/class/nvme/nvme0/reset_controller) &
rm -rf blkgate-out
t "the controller is reset in the middle" 4 $B run $W --target /dev/nvme0n1 --set runtime=3s --set other=100%
wait
says "admit: kernel_log == clean did not hold during the run on 'dut': it was '"
says "nvme nvme0: "
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd && echo 'nobody:x:65534:' >/etc/group
chmod 644 /dev/nvme0n1 && chmod 755 /lab && mkdir -p /tmp/nobody && chown 65534 /tmp/nobody
t "no kernel log without root, and no guess" 4 su -s /bin/sh nobody -c "$B run $W --target /dev/nvme0n1 --out /tmp/nobody/out"
says "the kernel log may not be read (kernel.dmesg_restrict): run blkgate as root or with CAP_SYSLOG"
echo 0 >/proc/sys/kernel/dmesg_restrict
t "no SMART log without root, and no guess" 4 su -s /bin/sh nobody -c "$B run $W --target /dev/nvme0n1 --out /tmp/nobody/out"
says "the SMART log of '/dev/nvme0' takes root (CAP_SYS_ADMIN)"

# ---- polling, which only a drive with polled queues has ----
# The read that proves nothing on this kernel (6.1): it succeeds by interrupt.
t "hipri of io_uring without polled queues" 4 $B run $S --target /dev/nvme0n1 --only read --set engine=io_uring --set poll=true
says "device.io_poll is 0"
t "hipri of pvsync2 without polled queues" 4 $B run $S --target /dev/nvme0n1 --only sync --set poll=true
says "device.io_poll is 0"
t "hipri of io_uring_cmd without polled queues" 4 $B run $S --target /dev/ng0n1 --only read --set poll=true
says "device.io_poll is 0"
counted "without hipri" 0 $B run $S --target /dev/ng0n1 --only read
if [ "$ios" -gt 200 ] && [ "$irqs" -gt $((ios / 50)) ]; then pass "unpolled: $irqs interrupts for $ios I/Os"; else fail "unpolled: $irqs interrupts for $ios I/Os"; fi
rmmod nvme && insmod /modules/nvme.ko poll_queues=1
n=0
while [ ! -e /dev/ng0n4 ] && [ $n -lt 100 ]; do n=$((n + 1)) && sleep 0.1; done
for row in 'io_uring /dev/nvme0n1' 'io_uring_cmd /dev/ng0n1'; do
	counted "hipri of ${row% *}" 0 $B run $S --target "${row#* }" --only 'r*' --set engine="${row% *}" --set poll=true
	# A few stay: the plan's own reads, and flushes of nobody.
	if [ "$ios" -gt 200 ] && [ "$irqs" -lt $((ios / 20)) ]; then pass "polled: $irqs interrupts for $ios I/Os"; else fail "polled: $irqs interrupts for $ios I/Os"; fi
done
# One interrupt an I/O was seen here, with queues that poll.
t "hipri of pvsync2, which this kernel ignores" 4 $B run $S --target /dev/nvme0n1 --only sync --set poll=true
says "the kernel ignores the hint of synchronous I/O"

# ---- the way to the drive, and a drive that moves ----
t "probe" 0 $B probe /dev/nvme0n1
says "link.speed 2.5 GT/s"
says "device.driver nvme"
says "--allow-write"
says "serial:LAB0/nsid:1"
says "link.port 16 GT/s x32"
says "pcie.max_payload 128"
says "pcie.usable_bandwidth 210526315"
# Two workloads; the drive is taken away and found again while the session stands still. The run in
# flight fails, and with it its workload; the other goes on, under the new name.
cat >/tmp/again.yaml <<'EOF'
blkgate: 1
name: again
defaults: {rw: randread, bs: 4KiB, size: 16MiB, runtime: 2s, runs: 4}
workloads: [{name: a}, {name: b}]
EOF
rm -rf blkgate-out
$B run /tmp/again.yaml --target serial:LAB0/nsid:1 >/tmp/out 2>/tmp/err &
pid=$!
n=0
while ! grep -q '"run":' blkgate-out/journal 2>/dev/null && [ $n -lt 200 ]; do n=$((n + 1)) && sleep 0.1; done
kill -STOP $pid
pci=$(readlink -f /sys/class/nvme/nvme0/device)
echo 1 >"$pci/remove"
n=0
while [ -e /dev/nvme0n1 ] && [ $n -lt 100 ]; do n=$((n + 1)) && sleep 0.1; done
echo 1 >/sys/bus/pci/rescan
n=0
# The node of the first namespace, whatever it is called.
there() {
	for nsid in /sys/block/nvme*/nsid; do
		name=${nsid%/nsid}
		[ "$(cat "$nsid" 2>/dev/null)" = 1 ] && [ -b "/dev/${name##*/}" ] && return 0
	done
	return 1
}
while ! there && [ $n -lt 100 ]; do n=$((n + 1)) && sleep 0.1; done
kill -CONT $pid
wait $pid
got=$?
# Between two runs none of them notices.
case $got in
0 | 4) pass "a drive that moves (status $got)" ;;
*) fail "a drive that moves: status $got, expected 4 or 0" ;;
esac
cat blkgate-out/result.json >>/tmp/err
says "and was followed by what it is"
ok=$(grep -c '"status": *"ok"' blkgate-out/result.json)
if [ "$ok" -ge 4 ]; then pass "$ok runs are good"; else fail "$ok runs are good"; fi
t "it has another name now" 0 $B probe serial:LAB0/nsid:1
if grep -q ' /dev/nvme0n1$' /tmp/out; then fail "the old name was free"; else pass "$(sed -n 's/^ *path  *//p' /tmp/out)"; fi
exit $FAILED
