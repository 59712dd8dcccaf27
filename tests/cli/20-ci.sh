#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts in ci/ with stubs for their tools: their status, and what a signal leaves behind, whatever the machine
# is able to do. `id` is a stub too, so that ci/bench stays off the devices.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v jq >/dev/null; then
	skip "ci/bench" "jq is not installed"
	finish
fi
mkdir stubs tmp
printf '#!/bin/sh\necho 1000\n' >stubs/id
# Writes what `figures` holds, as slowly as `seconds` says, and ends with `status`; fills at once.
cat >stubs/fio <<'S'
#!/bin/bash
case "$*" in
--version) echo fio-stub && exit ;;
*--name=fill*) exit ;;
esac
sleep "$(cat seconds)"
cat figures
exit "$(cat status)"
S
cat >stubs/blkgate <<'S'
#!/bin/bash
while [ "$1" != --out ]; do shift; done
mkdir -p "$2" && printf '{"runs": [{"read": {"ios": %d}, "window": 1000000000, "cpu_usr": 100000}]}' "$(cat ios)" >"$2/result.json"
S
chmod +x stubs/*
good='{"jobs": [{"error": 0, "usr_cpu": 10, "job_runtime": 1000, "read": {"iops": 1000, "total_ios": 1000}}]}'
figures() { printf '%s' "$1" >"$T/here/figures" && echo "$2" >"$T/here/status"; }
# In place of the shell that runs it: a signal to that reaches the script itself.
bench() { PATH=$T/here/stubs:$PATH TMPDIR=$T/here/tmp BLKGATE=$T/here/stubs/blkgate PAIRS=${pairs:-1} SECONDS_A_RUN=1 exec "$ROOT/ci/bench" "$@"; }
# shellcheck disable=SC2317 # called through t
in_shell() { (pairs=$1 && bench "$2"); }
# ci/bench works from the root of the tree; the stubs find their words here.
sed -i "2i cd '$T/here' || exit 1" stubs/fio
sed -i "s,cat ios,cat '$T/here/ios'," stubs/blkgate
echo 0 >seconds
echo 5000 >ios

figures "$good" 0
t "bench: bounds held" 0 in_shell 1 psync
echo 1000 >ios
t "bench: a bound missed" 1 in_shell 1 psync
has "$T/out" "MISSED"
t "bench: no such case" 2 in_shell 1 nosuch
has "$T/err" "no case matches 'nosuch'"
t "bench: no pairs" 2 in_shell 0 psync
has "$T/err" "PAIRS=0"

# What no tool measured to its end is no pair.
echo 5000 >ios
figures '' 137
t "bench: fio was killed" 2 in_shell 1 psync
has "$T/err" "no figures of pair 1"
figures "$good" 1
t "bench: fio failed behind its figures" 2 in_shell 1 psync
figures '{"jobs": [{"error": 5, "usr_cpu": 10, "job_runtime": 9, "read": {"iops": 10, "total_ios": 9}}]}' 0
t "bench: fio had an I/O error" 2 in_shell 1 psync
figures '{"jobs": [{"error": 0, "usr_cpu": 0, "job_runtime": 9, "read": {"iops": 0, "total_ios": 0}}]}' 0
t "bench: fio did nothing" 2 in_shell 1 psync

# A signal ends it, and nothing stays.
figures "$good" 0
echo 1 >seconds
: >begun # before it the shell of the script may not have begun, and this one would answer the signal
bench psync >begun 2>"$T/err" </dev/null &
pid=$!
for _ in {1..200}; do
	grep -q '^case' begun && break
	sleep 0.05
done
kill -TERM $pid
wait $pid
ok "bench: ended by SIGTERM" test $? -eq 130
ok "bench: its folder is gone" test -z "$(ls -A tmp)"

# ci/lab: the virtual machine goes with the script that started it.
if [ "$(uname -m)" != x86_64 ]; then
	skip "ci/lab" "emulates x86_64 only"
	finish
fi
mkdir -p keep/boot keep/lib/modules/0 && : >keep/boot/vmlinuz-0
for tool in busybox modprobe depmod; do printf '#!/bin/sh\n' >stubs/$tool; done
printf '#!/bin/sh\ncat >/dev/null\n' >stubs/cpio
printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 60\n' "$T/here" >stubs/qemu-system-x86_64
chmod +x stubs/*
for sig in INT TERM HUP; do
	rm -f pid
	# Nobody in the background hears INT, unless somebody sees to it.
	PATH=$T/here/stubs:$PATH TMPDIR=$T/here/tmp env --default-signal=INT "$ROOT/ci/lab" -k "$T/here/keep" true >"$T/out" 2>"$T/err" &
	lab=$!
	for _ in {1..200}; do
		[ -s pid ] && break
		sleep 0.05
	done
	ok "lab: the machine runs" test -s pid
	kill -$sig $lab
	wait $lab
	ok "lab: ended by SIG$sig" test $? -eq 130
	ok "lab: so is the machine" bash -c "! kill -0 $(cat pid) 2>/dev/null"
	ok "lab: its folder is gone" test -z "$(ls -A tmp)"
done
finish
