/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include <signal.h>

static volatile int stop_flag;

static void on_signal(int sig)
{
	(void)sig;
	stop_flag = 1;
}

const volatile int *signals_install(void)
{
	/* No SA_RESTART: a wait must return so that the flag is seen. */
	struct sigaction act = {.sa_handler = on_signal};

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	act.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &act, NULL);
	/* Beyond RLIMIT_FSIZE a document shall fail like on a full disk: EFBIG, status 4. */
	sigaction(SIGXFSZ, &act, NULL);
	return &stop_flag;
}
