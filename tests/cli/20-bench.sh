#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ci/bench with stubs for fio and blkgate: its status, whatever the machine is able to do. `id` is a stub too, so
# that it stays off the devices.
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
bench psync >"$T/out" 2>"$T/err" </dev/null &
pid=$!
for _ in {1..100}; do
	grep -q '^case' "$T/out" && break
	sleep 0.05
done
kill -TERM $pid
wait $pid
ok "bench: ended by SIGTERM" test $? -eq 130
ok "bench: its folder is gone" test -z "$(ls -A tmp)"
finish
