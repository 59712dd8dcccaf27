/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the kernel: their names, their files, values that are taken and values that are not.
 */
#include "fixture.h"

static void names(void **state)
{
	static const char *const good[] = {"scheduler", "nr_requests", "sysctl:vm.dirty_ratio",
					   "sysctl:fs.aio-max-nr"};
	static const char *const bad[] = {
		"",           "../scheduler", "iosched/x", "sysctl:",   "sysctl:.", "sysctl:vm..x",
		"sysctl:vm.", "sysctl:vm/x",  "a b",       "sysctl:..", ".",        "sysctl:.vm"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(host_tunable_name(good[i], &(struct err){0}), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(host_tunable_name(bad[i], &(struct err){0}), ERR_USAGE);
}

static int find(struct fixture *x, const char *setting, const char **path)
{
	x->err = ERR_INIT;
	return host_tunable(&x->host, setting, &x->target, &x->arena, path, &x->err);
}

static void files(void **state)
{
	struct fixture *x = *state;
	const char *path;

	put_sda(x);
	put(x, "/proc/sys/vm/dirty_ratio", "20\n");
	must_resolve(x, "/dev/sda1");
	assert_int_equal(find(x, "scheduler", &path), 0);
	contains(path, "/sys/block/sda/queue/scheduler"); /* the disk's, of a partition too */
	assert_int_equal(find(x, "sysctl:vm.dirty_ratio", &path), 0);
	contains(path, "/proc/sys/vm/dirty_ratio");
	assert_int_equal(find(x, "wbt_lat_usec", &path), ERR_USAGE);
	contains(x->err.text, "'/sys/block/sda/queue/wbt_lat_usec' does not exist");
	x->target.dev_major = x->target.dev_minor = 0;
	assert_int_equal(find(x, "scheduler", &path), ERR_TARGET);
	contains(x->err.text, "no disk is known behind target");
}

static void values(void **state)
{
	struct fixture *x = *state;
	struct err e = ERR_INIT;
	struct str s;
	char *path;

	put(x, "/sys/x", "none [mq-deadline] kyber\n");
	path = fixture_path(x, "/sys/x");
	str_init(&s);
	assert_int_equal(host_tunable_read(path, &s, &e), 0);
	assert_string_equal(s.s, "mq-deadline");
	assert_int_equal(host_tunable_holds(path, "mq-deadline", &e), 0);
	assert_int_equal(host_tunable_holds(path, "none", &e), ERR_TARGET);
	contains(e.text, "is 'mq-deadline' and not 'none'");
	e = ERR_INIT;
	assert_int_equal(host_tunable_write(path, "0256", &e), 0);
	assert_int_equal(host_tunable_holds(path, "256", &e), 0); /* as a number */
	assert_int_equal(host_tunable_holds(path, "256x", &e), ERR_TARGET);
	free(path);
	e = ERR_INIT;
	/* takes everything and keeps nothing */
	assert_int_equal(host_tunable_write("/dev/null", "5", &e), ERR_TARGET);
	contains(e.text, "the kernel did not take '5'");
	e = ERR_INIT;
	assert_int_equal(host_tunable_write("/dev/full", "5", &e), ERR_TARGET);
	contains(e.text, "refuses '5'");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(names), TEST(files), TEST(values)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
