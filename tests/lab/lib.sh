# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by what runs inside ci/lab under busybox; each check prints one "ok - ", "not ok - " or "skip - " line.
# shellcheck shell=sh
FAILED=0

pass() { echo "ok - lab: $*"; }
fail() {
	echo "not ok - lab: $*"
	tr '\r' '\n' </tmp/err | tail -n 25 | sed 's/^/    | /'
	# shellcheck disable=SC2034 # for the script that sources this
	FAILED=1
}
skip() { echo "skip - lab: $*"; }
# Until COMMAND succeeds, ten seconds at most.
until_ok() {
	n=0
	until "$@" || [ $n -ge 100 ]; do n=$((n + 1)) && sleep 0.1; done
}
# NAME STATUS COMMAND...
t() {
	name=$1 want=$2
	shift 2
	"$@" >/tmp/out 2>/tmp/err
	got=$?
	if [ "$got" -eq "$want" ]; then pass "$name (status $got)"; else fail "$name: status $got, expected $want"; fi
}
# Sentences are broken into lines: as one line. $1: what must be said.
says() {
	if cat /tmp/out /tmp/err | tr -s ' \n' ' ' | grep -qF -- "$1"; then pass "says '$1'"; else fail "lacks '$1'"; fi
}
