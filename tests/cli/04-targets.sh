#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Targets: what is missing, of the wrong kind, not permitted, in use or unfit is status 4 and named.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# suite FILE [defaults words...] -- [workload words...]: one workload `one` of 100 ms.
suite() {
	local file=$1 d=
	shift
	while [ "$1" != -- ]; do
		d="$d, $1"
		shift
	done
	shift
	{
		printf 'blkgate: 1\nname: t\ndefaults: {runs: 1, runtime: 100ms%s}\n' "$d"
		printf 'workloads:\n  - name: one\n'
		printf '    %s\n' "$@"
	} >"$file"
}
# refused NAME TEXT ARG...: status 4, the sentence on stderr and in a valid report, no value measured.
refused() {
	local name=$1 text=$2
	shift 2
	rm -rf blkgate-out
	t "$name" 4 "$P" run "$@"
	has "$T/err" "$text"
	junit blkgate-out/junit.xml
	has blkgate-out/junit.xml "<error message="
	ok "nothing was measured" jq -e '[.runs[]? | select(.status == "ok")] | length == 0' blkgate-out/result.json
}
suite read.yaml 'size: 1MiB' 'direct: auto' -- 'rw: randread'
suite write.yaml 'direct: auto' -- 'rw: randwrite'

# Every buffer is touched before the first I/O: without a look at the memory the kernel would kill for it.
suite huge.yaml 'size: 1GiB' 'bs: 1GiB' 'iodepth: 65536' 'numjobs: 1024' 'ioengine: sim' -- 'rw: randread'
refused "more buffers than memory" "need 64 PiB" huge.yaml --target "$T/scratch"
refused "a missing target" "does not exist" read.yaml --target "$T/none"
mkdir -p "$T/scratch-a"
refused "its near neighbour is told" "scratch-a" read.yaml --target "$T/scratch-b"
mkfifo "$T/fifo"
refused "a fifo" "is a fifo" read.yaml --target "$T/fifo"
refused "a character device" "is a character device" read.yaml --target /dev/null
refused "the full device" "is a character device" read.yaml --target /dev/full
if command -v perl >/dev/null 2>&1; then
	perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => shift, Listen => 1) or die' "$T/socket"
	refused "a socket" "is a socket" read.yaml --target "$T/socket"
else
	skip "a socket" "no perl to make one"
fi
ln -s loop-b "$T/loop-a"
ln -s loop-a "$T/loop-b"
refused "a link to itself" "too many symbolic links" read.yaml --target "$T/loop-a"
truncate -s 1M "$T/file"
refused "a part of the path is a file" "is a file" read.yaml --target "$T/file/x"
: >"$T/empty"
refused "an empty file" "reach beyond" read.yaml --target "$T/empty"

# Files and folders.
suite beyond.yaml 'size: 2MiB' 'direct: auto' -- 'rw: randread'
refused "a size beyond the file" "reach beyond 'dut' of 1 MiB" beyond.yaml --target "$T/file"
suite offset.yaml 'size: 1MiB' 'offset: 4KiB' 'direct: auto' -- 'rw: randread'
refused "an offset beyond the file" "reach beyond" offset.yaml --target "$T/file"
suite wfile.yaml 'size: 1MiB' 'direct: auto' -- 'rw: randwrite'
refused "writing an existing file" "--allow-write $T/file" wfile.yaml --target "$T/file"
ok "the file was not touched" cmp "$T/file" <(head -c 1M /dev/zero)
t "with its path it is written" 0 "$P" run wfile.yaml --target "$T/file" --allow-write "$T/file"
ok "it has its size still" test "$(stat -c %s "$T/file")" -eq 1048576
ok "and data" bash -c "! cmp -s '$T/file' <(head -c 1M /dev/zero)"
suite huge.yaml 'size: 900TiB' 'direct: auto' -- 'rw: randread'
refused "more than the folder has room for" "free" huge.yaml --target "$T/scratch"
suite small.yaml 'size: 1KiB' 'bs: 4KiB' -- 'rw: randread'
t "bs beyond size is an error of the suite" 2 "$P" run small.yaml --target "$T/scratch"
has "$T/err" "size 1 KiB is below bs 4 KiB"
has "$T/err" "small.yaml:3:"
suite nosize.yaml 'direct: auto' -- 'rw: randread'
t "a folder has no size of its own" 2 "$P" run nosize.yaml --target "$T/scratch"

# Permissions, as a user without any. The build may lie where that user may not look.
nobody=()
if root && command -v setpriv >/dev/null 2>&1; then
	nobody=(setpriv "--reuid=65534" "--regid=65534" --clear-groups)
fi
if root && [ ${#nobody[@]} -eq 0 ]; then
	skip "permissions" "root may do everything and setpriv is not installed"
else
	chmod 755 "$T"
	install -m 755 "$P" "$T/blkgate"
	install -d -m 755 "$T/shut" "$T/own" "$T/own/scratch"
	truncate -s 1M "$T/unreadable" "$T/shut/file"
	chmod 000 "$T/unreadable"
	chmod 555 "$T/shut"
	[ ${#nobody[@]} -eq 0 ] || chown -R 65534:65534 "$T/own"
	cp read.yaml "$T/own"
	cd "$T/own" || exit 1
	user=("${nobody[@]}" "$T/blkgate")
	t "an unreadable file" 4 "${user[@]}" run read.yaml --target "$T/unreadable"
	has "$T/err" "no permission"
	has "$T/err" "mode 0000"
	t "an unwritable folder" 4 "${user[@]}" run read.yaml --target "$T/shut"
	has "$T/err" "no permission"
	chmod 000 "$T/shut"
	t "a folder that may not be searched" 4 "${user[@]}" run read.yaml --target "$T/shut/file"
	has "$T/err" "may not search"
	chmod 755 "$T/shut"
	t "without root the rest works" 0 "${user[@]}" run read.yaml --target "$T/own/scratch"
	junit blkgate-out/junit.xml
	# A ring that cannot be made is an error with its cause and remedy (queue-limits-2).
	sed 's/defaults: {/defaults: {ioengine: io_uring, iodepth: 1024, /' read.yaml >ring.yaml
	t "a locked-memory limit of zero" 4 bash -c "ulimit -l 0; exec ${nobody[*]} '$T/blkgate' run ring.yaml --target '$T/own/scratch'"
	has "$T/err" "RLIMIT_MEMLOCK"
	cd "$T/here" || exit 1
fi

# O_DIRECT on tmpfs opens and means nothing: refused by name, or buffered and told.
mem=
if root && mount_at "$T/tmpfs" -t tmpfs -o size=64m tmpfs; then
	mem=$T/tmpfs
elif [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && mem=$(mktemp -d /dev/shm/blkgate.XXXXXX); then
	cleanup "rm -rf '$mem'"
fi
if [ -n "$mem" ]; then
	suite direct.yaml 'size: 1MiB' 'direct: true' -- 'rw: randread'
	refused "direct on tmpfs" "O_DIRECT is not honoured on tmpfs" direct.yaml --target "$mem"
	has "$T/err" "direct: auto"
	t "direct auto on tmpfs" 0 "$P" run read.yaml --target "$mem"
	has "$T/err" "direct auto: false on 'dut' (tmpfs)"
	ok "stored in the result" jq -e '.notices | any(startswith("direct auto: false"))' blkgate-out/result.json
	ok "the job is buffered" jq -e '.jobs[0].text | test("direct=0 ")' blkgate-out/result.json
	has blkgate-out/junit.xml "direct auto: false"
	ok "nothing is left there" test -z "$(ls -A "$mem")"
	if [ "$mem" = "$T/tmpfs" ]; then
		truncate -s 8M "$mem/file"
		sed 's/size: 1MiB/size: 63MiB/' read.yaml >full.yaml
		refused "more than tmpfs has room for" "free" full.yaml --target "$mem"
	fi
else
	skip "direct on tmpfs" "no tmpfs can be mounted or used"
fi

# Engines.
suite engine.yaml 'size: 1MiB' 'ioengine: io_urnig' -- 'rw: randread'
t "an unknown engine" 2 "$P" run engine.yaml --target "$T/scratch"
has "$T/err" "did you mean 'io_uring'"
has "$T/err" "engine.yaml:3:"
suite ring.yaml 'size: 1MiB' 'direct: auto' 'ioengine: io_uring' 'iodepth: 4' -- 'rw: randread'
suite auto.yaml 'size: 1MiB' 'direct: auto' 'ioengine: auto' 'iodepth: 4' -- 'rw: randread'
# The kernel refuses the ring: asked for by name it is an error, with auto the next engine (uring-refused-1).
knob=/proc/sys/kernel/io_uring_disabled
# The knob is the whole machine's: only where nobody else measures.
if root && [ -w "$knob" ] && [ "${CI:-}" = true ]; then
	was=$(cat "$knob")
	cleanup "echo $was >$knob"
	echo 2 >"$knob"
	"$P" run ring.yaml --target "$T/scratch" --out ring >ring.out 2>ring.err
	rc=$?
	"$P" run auto.yaml --target "$T/scratch" --out auto >auto.out 2>auto.err
	rc2=$?
	echo "$was" >"$knob"
	ok "io_uring that the kernel refuses: status 4" test "$rc" -eq 4
	has ring.err "ioengine io_uring cannot be used here"
	has ring.err "io_uring_disabled"
	junit ring/junit.xml
	ok "auto takes the next engine: status 0" test "$rc2" -eq 0
	has auto.err "ioengine auto: libaio is used"
	ok "and it is stored" jq -e '.notices | any(startswith("ioengine auto: libaio"))' auto/result.json
	ok "in the identity of the job too" jq -e '.jobs[0].text | test("ioengine=libaio ")' auto/result.json
else
	skip "io_uring refused by the kernel" "changes kernel.io_uring_disabled for the whole machine: as root with CI=true only"
fi

need "block devices" losetup mkfs.ext4 || finish
loop "$T/img" 64M || {
	skip "block devices" "no loop device: $(head -n 1 "$T/err")"
	finish
}
dev=$LOOP
id=diskseq:$(cat "/sys/block/${dev#/dev/}/diskseq" 2>/dev/null)
refused "writing a device without permission" "is not permitted" write.yaml --target "$dev"
has "$T/err" "--allow-write"
refused "a device node is no identity" "is not permitted" write.yaml --target "$dev" --allow-write "$dev"
refused "permission for another device" "is not permitted" write.yaml --target "$dev" --allow-write diskseq:999999999
suite over.yaml 'size: 65MiB' -- 'rw: randread'
refused "a size beyond the device" "reach beyond 'dut' of 64 MiB" over.yaml --target "$dev"
ok "the device is blank still" cmp "$T/img" <(head -c 64M /dev/zero)
if blockdev --setro "$dev" 2>"$T/err"; then
	# It opens for writing all the same; only the write would fail.
	refused "a device set read-only" "is read-only" write.yaml --target "$dev" --allow-write "$id"
	has "$T/err" "blockdev --setrw $dev"
	t "reading a device set read-only" 0 "$P" run read.yaml --target "$dev"
	blockdev --setrw "$dev"
else
	skip "a device set read-only" "$(head -n 1 "$T/err")"
fi
if [ "$id" != diskseq: ]; then
	t "with its identity it is written" 0 "$P" run write.yaml --target "$dev" --allow-write "$id"
	ok "data arrived" bash -c "! cmp -s '$T/img' <(head -c 64M /dev/zero)"
	ok "size was the whole device" jq -e '.jobs[0].text | test("size=67108864 ")' blkgate-out/result.json
fi
mkfs.ext4 -q -F "$dev"
sum=$(cksum <"$T/img")
refused "a file system on it" "ext4" write.yaml --target "$dev" --allow-write "$id"
ok "no refused run wrote" test "$sum" = "$(cksum <"$T/img")"
mount_at "$T/mnt" "$dev" || skip "a mounted device" "$(head -n 1 "$T/err")"
if mountpoint -q "$T/mnt"; then
	refused "a mounted device" "in use" write.yaml --target "$dev" --allow-write "$id"
	has "$T/err" "$T/mnt"
	t "reading a mounted device" 0 "$P" run read.yaml --target "$dev"
	has "$T/err" "is in use"
	has "$T/err" "$T/mnt"
	ok "stored in the result" jq -e '.notices | any(contains("in use"))' blkgate-out/result.json
	umount "$T/mnt"
fi

# A swap device, a partition, and the disk around a partition in use.
if command -v mkswap >/dev/null && loop "$T/swap" 16M; then
	swap=$LOOP
	sid=diskseq:$(cat "/sys/block/${swap#/dev/}/diskseq" 2>/dev/null)
	cleanup "swapoff '$swap'"
	if mkswap "$swap" >/dev/null 2>&1 && swapon "$swap" 2>"$T/err"; then
		refused "a swap device" "swap" write.yaml --target "$swap" --allow-write "$sid"
		has "$T/err" "is swap space"
		swapoff "$swap"
	else
		skip "a swap device" "swapon: $(head -n 1 "$T/err")"
	fi
	refused "a swap signature" "swap" write.yaml --target "$swap" --allow-write "$sid"
fi
if command -v sfdisk >/dev/null && command -v partx >/dev/null && loop "$T/disk" 64M; then
	disk=$LOOP
	did=diskseq:$(cat "/sys/block/${disk#/dev/}/diskseq" 2>/dev/null)
	printf '2048,65536,L\n' | sfdisk -q "$disk" >/dev/null 2>&1
	cleanup "partx -d '$disk'"
	partx -a "$disk" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do [ -b "${disk}p1" ] || sleep 0.2; done
	if [ -b "${disk}p1" ]; then
		refused "permission for a disk is none for its partition" "is not permitted" write.yaml --target "${disk}p1" --allow-write "$did"
		mkfs.ext4 -q -F "${disk}p1"
		if mount_at "$T/part" "${disk}p1"; then
			refused "a mounted partition" "is in use" write.yaml --target "${disk}p1" --allow-write "$did"
			refused "the disk of a mounted partition" "in use" write.yaml --target "$disk" --allow-write "$did"
			has "$T/err" "$T/part"
			umount "$T/part"
		fi
	else
		skip "a partition" "the kernel makes no partitions of loop devices here"
	fi
fi

# 4 KiB sectors: both numbers and the line, before any I/O (direct-io-2).
if loop "$T/4k" 16M --sector-size 4096; then
	four=$LOOP
	suite bs512.yaml 'bs: 512' 'direct: true' -- 'rw: randread'
	refused "bs below the sector" "bs 512 bytes is no multiple of the logical block 4 KiB" bs512.yaml --target "$four"
	has "$T/err" "bs512.yaml:3"
	suite off512.yaml 'bs: 4KiB' 'offset: 512' 'size: 1MiB' -- 'rw: randread'
	refused "an offset inside a sector" "offset 512 bytes is no multiple of the logical block 4 KiB" off512.yaml --target "$four"
	suite bs4k.yaml 'bs: 4KiB' 'direct: true' -- 'rw: randread'
	t "the sector itself" 0 "$P" run bs4k.yaml --target "$four"
	suite buffered.yaml 'bs: 512' 'direct: false' 'size: 1MiB' -- 'rw: randread'
	t "buffered needs no alignment" 0 "$P" run buffered.yaml --target "$four"
else
	skip "4 KiB sectors" "$(head -n 1 "$T/err")"
fi
finish
