#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Documents: whole, valid, the same under every locale; one that cannot be written or read is status 4.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite s.yaml "lat=100us,jitter=5%,sd=0.5%" "gate: {read.iops: 10%}" "expect: [read.iops >= 1]"
run=("$P" run s.yaml --target "$T/scratch" --seed 7)
t "the first session" 5 "${run[@]}"
t "accepted" 0 "$P" baseline accept blkgate-out/result.json
file=$(echo baselines/simulated/default/*.json)

# --- documents that cannot be written
t "JUnit to a full device" 4 "${run[@]}" --junit /dev/full --out full
has "$T/err" "/dev/full"
has "$T/err" "No space left on device"
has "$T/err" "status 4"
json full/result.json
junit full/junit.xml
t "JSON to a full device" 4 "${run[@]}" --json /dev/full --out full
has "$T/err" "/dev/full"
# shellcheck disable=SC2016 # for the inner shell
t "JSON to a full stdout" 4 bash -c '"$0" "$@" --json - --out full >/dev/full' "${run[@]}"
has "$T/err" "standard output"
t "JUnit into a folder that is missing" 4 "${run[@]}" --junit none/x.xml --out full
has "$T/err" "none/x.xml"
t "JUnit over a folder" 4 "${run[@]}" --junit full --out full2
: >isfile
t "a file where the folder of results belongs" 4 "${run[@]}" --out isfile
has "$T/err" "isfile"
t "below a file" 4 "${run[@]}" --out isfile/x
# shellcheck disable=SC2016
t "beyond the file size limit" 4 bash -c 'ulimit -f 4; exec "$0" "$@" --out limited' "${run[@]}"
has "$T/err" "File too large"
if root && command -v setpriv >/dev/null 2>&1; then
	chmod 755 "$T" "$T/here"
	install -m 755 "$P" "$T/blkgate"
	t "an unwritable folder of results" 4 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/blkgate" run s.yaml --target /tmp --out "$T/here/denied"
	has "$T/err" "denied"
	has "$T/err" "Permission denied"
	t "accept into an unwritable folder" 4 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/blkgate" baseline accept "$T/here/full/result.json" --baselines "$T/here/denied"
	has "$T/err" "Permission denied"
elif ! root; then
	mkdir -p shut && chmod 555 shut
	t "an unwritable folder of results" 4 "${run[@]}" --out shut/denied
	has "$T/err" "Permission denied"
else
	skip "an unwritable folder of results" "setpriv is not installed"
fi
if root && mount_at "$T/tiny" -t tmpfs -o size=4k tmpfs; then
	t "a journal on a full disk" 4 "${run[@]}" --out "$T/tiny"
	has "$T/err" "No space left on device"
	has "$T/err" "$T/tiny"
	# Room for the head of the journal, none for its runs.
	mount -o remount,size=16k "$T/tiny"
	rm -f "$T"/tiny/*
	t "a journal that fills the disk in the middle" 4 "${run[@]}" --out "$T/tiny" --junit mid.xml
	has "$T/err" "No space left on device"
	junit mid.xml
	ok "what was not measured is an error" grep -q '<error' mid.xml
else
	skip "a journal on a full disk" "no tmpfs can be mounted"
fi

# --- existing paths of another kind are written in place
mkfifo fifo
cat fifo >fifo.out &
reader=$!
t "JUnit into a fifo" 0 "${run[@]}" --junit fifo --out in-place
wait $reader
junit fifo.out
ok "the fifo is a fifo still" test -p fifo
echo old >keep.xml
ln -s keep.xml link.xml
t "JUnit through a link" 0 "${run[@]}" --junit link.xml --out in-place
ok "the link is a link still" test -L link.xml
junit keep.xml
t "JUnit to stdout is whole and alone" 0 "${run[@]}" --junit - --out in-place
junit "$T/out"
ok "equal to the file" cmp "$T/out" in-place/junit.xml

# --- documents that cannot be read
cp "$file" saved.json
truncate -s -10 "$file"
t "a truncated baseline" 4 "${run[@]}" --out damaged
has "$T/err" "$file"
has "$T/err" "damaged"
junit damaged/junit.xml
has damaged/junit.xml "<error"
t "judge with a truncated baseline" 4 "$P" judge blkgate-out/result.json
has "$T/err" "$file"
t "baseline show of a truncated one" 4 "$P" baseline show simulated
t "accept beside a truncated one" 4 "$P" baseline accept full/result.json
: >"$file"
t "an empty baseline" 4 "${run[@]}" --out damaged
jq '.blkgate_baseline = 999' saved.json >"$file"
t "a baseline of another version" 4 "${run[@]}" --out damaged
has "$T/err" "999"
has "$T/err" "$file"
jq '.measurement_version = 999' saved.json >"$file"
t "a baseline of another measurement version" 5 "${run[@]}" --out damaged
has "$T/err" "measurement"
jq 'del(.jobs[0].values)' saved.json >"$file"
t "a baseline without values" 4 "${run[@]}" --out damaged
cp saved.json "$file"
cp saved.json baselines/simulated/default/.half-written.json
t "what another program has not finished yet is no session" 0 "${run[@]}" --out good
rm -f baselines/simulated/default/.half-written.json
for edit in 'del(.blkgate_result)' '.blkgate_result = 999' '.runs[0].job = 7' '.runs[0].read.ios = -1' '.jobs = {}' '.verdicts = 1 | .sessions = []'; do
	jq "$edit" good/result.json >bad.json
	t "a result with $edit" 4 "$P" judge bad.json
	has "$T/err" "bad.json"
done
head -c 1000 good/result.json >bad.json
t "a truncated result" 4 "$P" judge bad.json
has "$T/err" "bad.json"
t "a result that is missing" 4 "$P" judge none.json
t "no result at all" 4 "$P" judge /dev/null
jq '.future_field = {"x": 1} | .runs[0].future = 2' good/result.json >future.json
t "unknown fields are ignored" 0 "$P" judge future.json
printf '[%.0s' {1..20000} >deep.json
t "a hostile depth" 4 "$P" judge deep.json

# --- a gate that the baseline knows and the suite does not
sed 's/name: one/name: uno/' s.yaml >renamed.yaml
t "a renamed workload" 4 "$P" run renamed.yaml --target "$T/scratch" --out renamed
has "$T/err" "one"
has "$T/err" "retire"
junit renamed/junit.xml
t "retiring needs a reason" 2 "$P" baseline retire 'dut one' --suite simulated
t "retiring what nobody demands" 2 "$P" baseline retire 'dut two' --suite simulated --reason test
t "retire" 0 "$P" baseline retire 'dut one' --suite simulated --reason "renamed to uno"
t "show tells it" 0 "$P" baseline show simulated
has "$T/out" "dut one gate read.iops: RETIRED, demanded no more; "
has "$T/out" "retired: dut one"
t "the renamed one is only new" 5 "$P" run renamed.yaml --target "$T/scratch" --out renamed
rm -f baselines/simulated/default/RETIRE-*

# --- text that is no XML
hostile=$(printf 'a <b> & "c" \033[31mred\033[0m \001\010 ]]> \303\244 \302\205 \357\277\276 end')
cat >hostile.yaml <<'END'
blkgate: 1
name: hostile
description: "<!-- & ]]> <![CDATA[ \e[31m \x07 \x01 \ud7ff"
labels: {note: x}
defaults: {ioengine: sim, size: 64MiB, runtime: 2s, sim: "lat=100us"}
workloads:
  - name: one
    description: "a <b> & 'c' \e[31mred\e[0m \b"
    rw: randread
    expect: [read.iops >= 1000k IOPS]
END
t "hostile text" 1 "$P" run hostile.yaml --target "$T/scratch" --label "note=$hostile" --change "$hostile" --out hostile
junit hostile/junit.xml
json hostile/result.json
ok "no escape reaches the terminal" bash -c "! grep -q $'\033' '$T/err'"
t "judged again" 1 "$P" judge hostile/result.json --junit hostile/again.xml --junit-style rich
ok "the rich style is well formed" xmllint --noout hostile/again.xml
hostdir=$T/scratch/$(printf 'x\033[31m <&> "q"')
mkdir -p "$hostdir"
t "a hostile name of a target" 5 "$P" run s.yaml --target "$hostdir" --out hostile2 --baselines none
junit hostile2/junit.xml
ok "no escape of a name reaches the terminal" bash -c "! grep -q $'\033' '$T/err'"
baddir=$T/scratch/$(printf 'latin\344')
if mkdir -p "$baddir" 2>/dev/null; then
	t "a name that is no UTF-8" 5 "$P" run s.yaml --target "$baddir" --out hostile3 --baselines none
	junit hostile3/junit.xml
	json hostile3/result.json
	t "and is read again" 5 "$P" judge hostile3/result.json --baselines none
fi

# --- names are unique, over several suites too
sed 's/name: simulated/name: other/' s.yaml >other.yaml
t "two suites" 5 "$P" run s.yaml other.yaml --target "$T/scratch" --out both
junit both/junit.xml
ok "no two cases of one name" bash -c "grep -o '<testcase classname=\"[^\"]*\" name=\"[^\"]*\"' both/junit.xml | sort | uniq -d | grep -c . | grep -qx 0"
ok "two results" test -s both/simulated/result.json -a -s both/other/result.json
t "their results are judged together" 5 "$P" judge both/simulated/result.json both/other/result.json --junit pair.xml
junit pair.xml
t "two results of one suite are not reported one by one" 2 "$P" report both/simulated/result.json both/simulated/result.json --junit pair.xml
has "$T/err" "both results of suite 'simulated'"

# --- a failed run leaves the stream whole (json-noise-1)
sed 's/lat=100us/lat=100us,error=EIO@3/' s.yaml >noise.yaml
t "errors beside a document on stdout" 4 "$P" run noise.yaml --target "$T/scratch" --json - --out noise
ok "its first byte is a brace" test "$(head -c 1 "$T/out")" = "{"
json "$T/out"
ok "the error is data in it" jq -e '[.runs[] | select(.status != "ok") | .text // .error] | length > 0' "$T/out"

# --- a run in which nothing completes (nan-inf-1)
sim_suite slow.yaml "lat=60min" "expect: [read.iops >= 1, read.clat.p99 <= 1s]"
"$P" run slow.yaml --target "$T/scratch" --out nothing >"$T/out" 2>"$T/err" </dev/null
rc=$?
ok "nothing completed is no pass (status $rc)" test $rc -ne 0
json nothing/result.json
junit nothing/junit.xml
ok "no bare NaN in what people read" bash -c "! grep -qiE '(^|[ =])-?(nan|inf)([ ,]|\$)' nothing/junit.xml '$T/err'"

# --- people and pipes
t "piped" 0 "${run[@]}" --out plain --verbose
ok "no escape in a pipe" bash -c "! grep -q $'\033' '$T/err'"
if command -v script >/dev/null 2>&1; then
	NO_COLOR=1 script -qec "'$P' run s.yaml --target '$T/scratch' --seed 7 --out tty --quiet" /dev/null >tty.out 2>&1 </dev/null
	ok "NO_COLOR on a terminal: no colour" bash -c "! grep -qE $'\033''\[[0-9;]*m' tty.out"
	TERM=xterm script -qec "env -u NO_COLOR '$P' run s.yaml --target '$T/scratch' --seed 7 --out tty" /dev/null >tty.out 2>&1 </dev/null
	ok "colour on a terminal" grep -qE $'\033''\[[0-9;]*m' tty.out
else
	skip "colours" "script is not installed"
fi

# --- every locale writes the same bytes (locale-1)
stable() { jq -S 'del(.started, .ended, .sessions, .host, .targets[].facts, .targets[].size, .runs[].started, .runs[].wall, .runs[].cpu_usr, .runs[].cpu_sys, .runs[].values["cpu.usr"], .runs[].values["cpu.sys"], .runs[].values["cpu.per_io"])' "$1"; }
if ! locale -a 2>/dev/null | grep -qix 'de_DE.utf-\?8' && mkdir -p locales && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1; then
	export LOCPATH=$PWD/locales
fi
if LC_ALL=de_DE.UTF-8 locale -k decimal_point 2>/dev/null | grep -q '","'; then
	LC_ALL=C "$P" report good/result.json --junit c.xml --json c.json 2>c.err
	LC_ALL=de_DE.UTF-8 "$P" report good/result.json --junit de.xml --json de.json 2>de.err
	for e in xml json err; do
		ok "the same bytes under de_DE: $e" cmp c.$e de.$e
	done
	LC_ALL=C "${run[@]}" --out c >/dev/null 2>&1
	LC_ALL=de_DE.UTF-8 "${run[@]}" --out de >/dev/null 2>&1
	ok "the same result under de_DE" diff <(stable c/result.json) <(stable de/result.json)
else
	skip "documents under LC_ALL=de_DE.UTF-8" "the locale is not installed"
fi
"${run[@]}" --out same1 >/dev/null 2>&1
"${run[@]}" --out same2 >/dev/null 2>&1
ok "the same seed gives the same integers" diff <(stable same1/result.json) <(stable same2/result.json)

# --- what CI calls hands the status on (ci-mask-1)
cat >stub <<'END'
#!/bin/bash
echo "stub: $*"
exit "$STUB_STATUS"
END
chmod 755 stub
for script in gitlab-job jenkins-stage; do
	for rc in 0 1 2 3 4 5 130; do
		t "$script hands on $rc" $rc env STUB_STATUS=$rc BLKGATE="$T/here/stub" TARGET="$T/scratch" "$ROOT/ci/$script" --quiet
	done
	has "$T/out" "--target $T/scratch"
	t "$script wants a target" 2 env -u TARGET BLKGATE="$T/here/stub" "$ROOT/ci/$script"
done
finish
