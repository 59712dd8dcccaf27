# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by tests/cli/*.sh: exact status, exact documents. A test file sources this and calls
#   t NAME STATUS COMMAND...        runs, holds the status; output in $T/out and $T/err
#   has FILE TEXT / hasnt FILE TEXT holds that the file contains the text (fixed string)
#   ok NAME COMMAND...              holds that a command succeeds
#   skip NAME REASON
# Each check prints one "ok - ", "not ok - " or "skip - " line; the file ends with `finish`.
# shellcheck shell=bash
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
ROOT=$PWD
P=${BLKGATE:-$ROOT/build/blkgate}
case $P in /*) ;; *) P=$ROOT/$P ;; esac
T=$(mktemp -d "${TMPDIR:-/var/tmp}/blkgate-cli.XXXXXX") || exit 1
FILE=$(basename "$0" .sh)
FAILED=0
trap 'cleanup_all' EXIT
trap 'exit 130' INT TERM HUP
declare -a CLEANUP=()
cleanup() { # command run at the end, last first
	CLEANUP=("$*" "${CLEANUP[@]}")
}
cleanup_all() {
	local c
	# What a test left running in the background ends by itself when asked.
	jobs -p | xargs -r kill 2>/dev/null
	wait
	for c in "${CLEANUP[@]}"; do
		eval "$c" >/dev/null 2>&1
	done
	rm -rf "$T"
}
mkdir -p "$T/scratch" "$T/here"
cd "$T/here" || exit 1

pass() { echo "ok - $FILE: $*"; }
fail() {
	echo "not ok - $FILE: $*"
	sed 's/^/    | /' "$T/err" 2>/dev/null | tail -n 15
	FAILED=1
}
skip() { echo "skip - $FILE: $1: $2"; }
t() {
	local name=$1 want=$2 got
	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	if [ "$got" -eq "$want" ]; then
		pass "$name (status $got)"
	else
		fail "$name: status $got, expected $want: $*"
	fi
	return 0
}
# As one line: where a sentence is broken depends on the length of names and paths.
holds() { grep -qF -- "$2" "$1" || tr -s ' \n' ' ' <"$1" | grep -qF -- "$2"; }
has() {
	if holds "$1" "$2"; then pass "$(basename "$1") says '$2'"; else fail "$(basename "$1") lacks '$2'"; fi
}
hasnt() {
	if holds "$1" "$2"; then fail "$(basename "$1") must not say '$2'"; else pass "$(basename "$1") does not say '$2'"; fi
}
ok() {
	local name=$1
	shift
	if "$@" >"$T/ok.out" 2>&1; then pass "$name"; else
		fail "$name: $*"
		sed 's/^/    > /' "$T/ok.out" | tail -n 8
	fi
}
# A suite on the sim engine: virtual clock, milliseconds of real time.
# sim_suite FILE SCRIPT [extra workload lines...]
sim_suite() {
	local file=$1 script=$2
	shift 2
	{
		printf 'blkgate: 1\nname: simulated\n'
		printf 'defaults: {ioengine: sim, size: 64MiB, runtime: 2s, sim: "%s"}\n' "$script"
		printf 'workloads:\n  - name: one\n    rw: randread\n'
		printf '    %s\n' "$@"
	} >"$file"
}
# JUnit is well formed, and valid under both schemas where they are at hand (BLKGATE_SCHEMAS).
SCHEMAS=${BLKGATE_SCHEMAS:-$ROOT/../shared/schemas}
junit() { # FILE...
	local f x
	for f in "$@"; do
		ok "$f is well formed" xmllint --noout "$f"
		for x in "$SCHEMAS/junit-10.xsd" "$SCHEMAS/JUnit.xsd"; do
			[ ! -e "$x" ] || ok "$f is valid under $(basename "$x")" xmllint --noout --schema "$x" "$f"
		done
	done
}
# A whole JSON document without a number that is none: jq alone would take a bare NaN.
bare_words() { sed -E 's/"([^"\\]|\\.)*"//g' "$1" | grep -oiE '[a-z]+' | grep -vxE 'true|false|null|e|E'; }
json() {
	ok "$1 is JSON" jq -e . "$1"
	ok "$1 holds no NaN" test -z "$(bare_words "$1")"
}
root() { [ "$(id -u)" -eq 0 ]; }
# What needs root and a tool asks first: need NAME TOOL... || ...
need() {
	local name=$1 tool
	shift
	root || {
		skip "$name" "needs root"
		return 1
	}
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || {
			skip "$name" "$tool is not installed"
			return 1
		}
	done
}
# mount_at FOLDER ARGUMENT...: mounts there until the end of the file; fails when it cannot.
mount_at() {
	local dir=$1
	shift
	# First, for a signal may come between the two; to unmount what is not mounted does no harm.
	cleanup "mountpoint -q '$dir' && { umount '$dir' || umount -l '$dir'; }"
	mkdir -p "$dir" && mount "$@" "$dir" 2>"$T/err"
}
# loop FILE SIZE [losetup option...]: a file behind a loop device; its name in $LOOP.
loop() {
	local file=$1 size=$2
	shift 2
	cleanup "losetup -n -O NAME -j '$file' | xargs -r -n 1 losetup -d"
	# shellcheck disable=SC2034 # for the caller
	truncate -s "$size" "$file" && LOOP=$(losetup --find --show "$@" "$file" 2>"$T/err")
}
finish() { exit "$FAILED"; }
