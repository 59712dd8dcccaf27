#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the latency that blkgate and fio report of one device whose latency is made (dm-delay, 20 ms
# on a drive below that answers from memory), in pairs ABBA. Figures to look at; nothing is judged.
SECONDS_EACH=${1:-6} PAIRS=${2:-3}
blocks=$(cat /sys/block/nvme0n1/size)
dmsetup create slow --table "0 $blocks delay /dev/nvme0n1 0 20" || exit 1
[ -e /dev/mapper/slow ] || dmsetup mknodes

by_blkgate() { # DEPTH
	cat >/tmp/s.yaml <<-YAML
		blkgate: 1
		name: delay
		waive: {no-checks: figures only, short-runtime: figures only}
		defaults: {runs: 1, sessions: 1}
		workloads:
		  - {name: r, rw: randread, bs: 4KiB, ioengine: libaio, iodepth: $1, runtime: ${SECONDS_EACH}s}
	YAML
	build/blkgate run /tmp/s.yaml --target /dev/mapper/slow >/tmp/log 2>&1 || cat /tmp/log >&2
	# A percentile of too few samples has no value here: p99 takes 10 000 I/Os.
	jq -r 'def s: if . then . / 1e9 else "-" end;
		.runs[0].values | [(.["read.clat.p50"].value | s), (.["read.clat.p99"].value | s), .["read.iops"].value] | @tsv' \
		blkgate-out/result.json
}
by_fio() {
	fio --name=r --filename=/dev/mapper/slow --rw=randread --bs=4k --ioengine=libaio --direct=1 --iodepth="$1" --thread \
		--runtime="$SECONDS_EACH" --time_based --output-format=json --percentile_list=50:99 >/tmp/fio.json 2>/tmp/log || cat /tmp/log >&2
	jq -r '.jobs[0].read | [.clat_ns.percentile["50.000000"] / 1e9, .clat_ns.percentile["99.000000"] / 1e9, .iops] | @tsv' /tmp/fio.json
}
for depth in 1 32; do
	i=0
	while [ $i -lt "$PAIRS" ]; do
		first=blkgate second=fio
		[ $((i % 2)) -eq 1 ] && first=fio second=blkgate
		for who in $first $second; do
			printf '%s\t%s\t%s\n' "$depth" "$who" "$("by_$who" "$depth")"
		done
		i=$((i + 1))
	done
done
