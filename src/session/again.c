/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/again: between two runs, is each target still the device that was checked? A reset or a
 * replug gives it another name and leaves the open descriptor with a device that is gone; a loop
 * device may get another file under the same name.
 */
#include "session/conductor.h"

#include "host/host.h"

static const struct host live = {.root = "/"};

/* The medium behind the descriptor that the workers get. */
static int same_medium(const struct hold *h, const struct target *t, struct err *e)
{
	int fd = h->claim >= 0 ? h->claim : h->nfds ? h->fds[0] : -1;
	uint64_t seq = fd >= 0 && t->kind == TARGET_BLOCK ? host_diskseq(fd) : 0;

	if (!t->diskseq || !seq || seq == t->diskseq)
		return 0;
	return err_set(e, ERR_TARGET,
		       "the disk behind target '%s' was exchanged while it was open (disk sequence "
		       "number %llu, was %llu)",
		       t->role, (unsigned long long)seq, (unsigned long long)t->diskseq);
}

/* The claim and the descriptors of the device under its new name, after all questions that were
 * asked under the old one. */
static int follow(struct conductor *c, uint32_t target, const struct target *now, struct err *e)
{
	struct target *t = &c->p->targets[target];
	const char *was = t->path;
	char *text;

	t->path = now->path;
	t->disk_path = now->disk_path;
	t->dev_major = now->dev_major;
	t->dev_minor = now->dev_minor;
	t->fs_dev = now->fs_dev;
	t->inode = now->inode;
	t->diskseq = now->diskseq;
	hold_release(&c->holds[target]);
	if (hold_take(&c->holds[target], c->p, target, c->o->wait_lock, c->o->stop, e) < 0)
		return err_prefix(e, "target '%s' moved from '%s' to '%s'", t->role, was, t->path);
	text = arena_printf(&c->r->arena,
			    "target '%s' moved from '%s' to '%s' (it was reset or plugged anew) "
			    "and was followed by what it is",
			    t->role, was, t->path);
	*VEC_PUSH(&c->r->notices) = text;
	tell(c, EVENT_NOTICE, NULL, NULL, text);
	return 0;
}

int target_again(struct conductor *c, uint32_t target, struct err *e)
{
	struct target now;
	int rc;

	if (c->p->targets[target].kind != TARGET_BLOCK || !c->holds[target].nfds)
		return 0;
	rc = host_again(&live, &c->p->targets[target], &c->r->arena, &now, e);
	if (rc > 0) {
		rc = follow(c, target, &now, e);
		facts_release(&now.facts);
	}
	return rc < 0 ? rc : same_medium(&c->holds[target], &c->p->targets[target], e);
}

int target_unchanged(const struct conductor *c, uint32_t target, struct err *e)
{
	return same_medium(&c->holds[target], &c->p->targets[target], e);
}
