#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Percentiles, mean, extremes and counts of the result against what sort and awk make of the latency log.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

engines=$("$P" version --engines)
cat >truth.yaml <<'Y'
blkgate: 1
name: truth
defaults: {size: 4MiB, bs: 4KiB, runs: 1, sessions: 1, rw: randrw, iodepth: 8, time_based: false, loops: 20, waive: {no-checks: the log is judged}}
Y
{
	echo workloads:
	for e in psync pvsync2 mmap posixaio libaio io_uring; do
		grep -qE "^  $e +usable" <<<"$engines" || {
			skip "$e" "not usable here"
			continue
		}
		direct=auto
		[ "$e" != mmap ] || direct=false
		echo "  - {name: $e, ioengine: $e, direct: $direct, fdatasync: 40, waive: {depth-on-sync-engine: all alike, libaio-buffered: all alike}}"
	done
	echo '  - {name: "null", ioengine: "null"}'
	echo '  - {name: sim, ioengine: sim, numjobs: 4, fdatasync: 9, sim: "lat=131072ns, jitter=1%, every=10:lat=1048576ns"}'
} >>truth.yaml
sed -i 's/, waive: {no-checks: the log is judged}}$/}\nwaive: {no-checks: the log is judged}/' truth.yaml
t "a run with a log" 0 "$P" run truth.yaml --target "$T/scratch" --latency-log logs --out out

# NAME COLUMN DIRECTION METRIC: the metric of the result against the column of the log.
# The percentile of n values is the one with rank ceil(q n).
agree() {
	local file=logs/truth.dut.$1.s1.r1.csv
	awk -F, -v c="$2" -v d="$3" 'NR > 1 && $3 == d && $c != "" {print $c}' "$file" | sort -n >column
	jq -r --arg w "$1" --arg m "$4." '.jobs as $j | .runs[] | select($j[.job].name == $w) | .values | to_entries[]
		| select(.key | startswith($m)) | "\(.key[($m | length):]) - \(.value.value)"' out/result.json |
		awk -v file=column '
			BEGIN { while ((getline x < file) > 0) { v[++n] = x; sum += x } }
			function off(want, bound) { return $3 < want * (1 - bound) || $3 > want * (1 + bound) }
			$3 == "null" { next }
			$1 == "min" { checked++; bad += off(v[1], 0) }
			$1 == "max" { checked++; bad += off(v[n], 0) }
			$1 == "mean" { checked++; bad += off(sum / n, 1e-12) }
			/^p/ {
				checked++
				# in hundredths of a per cent, so that no fraction decides a rank
				q = int(substr($1, 2) * 100 + 0.5)
				k = int((q * n + 9999) / 10000)
				bad += off(v[k], 0.004)
			}
			END { exit bad || checked < 4 || n < 50 }'
}
for name in $(jq -r '.jobs[].name' out/result.json); do
	for d in read write; do
		ok "$name: $d.clat is that of the log" agree "$name" 5 "$d" "$d.clat"
		ok "$name: $d.lat is that of the log" agree "$name" 6 "$d" "$d.lat"
		case $name in
		libaio | io_uring) ok "$name: $d.slat is that of the log" agree "$name" 4 "$d" "$d.slat" ;;
		esac
	done
	[ "$name" = null ] || ok "$name: sync.lat is that of the log" agree "$name" 6 sync sync.lat
	ok "$name: as many lines as I/Os" test "$(grep -cE ',(read|write),' "logs/truth.dut.$name.s1.r1.csv")" -eq \
		"$(jq --arg w "$name" '.jobs as $j | .runs[] | select($j[.job].name == $w) | .read.issued + .write.issued' out/result.json)"
done
ok "the log says its units" grep -qx 'thread,end_ns,direction,slat_ns,clat_ns,lat_ns' logs/truth.dut.sim.s1.r1.csv
ok "the result says that there was one" jq -e '[.runs[].notes | test("latency log of [0-9]+ I/Os")] | all' out/result.json
t "a log that cannot be written" 4 "$P" run truth.yaml --target "$T/scratch" --only sim --latency-log /proc/nowhere --out out2
t "a log that may not stand there" 4 "$P" run truth.yaml --target "$T/scratch" --only sim --latency-log /proc/self --out out3
ok "the result does not say that there is one" jq -e '[.runs[] | select(.status == "ok") | .notes | test("it could not be written")] | all' out3/result.json
ok "nothing but the logs is in their folder" test "$(find logs -type f ! -name 'truth.dut.*.s1.r1.csv' | wc -l)" -eq 0

# The two agree because both are right, and not because the comparison could not fail.
cp logs/truth.dut.sim.s1.r1.csv good.csv
awk -F, -v OFS=, 'NR > 1 {$5 = int($5 * 1.01); $6 = int($6 * 1.01)} 1' good.csv >logs/truth.dut.sim.s1.r1.csv
if agree sim 5 read read.clat; then fail "one per cent is not seen"; else pass "one per cent would be seen"; fi
finish
