#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Suites: the shipped ones are clean, wrong and hostile ones are status 2 at their file, line and column.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# What a small scratch folder, or a kernel with less, cannot hold is no fault of a suite.
engines=$("$P" version --engines)
for file in "$ROOT"/suites/*.yaml; do
	s=$(basename "$file" .yaml)
	t "lint $s" 0 "$P" lint --strict "$file"
	has "$T/err" "lint clean  0 errors, 0 warnings in 1 suite ("
	ok "$s says how to run it" grep -q "^#   blkgate run suites/$s.yaml --target" "$file"
	ok "$s is in the list" grep -qF "| \`$s\` |" "$ROOT/suites/README.md"
	if grep -qE '^ +ioengine: io_uring' "$file" && ! grep -qE '^ +io_uring +usable' <<<"$engines"; then
		skip "plan $s" "io_uring is not usable here"
		continue
	fi
	set --
	# 64 MiB hold whole blocks of all but 2300 bytes.
	sed -n '/^parameters:/,/^[^p ]/p' "$file" | grep -q '^  size: ' && set -- --set size=64MiB
	[ "$s" != etcd-fsync ] || set -- --set size=9200000
	t "plan $s" 0 "$P" plan "$file" --target "$T/scratch" "$@"
	has "$T/out" "suite $s"
	has "$T/out" "default"
	has "$T/out" " 0 in error"
	ok "the plan is told once" bash -c "! grep -q '^note: ' '$T/err'"
	t "dry run of $s" 0 "$P" run "$file" --target "$T/scratch" "$@" --dry-run
	has "$T/err" "nothing was measured"
	ok "a dry run of $s leaves no folder" test ! -e blkgate-out
done
t "the shipped suites together" 0 "$P" lint --strict "$ROOT"/suites/*.yaml
ok "nothing is left in the folder" test -z "$(ls -A "$T/scratch")"
cat >none.yaml <<'Y'
blkgate: 1
name: none
workloads:
  - {name: a, rw: read, size: 1MiB}
Y
t "a suite that judges nothing" 0 "$P" lint none.yaml
has "$T/err" "no workload has a gate or an expect: nothing will be judged"
has "$T/err" "blkgate: lint: 0 errors, 1 warning in 1 suite (1 workload, 0 checks)"
hasnt "$T/err" "clean"
t "strictly" 2 "$P" lint --strict none.yaml
has "$T/err" "lint failed  0 errors, 1 warning in 1 suite"
has "$T/err" "[BG023 no-checks]"
t "the list of rules" 0 "$P" lint --rules
has "$T/out" "BG009  warn   depth-on-sync-engine"
ok "each in a line, by number" bash -c "cut -d ' ' -f 1 '$T/out' | sort -cu"
t "which looks at no suite" 2 "$P" lint --rules none.yaml
sed '/^name:/a waive: {BG023: "figures only"}' none.yaml >waived.yaml
t "a waiver by number" 0 "$P" lint --strict --verbose waived.yaml
has "$T/err" "(waived: figures only) [BG023 no-checks]"
t "a value of --set that is wrong" 2 "$P" lint "$ROOT/suites/smoke.yaml" --set runtime=3
has "$T/err" "(--set runtime=3)"
t "a file a reader in a folder" 0 "$P" plan "$ROOT/suites/m2-adapter.yaml" --target "$T/scratch"
ok "and shared where there is but one" bash -c "grep -A 20 '^randread-8files on dut' '$T/out' | grep -q 'files  *per_job'"
has "$T/out" "when: target.type != dir is not met (dir)"
t "a parameter of the command line is in the plan" 0 "$P" plan "$ROOT/suites/smoke.yaml" --target "$T/scratch" --set runtime=3s
has "$T/out" "3 s"

# A job file of fio meets a word or a sentence, whatever it uses: what the installed fio calls an option
# is in the list that a unit test holds against the table.
if command -v fio >/dev/null; then
	{
		fio --cmdhelp=all
		for e in $(fio --enghelp | tail -n +2); do fio --enghelp="$e"; done
	} 2>/dev/null | sed -nE 's/^ *([A-Za-z0-9_-]+) *: .*/\1/p' | sort -u >options
	ok "fio lists its options" test "$(wc -l <options)" -gt 200
	ok "each of them is in the list" test -z "$(grep -vxFf "$ROOT/tests/fixtures/suites/fio-options.txt" options | tee missing)"
	[ ! -s missing ] || fail "the list lacks: $(tr '\n' ' ' <missing)"
else
	skip "the options of the installed fio" "fio is not installed"
fi

# Each wrong suite says in `#! LINE:COLUMN text` lines what must be told about it.
n=0
for file in "$ROOT"/tests/fixtures/suites/bad/*.yaml; do
	[ -e "$file" ] || continue
	n=$((n + 1))
	"$P" lint "$file" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	lost=
	while read -r _ place text; do
		grep -F -A 1 -- "$file:$place: error: " "$T/err" | grep -qF -- "$text" || lost="$lost [$place $text]"
	done < <(grep '^#! ' "$file")
	if [ "$got" -eq 2 ] && [ -z "$lost" ] && grep -q "^$file:[0-9]*:[0-9]*: error: " "$T/err"; then
		pass "bad/$(basename "$file") (status 2, with its places)"
	else
		fail "bad/$(basename "$file"): status $got, lacks:$lost"
	fi
done
ok "there are wrong suites to try" test "$n" -gt 20

# Bytes that an editor would not keep.
printf 'blkgate: 1\nname: a\377\n' >utf8.yaml
printf 'blkgate: 1\nname: a\0\n' >nul.yaml
: >empty.yaml
printf '[%.0s' {1..20000} >deep.yaml
for c in utf8:2:8 nul:2:8 empty:1:1 deep:1:65; do
	t "$c" 2 "$P" lint "${c%%:*}.yaml"
	has "$T/err" "${c%%:*}.yaml:${c#*:}: error: "
done
t "a folder is no suite" 2 "$P" lint .
t "an endless file is no suite" 2 "$P" lint /dev/zero

# 9 levels of 9 aliases would be 400 million nodes (yaml-bomb-2). Address space, not the clock, is held.
{
	printf 'blkgate: 1\nname: bomb\nworkloads:\n  - {name: w, rw: read}\nx:\n  a: &a [x, x, x, x, x, x, x, x, x]\n'
	p=a
	for c in b c d e f g h i; do
		printf '  %s: &%s [*%s' "$c" "$c" "$p"
		printf ", *$p%.0s" {1..8}
		printf ']\n'
		p=$c
	done
} >bomb.yaml
if nm "$P" 2>/dev/null | grep -q __asan_init; then
	skip "alias bomb" "the address sanitizer cannot start with limited address space"
else
	t "alias bomb" 2 bash -c "ulimit -v 500000; exec timeout 5 '$P' lint bomb.yaml"
	has "$T/err" "bomb.yaml:"
	has "$T/err" "nodes"
fi

{
	printf 'blkgate: 1\nname: big\ndefaults: {ioengine: sim, size: 64MiB, runtime: 2s}\nworkloads:\n'
	printf '  - {name: w%d, rw: randread, gate: {read.iops: 5%%}}\n' {1..10000}
} >big.yaml
t "10 000 workloads" 0 "$P" lint big.yaml
has "$T/err" "10000 workloads, 10000 checks"

# A suite error reaches the report with its place, so that CI shows it where people look.
t "run of a wrong suite" 2 "$P" run utf8.yaml --target "$T/scratch"
junit blkgate-out/junit.xml
has blkgate-out/junit.xml "utf8.yaml:2:8"
t "a wrong suite beside a good one" 2 "$P" run utf8.yaml "$ROOT/suites/smoke.yaml" --target "$T/scratch" --set runtime=200ms --out two --only paced
junit two/junit.xml
ok "the good one was measured" test -s two/smoke/result.json
# Cases must differ even when file names do not, else a reader keeps only one of them.
mkdir -p a b
cp utf8.yaml a/
cp utf8.yaml b/
t "wrong suites of one file name" 2 "$P" run a/utf8.yaml b/utf8.yaml b/utf8.yaml --target "$T/scratch" --out three
junit three/junit.xml
ok "each has its case" test "$(grep -c '<testcase' three/junit.xml)" -eq 3
finish
