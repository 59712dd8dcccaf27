#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside ci/lab under busybox: dangers that take NVMe, LVM, MD, crypt or multipath, each refused for
# writing without a byte changed and told to a reader. Others are in tests/cli/36-dangers.sh.
B=build/blkgate
. tests/lab/lib.sh
DUT=/dev/nvme0n1
ID=serial:LAB0/nsid:1

# Over one MiB, so that its sum is soon made.
# shellcheck disable=SC2317 # called by t
run() { $B run tests/lab/suite.yaml --set size=1MiB --set runtime=500ms "$@"; }
engine() { case $1 in /dev/ng*) echo io_uring_cmd ;; *) echo io_uring ;; esac; }
sum() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	dd if="$1" bs=1M count=1 2>/dev/null | md5sum # all that the suite may write
}
# refused NAME SENTENCE [TARGET [ID]]
refused() {
	before=$(sum $DUT)
	t "write: $1" 4 run --only write --set engine="$(engine "${3:-$DUT}")" --target "${3:-$DUT}" --allow-write "${4:-$ID}"
	says "$2"
	if [ "$before" = "$(sum $DUT)" ]; then pass "not a byte changed"; else fail "$1: the device changed"; fi
}
told() {
	t "read: $1" 0 run --only sync --set engine=io_uring --target "${3:-$DUT}"
	says "$2"
	says "it is read all the same"
}
blank() { dd if=/dev/zero of=$DUT bs=1M count=4 conv=fsync 2>/dev/null && dd if=/dev/zero of=$DUT bs=1M seek=60 conv=fsync 2>/dev/null; }
size=$(cat /sys/block/nvme0n1/size)
# over NAME SENTENCE: a device mapper device called `top` is on it.
over() {
	refused "$1" "$2"
	told "$1" "$2"
}

t "nothing forbids it at first" 0 run --only write --set engine=io_uring --target $DUT --allow-write $ID
if cmp -s -n 65536 $DUT /dev/zero; then fail "nothing was written"; else pass "it was written"; fi
refused "the serial number of two namespaces" "'serial:LAB0' is ambiguous" $DUT serial:LAB0
refused "the identity of the other namespace" "'serial:LAB0/nsid:2' is /dev/nvme0n2, and the target is /dev/nvme0n1" $DUT serial:LAB0/nsid:2
refused "a mere node" "is no identity" /dev/ng0n1 /dev/ng0n1

# ---- device mapper ----
dmsetup create top --table "0 $size linear $DUT 0"
over "a linear mapping" "'/dev/nvme0n1' is held by 'dm-0' (dm 'top')"
refused "the passthrough node below a mapping" "'/dev/nvme0n1' is held by 'dm-0' (dm 'top')" /dev/ng0n1
dmsetup remove top
if module dm-crypt 2>/tmp/err && module xts 2>/tmp/err && module aes_generic 2>/tmp/err; then
	dmsetup create top --uuid CRYPT-PLAIN-top --table "0 $size crypt aes-xts-plain64 $(printf '%064d' 7) 0 $DUT 0" 2>/tmp/err || fail "dm-crypt"
	over "a crypt device" "'/dev/nvme0n1' is held by 'dm-0' (CRYPT 'top')"
	dmsetup remove top
else
	skip "crypt: the kernel has no dm-crypt, xts or aes"
fi
if module dm-multipath 2>/tmp/err && module dm-round-robin 2>/tmp/err; then
	dmsetup create top --uuid mpath-eui.1 --table "0 $size multipath 0 0 1 1 round-robin 0 1 1 $DUT 1000" 2>/tmp/err || fail "dm-multipath"
	over "a member of a multipath device" "'/dev/nvme0n1' is held by 'dm-0' (mpath 'top')"
	dmsetup remove top
else
	skip "multipath: the kernel has no dm-multipath"
fi

# ---- the real tools ----
if command -v lvm >/dev/null; then
	mkdir -p /etc/lvm
	cat >/etc/lvm/lvm.conf <<-C
		activation { udev_sync = 0 udev_rules = 0 verify_udev_operations = 0 }
		devices { obtain_device_list_from_udev = 0 external_device_info_source = "none" use_devicesfile = 0 }
	C
	{ lvm pvcreate -ff -y $DUT && lvm vgcreate lab $DUT && lvm lvcreate -y -W n -Z n -n lv -L 16m lab; } >/tmp/err 2>&1 || fail "lvm"
	over "an active logical volume" "'/dev/nvme0n1' is held by 'dm-0' (LVM 'lab-lv')"
	lvm vgchange -an lab >/tmp/err 2>&1 || fail "vgchange"
	refused "a physical volume of which nothing is active" "holds data (LVM2_member signature)"
	blank
else
	skip "LVM: lvm2 could not be fetched"
fi
if command -v mdadm >/dev/null && module raid1 2>/tmp/err; then
	mkdir -p /run/mdadm
	echo y | mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --size=16M --assume-clean $DUT missing >/tmp/err 2>&1 || fail "mdadm"
	over "a member of an array" "'/dev/nvme0n1' is held by 'md0'"
	mdadm --stop /dev/md0 >/tmp/err 2>&1 || fail "mdadm --stop"
	refused "a member of a stopped array" "holds data (linux_raid_member signature)"
	blank
else
	skip "MD: mdadm could not be fetched, or the kernel has no raid1"
fi
if command -v cryptsetup >/dev/null && [ -e /modules/extra/dm-crypt ]; then
	echo secret | cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 $DUT - >/tmp/err 2>&1 || fail "luksFormat"
	refused "a closed LUKS device" "holds data (crypto_LUKS signature)"
	blank
else
	skip "LUKS: cryptsetup could not be fetched"
fi

# ---- a file system, of the whole and of a neighbour ----
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $DUT >/tmp/err 2>&1 || fail mkfs.ext4
mkdir -p /mnt
mount -t ext4 $DUT /mnt || fail mount
over "a mounted namespace" "'/dev/nvme0n1' is mounted on '/mnt' (ext4)"
refused "the passthrough node of a mounted namespace" "'/dev/nvme0n1' is mounted on '/mnt' (ext4)" /dev/ng0n1
umount /mnt
blank
# With the permission of the neighbour that has the same serial number nothing more can be written.
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/nvme0n2 >/tmp/err 2>&1 || fail mkfs.ext4
mount -t ext4 /dev/nvme0n2 /mnt || fail mount
t "a mounted namespace forbids nothing to its neighbour" 0 run --only write --set engine=io_uring --target $DUT --allow-write $ID
umount /mnt
exit $FAILED
