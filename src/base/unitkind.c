/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of accepted spellings of every quantity. */
#include "base/unitkind.h"
#include "base/clock.h"

#define KI UINT64_C(1024)
#define MI (KI * KI)
#define GI (MI * KI)
#define TI (GI * KI)
#define PI (TI * KI)
#define MINUTE (60 * NS_PER_SEC)

const struct unit_kind unit_kind_count = {
	.what = "a whole number",
	.example = "32",
	.whole = "expected a whole number",
	.accepted = "no unit",
	.spellings = (const struct unit_spelling[]){{"", 1}, {NULL}},
	.aliases = (const struct unit_alias[]){{NULL}},
};

const struct unit_kind unit_kind_number = {
	.what = "a number",
	.example = "0.5",
	.accepted = "no unit",
	.spellings = (const struct unit_spelling[]){{"", 1}, {NULL}},
	.aliases = (const struct unit_alias[]){{NULL}},
	.plus = true,
	.minus = true,
};

const struct unit_kind unit_kind_size = {
	.what = "a size",
	.example = "4KiB",
	.whole = "a size must come to whole bytes",
	.base = "bytes",
	.accepted =
		"k M G T P and KiB MiB GiB TiB PiB (1024-based), kB MB GB TB PB (1000-based), B",
	.spellings = (const struct unit_spelling[]){{"", 1},
						    {"B", 1},
						    {"k", KI},
						    {"K", KI},
						    {"M", MI},
						    {"G", GI},
						    {"T", TI},
						    {"P", PI},
						    {"KiB", KI},
						    {"MiB", MI},
						    {"GiB", GI},
						    {"TiB", TI},
						    {"PiB", PI},
						    {"kib", KI},
						    {"mib", MI},
						    {"gib", GI},
						    {"tib", TI},
						    {"kB", 1000},
						    {"MB", 1000000},
						    {"GB", 1000000000},
						    {"TB", 1000000000000},
						    {"PB", 1000000000000000},
						    {NULL}},
	.aliases = (const struct unit_alias[]){{"ki", {"KiB", "kB"}},
					       {"kb", {"KiB", "kB"}},
					       {"mi", {"MiB", "MB"}},
					       {"mb", {"MiB", "MB"}},
					       {"gi", {"GiB", "GB"}},
					       {"gb", {"GiB", "GB"}},
					       {"ti", {"TiB", "TB"}},
					       {"tb", {"TiB", "TB"}},
					       {"byte", {"B"}},
					       {"bytes", {"B"}},
					       {NULL}},
};

const struct unit_kind unit_kind_time = {
	.what = "a time",
	.example = "10s",
	.whole = "a time must come to whole nanoseconds",
	.accepted = "ns us ms s m min h d",
	.spellings = (const struct unit_spelling[]){{"ns", 1},
						    {"us", NS_PER_US},
						    {"ms", NS_PER_MS},
						    {"s", NS_PER_SEC},
						    {"m", MINUTE},
						    {"min", MINUTE},
						    {"h", 60 * MINUTE},
						    {"d", 24 * 60 * MINUTE},
						    {NULL}},
	.aliases = (const struct unit_alias[]){{"", {"s", "ms"}},     {"\xc2\xb5s", {"us"}},
					       {"\xce\xbcs", {"us"}}, {"nsec", {"ns"}},
					       {"usec", {"us"}},      {"msec", {"ms"}},
					       {"sec", {"s"}},        {"secs", {"s"}},
					       {"second", {"s"}},     {"seconds", {"s"}},
					       {"mins", {"min"}},     {"minute", {"min"}},
					       {"minutes", {"min"}},  {"hr", {"h"}},
					       {"hrs", {"h"}},        {"hour", {"h"}},
					       {"hours", {"h"}},      {"day", {"d"}},
					       {"days", {"d"}},       {NULL}},
	.plus = true,
};

const struct unit_kind unit_kind_bandwidth = {
	.what = "a bandwidth",
	.example = "500MB/s",
	.base = "B/s",
	.accepted = "B/s kB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s; bits are not accepted",
	.spellings = (const struct unit_spelling[]){{"B/s", 1},
						    {"kB/s", 1000},
						    {"MB/s", 1000000},
						    {"GB/s", 1000000000},
						    {"TB/s", 1000000000000},
						    {"KiB/s", KI},
						    {"MiB/s", MI},
						    {"GiB/s", GI},
						    {"TiB/s", TI},
						    {NULL}},
	.aliases = (const struct unit_alias[]){{"", {"MB/s", "MiB/s"}},
					       {"k", {"kB/s", "KiB/s"}},
					       {"kb", {"kB/s", "KiB/s"}},
					       {"kb/s", {"kB/s", "KiB/s"}},
					       {"k/s", {"kB/s", "KiB/s"}},
					       {"m", {"MB/s", "MiB/s"}},
					       {"mb", {"MB/s", "MiB/s"}},
					       {"m/s", {"MB/s", "MiB/s"}},
					       {"mb/s", {"MB/s", "MiB/s"}},
					       {"g", {"GB/s", "GiB/s"}},
					       {"gb", {"GB/s", "GiB/s"}},
					       {"g/s", {"GB/s", "GiB/s"}},
					       {"gb/s", {"GB/s", "GiB/s"}},
					       {"kib", {"KiB/s"}},
					       {"mib", {"MiB/s"}},
					       {"gib", {"GiB/s"}},
					       {NULL}},
	.plus = true,
};

const struct unit_kind unit_kind_iops = {
	.what = "a rate of operations",
	.example = "340k IOPS",
	.base = "IOPS",
	.accepted = "IOPS, k (1000) and M before it",
	.spellings = (const struct unit_spelling[]){{"", 1},
						    {"IOPS", 1},
						    {"k", 1000},
						    {"kIOPS", 1000},
						    {"k IOPS", 1000},
						    {"M", 1000000},
						    {"MIOPS", 1000000},
						    {"M IOPS", 1000000},
						    {NULL}},
	.aliases = (const struct unit_alias[]){{"ki", {"k IOPS"}},
					       {"io/s", {"IOPS"}},
					       {"ops", {"IOPS"}},
					       {"ops/s", {"IOPS"}},
					       {"/s", {"IOPS"}},
					       {NULL}},
	.plus = true,
};

const struct unit_kind unit_kind_percent = {
	.what = "a percentage",
	.example = "5%",
	.accepted = "%",
	.spellings = (const struct unit_spelling[]){{"%", 1}, {NULL}},
	.aliases =
		(const struct unit_alias[]){
			{"", {"%"}}, {"percent", {"%"}}, {"pct", {"%"}}, {NULL}},
	.plus = true,
};

const struct unit_kind unit_kind_celsius = {
	.what = "a temperature",
	.example = "70C",
	.accepted = "C",
	.spellings = (const struct unit_spelling[]){{"C", 1}, {NULL}},
	.aliases = (const struct unit_alias[]){{"", {"C"}},
					       {"\xc2\xb0"
						"c",
						{"C"}},
					       {NULL}},
	.plus = true,
	.minus = true,
};
