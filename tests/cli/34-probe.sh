#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `blkgate probe`: recorded machines against expected texts and documents, this machine, and the recorder.
# With --expect: writes the expected files anew (tests/fixtures/machines/README.md).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
M=$ROOT/tests/fixtures/machines
# shellcheck disable=SC2317 # `ok` calls them
# The schema is tried with a validator where there is one; its test must be able to fail.
valid() { # DOCUMENT
	/usr/bin/python3 - "$ROOT/suites/probe.schema.json" "$1" <<'PY'
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))
PY
}
# shellcheck disable=SC2317
refuses() { ! "$@"; }
validator=yes
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || {
	validator=
	skip "the schema of the document" "python3-jsonschema is not installed"
}

look() { # NAME ID...: NAME.txt, NAME.json, status in NAME.status
	local name=$1
	shift
	"$P" probe --root "$name" "$@" >"$name.txt" 2>"$name.err" </dev/null
	echo "status $?" >"$name.status"
	cat "$name.err" "$name.status" >>"$name.txt"
	"$P" probe --root "$name" --json - "$@" 2>/dev/null </dev/null |
		sed 's/"tool_version": "[^"]*"/"tool_version": "VERSION"/' >"$name.json"
}

n=0
for f in "$M"/*.machine; do
	name=$(basename "$f" .machine)
	read -r -a ids < <(sed -n 's/^# probe: //p' "$f")
	ok "$name is unpacked" "$ROOT/ci/record-machine" --unpack "$f" "$name"
	ok "$name: no link of it leads nowhere" test -z "$(find "$name" -xtype l)"
	look "$name" "${ids[@]}"
	if [ "${1:-}" = --expect ]; then
		cp "$name.txt" "$name.json" "$M/"
		continue
	fi
	ok "$name: the text is as expected" diff -u "$M/$name.txt" "$name.txt"
	ok "$name: the document is as expected" diff -u "$M/$name.json" "$name.json"
	json "$name.json"
	[ -z "$validator" ] || ok "$name: the document is valid" valid "$name.json"
	n=$((n + 1))
done
[ "${1:-}" != --expect ] || finish
ok "twelve machines were looked at" test "$n" -eq 12
if [ -n "$validator" ]; then
	jq 'del(.targets[0].facts)' nvme-x4.json >broken.json
	ok "a target without facts is not valid" refuses valid broken.json
	jq '.targets[0].in_use_by = {"known": "no"}' nvme-x4.json >broken.json
	ok "a list that is neither one nor unknown is not valid" refuses valid broken.json
fi

# The document owns its stream; to a file, the text stands beside it.
t "a document on stdout" 4 "$P" probe --root nvme-x4 --json - /dev/nvme0n1 /dev/none
ok "it stands there alone" jq -e '.targets | length == 2 and .[1].error != null' "$T/out"
has "$T/err" "target '/dev/none' does not exist"
t "a document in a file" 0 "$P" probe --root nvme-x4 --json probe.json /dev/nvme0n1
has "$T/out" "pcie.usable_bandwidth 7201758241 (7.20 GB/s)"
ok "the file holds it" jq -e '.targets[0].facts["pcie.max_payload"] == "256"' probe.json
t "a full disk is status 4" 4 "$P" probe --root nvme-x4 --json /dev/full /dev/nvme0n1

t "a root without a machine" 2 "$P" probe --root "$T/scratch" /dev/sda
has "$T/err" "holds no recorded machine"
t "of this machine" 0 "$P" probe --json here.json "$T/scratch"
json here.json
ok "it is this one" jq -e --arg k "$(uname -r)" '.root == "/" and .machine["kernel.release"] == $k' here.json
[ -z "$validator" ] || ok "the document is valid" valid here.json

# A recording says what the machine says, and the stand-ins of --no-serials hold together.
t "this machine is recorded" 0 "$ROOT/ci/record-machine"
cp "$T/out" here.machine
ok "and unpacked" "$ROOT/ci/record-machine" --unpack here.machine copy
t "the copy is probed" 0 "$P" probe --root copy --json copy.json /
jq -S ".machine | del(.kernel_log)" here.json >here.facts
jq -S ".machine | del(.kernel_log)" copy.json >copy.facts
ok "both say the same of the machine" diff -u here.facts copy.facts
if loop "$T/disk" 16M && [ -n "${LOOP:-}" ] && "$P" probe --json live.json "$LOOP" >/dev/null 2>&1; then
	"$ROOT/ci/record-machine" >loop.machine
	ok "a machine with a loop device" "$ROOT/ci/record-machine" --unpack loop.machine looped
	t "its copy is probed" 0 "$P" probe --root looped --json looped.json "$LOOP"
	for f in live looped; do jq -S '.targets[0].facts | del(.["target.dio"])' $f.json >$f.facts; done
	ok "the copy has the same facts" diff -u live.facts looped.facts
else
	skip "a recorded loop device" "needs root and losetup"
fi
t "without serial numbers" 0 "$ROOT/ci/record-machine" --no-serials
hasnt "$T/out" "$(</proc/sys/kernel/random/boot_id)"
has "$T/out" "/proc/sys/kernel/hostname: host"

# A record may come from anywhere: it makes nothing outside its folder.
for line in '/../out: x' '/a/../../out: x' '/a/..: x'; do
	printf '%s\n' "$line" >evil.machine
	t "a record that leaves its folder: $line" 1 "$ROOT/ci/record-machine" --unpack evil.machine evil
done
printf '/a -> ../..\n/a/out: x\n' >evil.machine
t "a link out of it" 1 "$ROOT/ci/record-machine" --unpack evil.machine evil1
has "$T/err" "leads out of the record"
printf '/a -> /etc/passwd\n/a: x\n' >evil.machine
t "a file through a link" 1 "$ROOT/ci/record-machine" --unpack evil.machine evil2
printf 'what is this\n' >evil.machine
t "a line that means nothing" 1 "$ROOT/ci/record-machine" --unpack evil.machine evil
ok "nothing came out" test ! -e out -a ! -e "$T/out.txt"
finish
