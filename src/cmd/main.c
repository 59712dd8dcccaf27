/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "engines/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *what;
	bool bisects; /* knows --bisect */
};

static const struct command commands[] = {
	{"run", cmd_run, "measure, judge and report a suite on a target", true},
	{"plan", cmd_plan, "every effective value and its origin, time, bytes written"},
	{"lint", cmd_lint, "validate suites; touches no device"},
	{"probe", cmd_probe, "who a device, file or folder is, and what uses it"},
	{"judge", cmd_judge, "the verdict again, offline, from result files", true},
	{"report", cmd_report, "render result files again"},
	{"compare", cmd_compare, "results side by side, nothing pooled and nothing judged"},
	{"baseline", cmd_baseline, "accept, show, diff, drop, retire"},
	{"calibrate", cmd_calibrate,
	 "the noise of accepted sessions, and what tolerance it allows"},
	{"selftest", cmd_selftest,
	 "stays it green without a change, and goes red at twice the tolerance"},
	{"version", cmd_version, "version, and which engines are usable here"},
};

static void usage(FILE *f)
{
	fprintf(f, "usage: blkgate COMMAND [OPTION]... [ARGUMENT]...\n\n"
		   "A regression gate for storage: runs I/O workloads of a YAML suite, compares "
		   "them with\n"
		   "accepted sessions, writes JUnit XML, and exits nonzero when performance was "
		   "lost.\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].what);
	fprintf(f, "\nblkgate COMMAND --help shows options and an example.\n"
		   "exit status: 0 pass, 1 regression or missed, 2 usage or suite error, 3 "
		   "inconclusive,\n"
		   "4 could not measure, 5 no comparable baseline, 130 interrupted\n");
}

/* A full disk or a closed pipe behind stdout must not look like success. */
static int close_stdout(int status)
{
	bool bad = ferror(stdout);

	if (fclose(stdout) != 0 && errno != EBADF)
		bad = true;
	if (!bad)
		return status;
	fprintf(stderr, "blkgate: cannot write to standard output\n");
	/* Beyond the verdicts (bisect, signals) a status has its own meaning and stays. */
	return status > STATUS_NO_BASELINE
		       ? status
		       : (int)status_worse((enum exit_status)status, STATUS_ERROR);
}

/* With a standard descriptor closed, the next file opened (a journal, a target) would take its
 * number and get our messages. */
static int secure_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY); /* a write to it fails, as to a closed one */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* For git bisect 1 to 124 is "bad": a wrong option must not blame a commit, so the mapping comes
 * behind everything that a command can end with. */
static int run_command(const struct command *c, int argc, char **argv)
{
	int status = c->fn(argc, argv);

	for (int i = 1; c->bisects && i < argc; i++)
		if (str_eq(argv[i], "--bisect"))
			return bisect_status((enum exit_status)status);
	return status;
}

static int unknown(const char *name)
{
	const char *names[sizeof(commands) / sizeof(*commands)];
	const char *near;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		names[i] = commands[i].name;
	near = str_nearest(name, names, sizeof(names) / sizeof(*names));
	say("blkgate: unknown command '%s'%s%s%s", name, near ? "; did you mean " : "",
	    near ? near : "", near ? "?" : "");
	usage(stderr);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;

	if (secure_descriptors() < 0)
		return STATUS_ERROR;
	signals_ignore();
	/* LC_NUMERIC stays C: every document has the same bytes under every locale. */
	setlocale(LC_CTYPE, "");
	if (engine_check_table(&e) < 0) {
		say_err(&e);
		return STATUS_ERROR;
	}
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (str_eq(argv[1], "help") || str_eq(argv[1], "--help") || str_eq(argv[1], "-h")) {
		usage(stdout);
		return close_stdout(STATUS_PASS);
	}
	if (str_eq(argv[1], "--version"))
		argv[1] = (char *)"version";
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (str_eq(argv[1], commands[i].name))
			return close_stdout(run_command(&commands[i], argc - 1, argv + 1));
	return unknown(argv[1]);
}
