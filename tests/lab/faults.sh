#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside ci/lab under busybox: what a device does to a measurement that goes wrong. Latency that was
# added is found by the gate; an error is an error, with its place; a drive that is pulled out ends the run.
B=build/blkgate
S=tests/lab/faults.yaml
. tests/lab/lib.sh
size=$(cat /sys/block/nvme0n1/size)

# ---- what the drive is, behind a port of 8 GT/s x4 ----
t "probe" 0 $B probe /dev/nvme0n1
says "2.5 GT/s"
says "8 GT/s x4"
says "LAB0"

# ---- added latency, found by the gate ----
dmsetup create slow --table "0 $size delay /dev/nvme0n1 0 20" && until_ok test -e /dev/mapper/slow
t "a device of 20 ms has no baseline" 5 $B run tests/lab/delayed.yaml --target /dev/mapper/slow --sessions 2
t "which is accepted" 0 $B baseline accept blkgate-out/result.json
dmsetup suspend slow && dmsetup load slow --table "0 $size delay /dev/nvme0n1 0 100" && dmsetup resume slow
t "with 100 ms it is red" 1 $B run tests/lab/delayed.yaml --target /dev/mapper/slow --sessions 2
says "gate read.iops"
says "gate read.clat.mean"
dmsetup remove slow

# ---- errors ----
if module dm-flakey 2>/tmp/err; then
	# Up for no second, down for an hour: each read and write fails.
	dmsetup create bad --table "0 $size flakey /dev/nvme0n1 0 0 3600" 2>/tmp/err || fail dm-flakey
	until_ok test -e /dev/mapper/bad
	t "a device whose reads fail" 4 $B run $S --only plain --target /dev/mapper/bad
	says "Input/output error"
	dmsetup remove bad
	dmsetup create bad --table "0 $size flakey /dev/nvme0n1 0 0 3600 1 error_writes" 2>/tmp/err || fail dm-flakey
	until_ok test -e /dev/mapper/bad
	seq=$(cat /sys/block/dm-0/diskseq)
	t "a device whose writes fail" 4 $B run $S --only write --target /dev/mapper/bad --allow-write "diskseq:$seq"
	says "Input/output error"
	dmsetup remove bad
else
	skip "dm-flakey: the kernel has none"
fi
if module sd_mod 2>/tmp/err && module scsi_debug dev_size_mb=16 opts=2 2>/tmp/err; then
	until_ok test -b /dev/sda
	# Its sectors 0x1234 to 0x123d cannot be read.
	t "a medium error" 4 $B run $S --only scan --target /dev/sda
	says "read of 65536 bytes at offset 2359296 of '/dev/sda' failed"
	t "of another disk of the same make" 4 $B run $S --only write --target /dev/sda --allow-write serial:LAB0/nsid:1
	says "is not permitted"
else
	skip "scsi_debug: the kernel has none"
fi
if module null_blk nr_devices=1 gb=1 2>/tmp/err; then
	until_ok test -b /dev/nullb0
	t "null_blk" 0 $B run $S --only plain --target /dev/nullb0
else
	skip "null_blk: the kernel has none"
fi

# ---- the drive is pulled out under load ----
rm -rf blkgate-out
$B run $S --only plain --set runtime=20s --target /dev/nvme0n1 >/tmp/out 2>/tmp/err &
pid=$!
until_ok grep -qs '"start"' blkgate-out/journal
sleep 2
echo 1 >/sys/block/nvme0n1/device/device/remove
# It ends by itself, before the twenty seconds and every deadline.
n=0
while kill -0 $pid 2>/dev/null && [ $n -lt 150 ]; do n=$((n + 1)) && sleep 0.1; done
if kill -0 $pid 2>/dev/null; then
	fail "hot removal: it hangs"
	kill -9 $pid
else
	wait $pid
	got=$?
	if [ $got -eq 4 ]; then pass "hot removal under load (status 4)"; else fail "hot removal: status $got, expected 4"; fi
fi
says "of '/dev/nvme0n1' failed: "
says "the device is gone: its node has no size any more"
if [ -s blkgate-out/result.json ] && [ -s blkgate-out/junit.xml ]; then pass "both documents are there"; else fail "hot removal: no documents"; fi
exit "$FAILED"
