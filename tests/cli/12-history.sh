#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --history: what each gate came to is kept, streaks are told, and what is no evidence is not kept.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sim_suite "$T/s.yaml" 'lat=100us' 'gate: {iops: 10%}'

# shellcheck disable=SC2317 # called by t
run() { "$P" run "$1" --target "$T/scratch" --out "$T/$2" --baselines "$T/b" --history "$T/h" "${@:3}"; }

for i in 1 2 3; do
	t "session $i" 5 "$P" run "$T/s.yaml" --target "$T/scratch" --out "$T/base$i" --baselines "$T/none"
	t "accept $i" 0 "$P" baseline accept "$T/base$i/result.json" --baselines "$T/b"
done
for i in 1 2 3; do
	t "unchanged $i" 0 run "$T/s.yaml" "same$i"
done
hasnt "$T/err" "history:"
ok "three results are kept" test "$(find "$T/h/simulated/default" -name '*.json' | wc -l)" -eq 3
for f in "$T/h/simulated/default"/*.json; do json "$f"; done
t "judged again it is kept once" 0 "$P" judge "$T/same3/result.json" --baselines "$T/b" --history "$T/h"
ok "still three" test "$(find "$T/h/simulated/default" -name '*.json' | wc -l)" -eq 3
t "injected" 1 run "$T/s.yaml" inj --inject slow=30%
t "a part" 0 run "$T/s.yaml" part --check '*' --only one
ok "injected is not kept" test "$(grep -l '"regression"' "$T/h/simulated/default"/*.json | wc -l)" -eq 0

echo '{' >"$T/h/simulated/default/zz.json"
t "a damaged file is named" 4 run "$T/s.yaml" damaged
has "$T/err" "history file"
rm "$T/h/simulated/default/zz.json"
t "no place for it" 4 "$P" judge "$T/same3/result.json" --baselines "$T/b" --history /dev/null
finish
