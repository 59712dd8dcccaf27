/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/kernlog.h"

#include "host/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define RECORD_MAX 8192 /* the kernel's own limit of a record with its dictionary */
#define TEXT_MAX 200    /* of a line that is quoted */
#define FACILITIES 8    /* priority = 8 x facility + level; 0 is the kernel */

/* ---- where records come from ---- */

static ssize_t from_kmsg(void *arg, char *record, size_t size)
{
	const struct kernlog *k = arg;
	ssize_t n;

	do
		n = read(k->fd, record, size);
	while (n < 0 && errno == EINTR);
	return n >= 0 ? n : errno == EAGAIN ? 0 : -errno;
}

/* A recorded log: a record ends where a line begins that is not indented. */
struct recorded {
	char *path;
	size_t at;
};

static ssize_t from_file(void *arg, char *record, size_t size)
{
	struct recorded *r = arg;
	FILE *f = fopen(r->path, "re");
	size_t n = 0;
	int c, before = 0;

	if (!f)
		return -errno;
	if (fseek(f, (long)r->at, SEEK_SET) == 0)
		while (n < size && (c = getc(f)) != EOF && !(before == '\n' && c != ' ')) {
			record[n++] = (char)c;
			before = c;
		}
	fclose(f);
	r->at += n;
	return (ssize_t)n;
}

static void unreadable(struct kernlog *k, int sys)
{
	char buf[64];

	if (sys == EPERM || sys == EACCES)
		k->why = xstrdup("the kernel log may not be read (kernel.dmesg_restrict): run "
				 "blkgate as root or with CAP_SYSLOG");
	else
		k->why = xasprintf("cannot read '/dev/kmsg': %s", err_text(sys, buf, sizeof(buf)));
}

void kernlog_open_source(struct kernlog *k, kernlog_source source, void *arg)
{
	*k = (struct kernlog){.source = source, .arg = arg, .fd = -1};
}

static void open_recorded(struct kernlog *k, const struct host *h)
{
	struct recorded *r = xcalloc(1, sizeof(*r));
	struct stat st;

	r->path = xasprintf("%s/dev/kmsg", host_prefix(h));
	kernlog_open_source(k, from_file, r);
	if (stat(r->path, &st) < 0)
		unreadable(k, errno);
	else if (!S_ISREG(st.st_mode))
		unreadable(k, EINVAL);
	else
		r->at = (size_t)st.st_size;
}

bool kernlog_is_node(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 11);
}

void kernlog_open(struct kernlog *k, const struct host *h)
{
	struct stat st;

	if (!host_live(h)) {
		open_recorded(k, h);
		return;
	}
	kernlog_open_source(k, from_kmsg, k);
	k->fd = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (k->fd < 0 || fstat(k->fd, &st) < 0)
		unreadable(k, errno);
	else if (!kernlog_is_node(&st))
		k->why = xstrdup(
			"'/dev/kmsg' is not the kernel log here (a container may link it to "
			"something that is always empty): grant it the device 1:11");
	else if (lseek(k->fd, 0, SEEK_END) < 0)
		unreadable(k, errno);
}

void kernlog_close(struct kernlog *k)
{
	if (k->fd >= 0)
		close(k->fd);
	if (k->source == from_file) {
		free(((struct recorded *)k->arg)->path);
		free(k->arg);
	}
	free(k->why);
	*k = (struct kernlog){.fd = -1};
}

/* ---- what a record says ---- */

/* What tells of trouble whomever it names. The kernel's own words, unchanged for many versions;
 * `begin`: only where the text begins. */
static const struct {
	const char *words, *kind;
	bool begin;
} troubles[] = {
	{"I/O error", "I/O", false},
	{"critical medium error", "I/O", false},
	{"critical target error", "I/O", false},
	{"critical space allocation error", "I/O", false},
	{"protection error", "I/O", false},
	{"lost page write", "I/O", false},
	{"lost async page write", "I/O", false},
	{"DMAR: [DMA", "I/O", false},
	{"AMD-Vi: Event logged", "I/O", false},
	{"AER:", "PCIe", false},
	{"PCIe Bus Error", "PCIe", false},
	{"pcieport ", "PCIe", true},
	{"nvme ", "NVMe", true},
	{"ata", "ata", true},
	{"sd ", "scsi", true},
	{"scsi ", "scsi", true},
	{"EXT4-fs error", "file system", false},
	{"EXT4-fs warning", "file system", false},
	{"XFS (", "file system", true},
	{"BTRFS error", "file system", false},
	{"BTRFS warning", "file system", false},
	{"JBD2: ", "file system", true},
	{"mce: ", "machine check", true},
	{"Machine check", "machine check", false},
	{"[Hardware Error]", "machine check", false},
	{"EDAC ", "machine check", true},
	{"temperature above threshold", "heat", false},
	{"blocked for more than", "hung task", false},
	{"blocked for a long time", "hung task", false},
	{"invoked oom-killer", "out of memory", false},
	{"Out of memory", "out of memory", false},
	{"Memory cgroup out of memory", "out of memory", false},
	{"page allocation failure", "out of memory", false},
	{"soft lockup", "lockup", false},
	{"hard LOCKUP", "lockup", false},
	{"detected stall", "lockup", false},
	{"detected stalls", "lockup", false},
	{"workqueue lockup", "lockup", false},
	{"hogged CPU", "lockup", false},
	{"BUG:", "kernel bug", false},
	{"Oops", "kernel bug", false},
	{"general protection fault", "kernel bug", false},
	{"WARNING: ", "kernel bug", true},
	{"kernel BUG at", "kernel bug", false},
};

/* "ata3.00: exception", "ata3: hard resetting link", and no word that merely begins so. */
static bool ata_port(const char *text)
{
	const char *s = text + 3;

	if (!c_isdigit(*s))
		return false;
	while (c_isdigit(*s) || *s == '.')
		s++;
	return *s == ':';
}

static const char *trouble_of(const char *text)
{
	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++) {
		const char *words = troubles[i].words;

		if (troubles[i].begin ? !str_starts(text, words) : !strstr(text, words))
			continue;
		if (str_eq(words, "ata") && !ata_port(text))
			continue;
		return troubles[i].kind;
	}
	return NULL;
}

static bool name_char(char c)
{
	return c_isalnum(c) || c == '_' || c == '-';
}

/* As a whole word: "nvme0n1" is not in "nvme0n12". */
static bool names_it(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
		if ((at == text || !name_char(at[-1])) && !name_char(at[n]))
			return true;
	return false;
}

bool kernlog_concerns(const struct kernlog_line *l, const struct kernlog_names *names)
{
	if (l->trouble)
		return true;
	for (size_t i = 0; i < names->n && l->level < 7; i++)
		if (names_it(l->text, names->v[i]) || names_it(l->device, names->v[i]))
			return true;
	return false;
}

void kernlog_name(struct kernlog_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (str_eq(names->v[i], name))
			return;
	if (name && *name)
		*VEC_PUSH(names) = xstrdup(name);
}

void kernlog_names_release(struct kernlog_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	VEC_RELEASE(names);
}

static bool head_number(const char **s, uint64_t *out)
{
	if (!str_take_u64(s, out) || **s != ',')
		return false;
	(*s)++;
	return true;
}

/* "PRIORITY,SEQUENCE,TIME,FLAGS[,...];TEXT\n KEY=VALUE\n". False: it is none. */
static bool record_read(const char *record, struct kernlog_line *l, struct str *text,
			struct str *device, uint64_t *priority)
{
	static const char key[] = "\n DEVICE=";
	const char *s = record, *body, *end, *tag;

	if (!head_number(&s, priority) || !head_number(&s, &l->seq) || !head_number(&s, &l->time))
		return false;
	body = strchr(s, ';');
	if (!body)
		return false;
	body++;
	end = strchrnul(body, '\n');
	str_clear(text);
	str_add_clean(text, body,
		      (size_t)(end - body) < TEXT_MAX ? (size_t)(end - body) : TEXT_MAX);
	str_clear(device);
	tag = strstr(end, key);
	if (tag) {
		tag += sizeof(key) - 1;
		str_add_clean(device, tag, strcspn(tag, "\n"));
	}
	l->level = (unsigned)(*priority % FACILITIES);
	l->text = text->s;
	l->device = device->s;
	l->trouble = l->level < 7 ? trouble_of(text->s) : NULL;
	return true;
}

int kernlog_read(struct kernlog *k, void (*line)(void *arg, const struct kernlog_line *l),
		 void *arg, char **why)
{
	char *record = xcalloc(1, RECORD_MAX + 1);
	const char *lost = NULL;
	struct str text, device;
	ssize_t n = 0;

	*why = k->why ? xstrdup(k->why) : NULL;
	str_init(&text);
	str_init(&device);
	while (!k->why && ((n = k->source(k->arg, record, RECORD_MAX)) > 0 || n == -EPIPE)) {
		struct kernlog_line l = {0};
		uint64_t priority;

		if (n == -EPIPE) {
			lost = "lines of the kernel log were overwritten before they were read";
			k->next = 0;
			continue;
		}
		record[n] = '\0';
		if (!record_read(record, &l, &text, &device, &priority)) {
			lost = "the kernel log holds a record of unknown form";
			continue;
		}
		if (k->next && l.seq != k->next)
			lost = "lines of the kernel log are missing";
		k->next = l.seq + 1;
		if (priority < FACILITIES)
			line(arg, &l);
	}
	if (!*why && n < 0)
		*why = xasprintf("cannot read the kernel log: %s", strerror((int)-n));
	else if (!*why && lost)
		*why = xstrdup(lost);
	str_release(&device);
	str_release(&text);
	free(record);
	return *why ? -1 : 0;
}

void host_kernel_log(const struct host *h, struct facts *f, struct arena *a)
{
	struct kernlog k;

	kernlog_open(&k, h);
	facts_set(f, a, "kernel_log", k.why ? NULL : "clean", k.why);
	kernlog_close(&k);
}
