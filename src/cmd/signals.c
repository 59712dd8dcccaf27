/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include <signal.h>

static volatile int stop_flag;

static void on_signal(int sig)
{
	(void)sig;
	stop_flag = 1;
}

void signals_ignore(void)
{
	struct sigaction act = {.sa_handler = SIG_IGN};

	sigemptyset(&act.sa_mask);
	sigaction(SIGPIPE, &act, NULL);
	sigaction(SIGXFSZ, &act, NULL);
}

const volatile int *signals_install(void)
{
	/* No SA_RESTART: a wait must return so that the flag is seen. */
	struct sigaction act = {.sa_handler = on_signal};

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	return &stop_flag;
}
