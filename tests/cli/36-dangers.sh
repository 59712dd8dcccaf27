#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each danger that loop devices can show: writing is refused and not a byte changes, reading is told.
# What takes other hardware is in tests/lab/dangers.sh; the table of all is in src/plan/README.md.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >read.yaml <<'Y'
blkgate: 1
name: r
defaults: {runs: 1, sessions: 1, runtime: 100ms, size: 1MiB, direct: auto}
workloads:
  - {name: r, rw: randread}
Y
sed -e 's/name: r/name: w/' -e 's/randread/randwrite/' -e 's/size: 1MiB/size: 64KiB/' read.yaml >write.yaml
sed -e 's/name: r/name: t/' -e 's/randread/randtrim/' -e 's/size: 1MiB/size: 64KiB/' -e 's/, direct: auto//' read.yaml >trim.yaml

# refused NAME SENTENCE FILE ARG...: status 4 for writing and for trim, the sentence, FILE as before.
refused() {
	local name=$1 text=$2 file=$3 sum suite
	shift 3
	sync "$file"
	sum=$(cksum <"$file")
	for suite in write trim; do
		t "$suite: $name" 4 "$P" run $suite.yaml "$@"
		has "$T/err" "$text"
	done
	sync "$file"
	ok "not a byte of it changed" test "$sum" = "$(cksum <"$file")"
}
# told NAME SENTENCE ARG...: it is read, and the result says what uses it.
told() {
	local name=$1 text=$2
	shift 2
	t "read: $name" 0 "$P" run read.yaml "$@"
	has "$T/err" "$text"
	ok "which the result keeps" jq -e --arg x "$text" '.notices | any(contains($x))' blkgate-out/result.json
}

# ---- folders and files, as any user ----
mkdir -p results accepted accepted/w/default "$T/store/below"
folder() { # NAME SENTENCE FOLDER ARG...
	local name=$1 text=$2 dir=$3 before
	shift 3
	before=$(cd "$dir" && find . -type f -exec cksum {} + | sort)
	t "$name" 4 "$P" run write.yaml --target "$dir" "$@"
	has "$T/err" "$text"
	ok "nothing was made there" test "$before" = "$(cd "$dir" && find . -type f ! -path './blkgate-out*' -exec cksum {} + | sort)"
}
echo '{}' >accepted/w/default/20260101T000000Z-abcdef.json
mv accepted/w/default/20260101T000000Z-abcdef.json accepted/kept.txt
folder "a folder that is that of the baselines" "is the folder of baselines" accepted --baselines accepted
folder "by a link" "is the folder of baselines" "$(ln -s accepted by-link && echo by-link)" --baselines "$PWD/accepted"
folder "a folder below the baselines" "lies in the folder of baselines" accepted/w --baselines accepted
mkdir -p out/x
t "a folder that is that of the output" 4 "$P" run write.yaml --target out --out out
has "$T/err" "is the folder of the output"
t "a folder below the output" 4 "$P" run write.yaml --target out/x --out out
has "$T/err" "lies in the folder of the output"
ok "nothing was made there" test -z "$(ls -A out/x)"
t "a file below the baselines" 4 "$P" run write.yaml --target accepted/kept.txt --allow-write accepted/kept.txt --baselines accepted
ok "it is as it was" grep -qx '{}' accepted/kept.txt
mkdir -p above/baselines
t "a folder that holds output and baselines is told" 0 "$P" run write.yaml --target above --out above/out --baselines above/baselines
has "$T/err" "holds the folder of baselines"
has "$T/err" "holds the folder of the output"
mkdir -p full && echo precious >full/file && echo precious >outside && ln -s ../outside full/link && ln -s nowhere full/dangling
t "a folder with a file and planted links" 0 "$P" run write.yaml --target full
ok "the file stands" grep -qx precious full/file
ok "what the link leads to stands" grep -qx precious outside
ok "no file is left, the link leads nowhere" test "$(find full -mindepth 1 -printf '%f %l\n' | sort | xargs)" = "dangling nowhere file link ../outside"
head -c 1M /dev/urandom >data.img
refused "an existing file without permission" "is not permitted" data.img --target data.img
refused "permission for another file" "is not permitted" data.img --target data.img --allow-write outside
t "two roles for one file" 2 "$P" run write.yaml --target a=data.img --target "b=$PWD/data.img"

# ---- two sessions at once ----
sed 's/runtime: 100ms/runtime: 5s/' write.yaml >slow.yaml
# at_once NAME SECOND-TARGET FIRST-ARG...
at_once() {
	local name=$1 second=$2 pid
	shift 2
	rm -rf first
	"$P" run slow.yaml --out first "$@" >first.out 2>first.err &
	pid=$!
	for _ in $(seq 200); do
		grep -q '"start"' first/journal 2>/dev/null && break
		sleep 0.05
	done
	# A reader takes the lock as well: it would measure what the other does.
	t "$name" 4 "$P" run read.yaml --target "$second" --out second
	has "$T/err" "another blkgate run uses it"
	kill -INT $pid
	wait $pid
}
mkdir -p shared
at_once "two sessions on a folder" "$T/here/./shared" --target shared
at_once "two sessions on a file" "$PWD/data.img" --target data.img --allow-write "$PWD/data.img"

need "what takes devices" losetup mkfs.ext4 mkswap swapon sfdisk unshare || finish
loop "$T/img" 64M || {
	skip "what takes devices" "no loop device: $(head -n 1 "$T/err")"
	finish
}
dev=$LOOP
seq_of() { cat "/sys/block/${1#/dev/}/diskseq" 2>/dev/null; }
id=diskseq:$(seq_of "$dev")
[ "$id" != diskseq: ] || {
	skip "what takes devices" "this kernel has no disk sequence numbers"
	finish
}
dut=(--target "$dev" --allow-write "$id")
t "the device is written when nothing forbids it" 0 "$P" run write.yaml "${dut[@]}"
ok "its first blocks changed" bash -c "! cmp -s -n 65536 '$T/img' /dev/zero"

# ---- what is on it, and what may be done to it ----
blank() { wipefs -qa "$dev" 2>/dev/null && dd if=/dev/zero of="$dev" bs=1M count=2 conv=fsync status=none; }
echo 'start=2048' | sfdisk -q "$dev" >/dev/null 2>&1
refused "a partition table" "holds data (dos signature)" "$T/img" "${dut[@]}"
blank
mkswap "$dev" >/dev/null 2>&1
refused "a swap signature" "holds data (swap signature)" "$T/img" "${dut[@]}"
blank
blockdev --setro "$dev"
refused "a read-only device" "is read-only" "$T/img" "${dut[@]}"
blockdev --setrw "$dev"
refused "its name is no identity" "is no identity" "$T/img" --target "$dev" --allow-write "$dev"

# ---- who uses it ----
mkfs.ext4 -q -F "$dev"
refused "a file system" "holds data (ext4 signature)" "$T/img" "${dut[@]}"
if mount_at "$T/mnt" "$dev"; then
	refused "a mounted disk" "'$dev' is mounted on '$T/mnt' (ext4)" "$T/img" "${dut[@]}"
	told "a mounted disk" "'$dev' is mounted on '$T/mnt' (ext4); it is read all the same" --target "$dev"
	# By whatever it is called.
	mknod "$T/node" b "$(stat -c %Hr "$dev")" "$(stat -c %Lr "$dev")"
	ln -s "$dev" "$T/a-link" && ln -s a-link "$T/a-link-to-it"
	exec 8<"$dev"
	for spelling in "$id" "$T/node" "$T/a-link-to-it" "/dev/../$dev" "/dev/block/$(stat -c %Hr:%Lr "$dev")" "/proc/self/fd/8" "/proc/$$/root$dev"; do
		[ -e "$spelling" ] || [ "$spelling" = "$id" ] || continue
		refused "named ${spelling/#$T/.}" "is mounted on '$T/mnt'" "$T/img" --target "$spelling" --allow-write "$id"
	done
	exec 8<&-
	# The file below the mounted loop device, by its own name and by another.
	ln "$T/img" "$T/img-too"
	for f in img img-too; do
		refused "$f, which a loop device is on" "'$dev' is a loop device on '$T/img'" "$T/img" --target "$T/$f" --allow-write "$T/$f"
	done
	head -c 1M /dev/urandom >under.img
	cleanup "losetup -n -O NAME -j '$PWD/under.img' | xargs -r -n 1 losetup -d"
	top=$(losetup --find --show under.img 2>"$T/err")
	told "a file below a loop device" "'$top' is a loop device on '$PWD/under.img'; it is read all the same" --target under.img
	losetup -d "$top"
	dd if=/dev/zero of="$T/mnt/swap" bs=1M count=8 status=none && chmod 600 "$T/mnt/swap" && mkswap "$T/mnt/swap" >/dev/null 2>&1
	cleanup "swapoff '$T/mnt/swap'"
	if swapon "$T/mnt/swap" 2>"$T/err"; then
		refused "a swap file" "'$T/mnt/swap' is swap space" "$T/mnt/swap" --target "$T/mnt/swap" --allow-write "$T/mnt/swap"
		refused "the disk of a swap file" "is mounted on" "$T/img" "${dut[@]}"
		told "a swap file" "is swap space; it is read all the same" --target "$T/mnt/swap"
		swapoff "$T/mnt/swap"
	else
		skip "a swap file" "$(head -n 1 "$T/err")"
	fi
	umount "$T/mnt"
fi
# Nobody but that process sees it.
cleanup 'kill $private'
unshare -m --propagation private sh -c "mount '$dev' '$T/mnt' && : >'$T/private' && exec sleep 60" 2>"$T/err" &
private=$!
for _ in $(seq 100); do
	[ -e "$T/private" ] && break
	sleep 0.05
done
if [ -e "$T/private" ]; then
	refused "mounted in another mount namespace" "is mounted on '$T/mnt' (ext4) in the mount namespace of process $private" "$T/img" "${dut[@]}"
	told "mounted in another mount namespace" "in the mount namespace of process $private" --target "$dev"
else
	skip "another mount namespace" "$(head -n 1 "$T/err")"
fi
kill $private && wait $private 2>/dev/null
for _ in $(seq 100); do # the kernel unmounts when the process is gone
	blank 2>/dev/null && break
	sleep 0.05
done
mkswap "$dev" >/dev/null 2>&1
cleanup "swapoff '$dev'"
if swapon "$dev" 2>"$T/err"; then
	refused "swap" "'$dev' is swap space" "$T/img" "${dut[@]}"
	told "swap" "is swap space; it is read all the same" --target "$dev"
	swapoff "$dev"
else
	skip "swap" "$(head -n 1 "$T/err")"
fi
blank
cleanup "losetup -n -O NAME -j '$dev' | xargs -r -n 1 losetup -d"
top=$(losetup --find --show "$dev" 2>"$T/err")
refused "a loop device over it" "'$top' is a loop device stacked on '$dev'" "$T/img" "${dut[@]}"
told "a loop device over it" "is a loop device stacked on" --target "$dev"
losetup -d "$top"

# ---- partitions ----
cat >disk.sfdisk <<'S'
label: dos
start=2048, size=32768
start=65536, size=32768
S
sfdisk -q "$dev" <disk.sfdisk >/dev/null 2>&1
cleanup "partx -d '$dev'"
partx -a "$dev" 2>/dev/null # losetup makes none here
for _ in $(seq 20); do [ -b "${dev}p2" ] || sleep 0.1; done
if [ -b "${dev}p2" ]; then
	refused "a partition with the permission of its disk" "permission for a disk is not one for its partition, nor the reverse" "$T/img" \
		--target "${dev}p1" --allow-write "$id"
	mkdir -p /dev/disk/by-id
	cleanup "rmdir /dev/disk/by-id /dev/disk"
	link=/dev/disk/by-id/scsi-blkgate-$$
	cleanup "rm -f '$link'-part1 '$link'"
	ln -s "${dev}p1" "$link-part1"
	refused "a disk with the permission of its partition" "permission for a disk is not one for its partition, nor the reverse" "$T/img" \
		--target "$dev" --allow-write "$link-part1"
	mkfs.ext4 -q -F "${dev}p2"
	part=(--target "${dev}p1" --allow-write "$link-part1")
	t "a partition with its own permission is written" 0 "$P" run write.yaml "${part[@]}"
	if mount_at "$T/mnt2" "${dev}p2"; then
		refused "the disk of a mounted partition" "'${dev}p2' is mounted on '$T/mnt2'" "$T/img" "${dut[@]}"
		refused "the sibling of a mounted partition" "'${dev}p2' is mounted on '$T/mnt2'" "$T/img" "${part[@]}"
		told "the disk of a mounted partition" "is mounted on '$T/mnt2'" --target "$dev"
		umount "$T/mnt2"
	fi
	cleanup "losetup -n -O NAME -j '${dev}p2' | xargs -r -n 1 losetup -d"
	top=$(losetup --find --show "${dev}p2" 2>"$T/err")
	refused "a loop device over a partition, and the disk" "'$top' is a loop device stacked on '${dev}p2'" "$T/img" "${dut[@]}"
	refused "a loop device over a partition, and its sibling" "'$top' is a loop device stacked on '${dev}p2'" "$T/img" "${part[@]}"
	losetup -d "$top"
	at_once "a session on a partition, another on its disk" "$dev" "${part[@]}" --allow-write "$id"
	partx -d "$dev"
else
	skip "partitions" "the kernel makes no partitions of loop devices here"
fi
blank
at_once "two sessions on a device" "$id" "${dut[@]}"
at_once "one writes, another by another name" "$T/node" "${dut[@]}"

# ---- the disk of the machine: planned only, for a failure here would be no test's to mend ----
disk=$(findmnt -n -o SOURCE / 2>/dev/null)
if [ -b "$disk" ] && : 2>/dev/null <"$disk"; then
	mknod "$T/root" b "$(stat -L -c %Hr "$disk")" "$(stat -L -c %Lr "$disk")"
	ln -s "$disk" "$T/root-link"
	for spelling in "$disk" "$T/root" "$T/root-link"; do
		t "the root device as ${spelling/#$T/.}" 4 "$P" plan write.yaml --target "$spelling" --allow-write "$spelling"
		cat "$T/out" >>"$T/err"
		has "$T/err" "is mounted on '/'"
		has "$T/err" "is refused"
	done
else
	skip "the root device" "${disk:-/} is no device that can be opened here; recorded machines show it (test_inuse)"
fi

# ---- what changes between plan and open: held up by a lock that somebody has on the first target ----
loop "$T/other" 64M || finish
other=$LOOP
# meanwhile NAME SENTENCE COMMAND ARG...: COMMAND is run when the plan is made and the lock awaited.
meanwhile() {
	local name=$1 text=$2 what=$3 pid n=0
	shift 3
	rm -rf wait wait.held wait.go
	(flock -x 9 && : >wait.held && while ! [ -e wait.go ]; do sleep 0.05; done) 9<shared &
	while ! [ -e wait.held ]; do sleep 0.05; done
	"$P" run write.yaml --target a=shared "$@" --wait-lock 60s --out wait >"$T/out" 2>"$T/err" &
	pid=$!
	# It waits: its own descriptor of the folder is open.
	until find "/proc/$pid/fd" -lname "$PWD/shared" 2>/dev/null | grep -q . || [ $((n += 1)) -gt 200 ]; do sleep 0.05; done
	eval "$what"
	: >wait.go
	wait $pid
	ok "$name: status 4" test $? -eq 4
	has "$T/err" "$text"
}
dd if=/dev/urandom of="$T/other" bs=1M count=1 conv=notrunc status=none
losetup -d "$other" && losetup "$other" "$T/other"
sums() { sync "$T/img" "$T/other" && cat "$T/img" "$T/other" | cksum; }
mkdir -p /dev/disk/by-id
cleanup "rmdir /dev/disk/by-id /dev/disk"
link=/dev/disk/by-id/scsi-blkgate-$$
cleanup "rm -f '$link'"
was=$(sums)
ln -sfn "$dev" "$link"
meanwhile "a by-id link that was turned" "led to '$dev' when it was checked, and leads to something else now" \
	"ln -sfn $other $link" --target b="$link" --allow-write "$link"
ln -sfn "$dev" "$link"
meanwhile "a permission whose link was turned" "named target '$dev' when it was checked, and now: '$link' is $other" \
	"ln -sfn $other $link" --target b="$dev" --allow-write "$link"
ln -sfn "$dev" "$T/my-disk"
meanwhile "a link of the user's that was turned" "leads to something else now" \
	"ln -sfn $other $T/my-disk" --target b="$T/my-disk" --allow-write "$id"
meanwhile "a loop device that was stacked on it" "is a loop device stacked on '$dev'" \
	"top=\$(losetup --find --show $dev)" --target b="$dev" --allow-write "$id"
losetup -d "$top"
ok "neither device was written" test "$was" = "$(sums)"
meanwhile "a disk that was replaced" "the disk behind target '$dev' was replaced since it was checked" \
	"losetup -d $dev; losetup $dev $T/other" --target b="$dev" --allow-write "$id"
losetup -d "$dev"
ok "neither disk was written" test "$was" = "$(sums)"
cp "$T/other" precious.img && cp "$T/other" mine.img
meanwhile "a loop device on a file that was free" "is a loop device on" \
	"top=\$(losetup --find --show mine.img)" --target b=mine.img --allow-write "$PWD/mine.img"
losetup -d "$top"
meanwhile "a file that was replaced" "than when it was checked" \
	"mv mine.img gone.img; cp precious.img mine.img" --target b=mine.img --allow-write "$PWD/mine.img"
ok "neither file was written" cmp precious.img mine.img
ok "nor the first one" cmp precious.img gone.img
finish
