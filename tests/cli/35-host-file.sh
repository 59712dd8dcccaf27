#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The host file: roles, identities, permission to write and labels, and who may have written it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
M=$ROOT/tests/fixtures/machines
for m in nvme-x4 two-namespaces nvme-gen1 md; do "$ROOT/ci/record-machine" --unpack "$M/$m.machine" "$m" || exit 1; done

cat >gate.yaml <<'EOF'
blkgate: 1
name: gate
defaults: {runtime: 1s, size: 1MiB, runs: 1}
workloads:
  - {name: seq, rw: read, bs: 128KiB, expect: [read.bw >= 80% of link]}
  - {name: fill, rw: write, waive: {precondition: none is needed}}
EOF
# shellcheck disable=SC2317 # `t` calls it
plan() { "$P" plan gate.yaml --targets "$@"; }

# What a plan needs to know of a machine can come from a recorded one.
t "a plan for a recorded drive" 0 "$P" plan gate.yaml --root nvme-x4 --target eui.0025384631403a01 --allow-write pci:0000:01:00.0
has "$T/out" "80% of link = 6.30 GB/s"
t "its link trained down" 4 "$P" plan gate.yaml --root nvme-gen1 --target /dev/nvme0n1
has "$T/out" "80% of link = 800 MB/s"
has "$T/out" "--allow-write wwid:eui.0025384631403a01"
t "a mirror has no link to speak of" 4 "$P" plan gate.yaml --root md --target /dev/md0
has "$T/out" "undecidable: the bandwidth of link is not known on 'dut'"
t "never real I/O" 2 "$P" run gate.yaml --root nvme-x4 --target /dev/nvme0n1
has "$T/err" "unknown option '--root'"

cat >host.yaml <<'EOF'
blkgate_targets: 1
targets:
  old: {id: "serial:PHLN0123/nsid:1"}
  new:
    id: serial:PHLN0123/nsid:2
    allow_write: yes
    labels: {slot: "3", adapter: none}
EOF
chmod 644 host.yaml
t "a role and its permission" 0 plan host.yaml --root two-namespaces --target new --label new.adapter=ASM2824
has "$T/out" "target new = serial:PHLN0123/nsid:2"
has "$T/out" "after 'host.yaml', which permits writing to it"
t "permission for one is none for the other" 4 plan host.yaml --root two-namespaces --target old --target new
has "$T/out" "'serial:PHLN0123/nsid:1' is refused, it is in use"
t "under another role" 0 plan host.yaml --root two-namespaces --target dut=new
has "$T/out" "target dut = serial:PHLN0123/nsid:2"
t "two entries, none named" 2 plan host.yaml --root two-namespaces
has "$T/err" "'host.yaml' knows several: --target old, --target new"
t "no such role" 4 plan host.yaml --root two-namespaces --target newer
t "a relative name may be a file" 2 bash -c 'touch new && "$0" plan gate.yaml --targets host.yaml --target new' "$P"
has "$T/err" "'new' is a role of 'host.yaml' and a file here"
rm new
sed 's/^  old:.*//' host.yaml >one.yaml
t "one entry needs no name" 0 plan one.yaml --root two-namespaces
has "$T/out" "target new = serial:PHLN0123/nsid:2"
sed 's/nsid:2/nsid:7/' one.yaml >gone.yaml
t "its device is gone" 4 plan gone.yaml --root two-namespaces
has "$T/out" "no block device here answers to 'serial:PHLN0123/nsid:7'"
sed 's,/nsid:2,,' one.yaml >both.yaml
t "its identity is ambiguous" 4 plan both.yaml --root two-namespaces
has "$T/out" "/dev/nvme0n2 (nsid 2) as wwid:eui.01000000000000005cd2e40000005102"

# Strict reading, with the place.
bad() { # SENTENCE LINE...
	local say=$1
	shift
	printf '%s\n' "$@" >bad.yaml
	t "refused: $say" 2 plan bad.yaml --root two-namespaces --target new
	has "$T/err" "$say"
}
bad "bad.yaml:2:1" 'blkgate_targets: 1' 'target: {}'
bad "did you mean 'targets'" 'blkgate_targets: 1' 'target: {}'
bad "a host file says 'blkgate_targets: 1'" 'targets: {new: {id: /dev/x}}'
bad "a host file says 'blkgate_targets: 1'" 'blkgate_targets: 2' 'targets: {}'
bad "there is no 'targets'" 'blkgate_targets: 1'
bad "the role has no 'id'" 'blkgate_targets: 1' 'targets: {new: {allow_write: yes}}'
bad "did you mean 'allow_write'" 'blkgate_targets: 1' 'targets: {new: {id: /dev/x, allow-write: yes}}'
bad "bad.yaml:2:" 'blkgate_targets: 1' 'targets: {new: {id: /dev/x, allow_write: maybe}}'
bad "is not 'all'" 'blkgate_targets: 1' 'targets: {all: {id: /dev/x}}'
bad "id is empty, or no single value" 'blkgate_targets: 1' 'targets: {new: {id: [a, b]}}'
bad "labels is a mapping" 'blkgate_targets: 1' 'targets: {new: {id: /dev/x, labels: 3}}'
bad "bad.yaml:2" 'blkgate_targets: 1' 'targets: {new: {id: a}, new: {id: b}}'
bad "what stands behind a role is a mapping" 'blkgate_targets: 1' 'targets: {new: /dev/x}'

# Who may have written it.
t "a file that is not there" 2 plan none.yaml --root two-namespaces --target new
has "$T/err" "cannot open host file 'none.yaml'"
ln -s host.yaml link.yaml
t "a link" 2 plan link.yaml --root two-namespaces --target new
has "$T/err" "'link.yaml' is a symbolic link"
mkfifo fifo.yaml
t "a fifo is not waited for" 2 plan fifo.yaml --root two-namespaces --target new
has "$T/err" "is no regular file"
for mode in 664 646 622; do
	cp host.yaml open.yaml
	chmod "$mode" open.yaml
	t "mode $mode" 2 plan open.yaml --root two-namespaces --target new
	has "$T/err" "chmod go-w open.yaml"
done
t "even when no role is asked of it" 2 plan open.yaml --root two-namespaces --target /dev/nvme0n2
if root; then
	cp host.yaml theirs.yaml
	chown 65534 theirs.yaml
	t "root does not take the word of another" 2 plan theirs.yaml --root two-namespaces --target new
	has "$T/err" "counts only when root owns it"
	chmod -R a+rX "$T" .
	cp "$P" blkgate-copy
	# shellcheck disable=SC2317
	as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	t "a user takes his own" 0 as ./blkgate-copy plan gate.yaml --targets theirs.yaml --root two-namespaces --target new
	t "and that of root" 0 as ./blkgate-copy plan gate.yaml --targets host.yaml --root two-namespaces --target new
	chown 65533 theirs.yaml
	t "and of nobody else" 2 as ./blkgate-copy plan gate.yaml --targets theirs.yaml --root two-namespaces --target new
	has "$T/err" "root or the user who runs blkgate owns it"
	# The file of the machine itself, in a place of our own.
	# shellcheck disable=SC2317
	etc() { # FILE COMMAND...
		unshare -m bash -c 'mount -t tmpfs none /etc && mkdir /etc/blkgate && cp -p "$0" /etc/blkgate/targets.yaml && exec "$@"' "$@"
	}
	if unshare -m mount -t tmpfs none /etc 2>/dev/null; then
		mkdir folder
		printf 'blkgate_targets: 1\ntargets: {here: {id: %s/folder}}\n' "$PWD" >etc.yaml
		t "the file of the machine" 0 etc etc.yaml "$P" plan gate.yaml --only fill
		has "$T/out" "after '/etc/blkgate/targets.yaml'"
		t "another role than those of it" 4 etc etc.yaml "$P" plan gate.yaml --only fill --target there
		t "a target that is no role does without it" 0 etc etc.yaml "$P" plan gate.yaml --only fill --target "$PWD/folder"
		hasnt "$T/out" "targets.yaml"
		t "a recorded machine has none" 2 etc etc.yaml "$P" plan gate.yaml --root nvme-x4
		chmod 666 etc.yaml
		t "one that others may write" 2 etc etc.yaml "$P" plan gate.yaml --only fill --target here
		has "$T/err" "chmod go-w /etc/blkgate/targets.yaml"
		t "a file here does without it" 0 etc etc.yaml "$P" plan gate.yaml --only fill --target folder
		chmod 644 etc.yaml
		t "a user without its permission to read" 2 etc etc.yaml bash -c 'chmod 600 /etc/blkgate/targets.yaml && exec setpriv --reuid=65534 --regid=65534 --clear-groups ./blkgate-copy plan gate.yaml --only fill --target here'
		has "$T/err" "cannot open host file '/etc/blkgate/targets.yaml': Permission denied"
		chown 65534 etc.yaml
		t "its owner must be root, whoever runs" 2 etc etc.yaml bash -c 'chown 65534 /etc/blkgate/targets.yaml && exec setpriv --reuid=65534 --regid=65534 --clear-groups ./blkgate-copy plan gate.yaml --only fill --target here'
		has "$T/err" "counts only when root owns it"
	else
		skip "/etc/blkgate/targets.yaml" "no mount namespace here"
	fi
else
	skip "owners of a host file" "needs root"
fi

# With real I/O: the file permits what --allow-write would, by identity and for no other device.
if need "writing by the host file" losetup && loop "$T/disk" 16M; then
	seq=$("$P" probe --json - "$LOOP" | jq -r '.targets[0].facts["device.diskseq"]')
	cat >writes.yaml <<-'EOF'
		blkgate: 1
		name: writes
		labels: {slot: required}
		workloads:
		  - {name: fill, rw: write, bs: 64KiB, size: 1MiB, runs: 1, waive: {precondition: none is needed}}
	EOF
	printf 'blkgate_targets: 1\ntargets: {disk: {id: "diskseq:%s", allow_write: yes, labels: {slot: "3"}}}\n' "$seq" >disk.yaml
	t "the disk is written" 0 "$P" run writes.yaml --targets disk.yaml
	ok "the label is in the result" jq -e '.targets[0] | .role == "disk" and .facts["label.slot"] == "3"' blkgate-out/result.json
	ok "so is where the permission came from" jq -e '.notices | any(test("disk.yaml., which permits writing"))' blkgate-out/result.json
	before=$(sha256sum <"$T/disk")
	sed 's/allow_write: yes/allow_write: no/' disk.yaml >read.yaml
	t "without permission it is not" 4 "$P" run writes.yaml --targets read.yaml
	printf 'blkgate_targets: 1\ntargets: {disk: {id: "%s", allow_write: yes, labels: {slot: "3"}}}\n' "$LOOP" >name.yaml
	t "a kernel name permits nothing, in the file neither" 4 "$P" run writes.yaml --targets name.yaml
	ok "and nothing was written" test "$before" = "$(sha256sum <"$T/disk")"
fi
finish
