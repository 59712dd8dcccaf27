/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/vec.h"
#include "suite/strset.h"
#include "suite/yaml_hint.h"
#include "suite/yaml_place.h"

/* One open collection. The vectors are kept and reused by later collections of that depth. */
struct frame {
	struct ynode *node;
	const char *anchor;
	uint64_t weight; /* nodes below, aliases expanded */
	unsigned height; /* levels below */
	VEC(struct ynode *) keys;
	VEC(struct ynode *) items;
};

struct anchor {
	struct ynode *node; /* NULL = its collection is still open */
	uint64_t weight;
	unsigned height;
};

struct builder {
	yaml_parser_t parser;
	struct places places;
	const char *text, *name;
	size_t n;
	struct arena *a;
	struct err *e;
	struct frame stack[YAML_DEPTH_MAX];
	unsigned depth;
	uint64_t nodes;
	unsigned documents;
	struct ynode *root;
	VEC(struct anchor) anchors;
	struct strset anchor_names; /* -> index in anchors */
};

static int fail_at(struct builder *b, size_t byte)
{
	unsigned line, column;

	places_find(&b->places, byte, &line, &column);
	return err_at(b->e, b->name, line, column);
}

static size_t mark_byte(struct builder *b, const yaml_mark_t *m)
{
	return places_byte(&b->places, m->index);
}

/* NULL = no such anchor. */
static struct anchor *anchor_find(struct builder *b, const char *name)
{
	uint32_t i;

	return strset_find(&b->anchor_names, name, &i) ? &b->anchors.v[i] : NULL;
}

/* Registers an anchor while its node is open; two of one name would make an alias ambiguous. */
static int anchor_open(struct builder *b, const char *name, const yaml_event_t *ev,
		       const char **out)
{
	*out = arena_strdup(b->a, name);
	if (!strset_add(&b->anchor_names, *out, (uint32_t)b->anchors.n, NULL)) {
		err_set(b->e, ERR_SUITE, "anchor '%s' is defined twice", name);
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	(void)VEC_PUSH(&b->anchors);
	return 0;
}

static void anchor_close(struct builder *b, const char *name, struct ynode *node, uint64_t weight,
			 unsigned height)
{
	if (name)
		*anchor_find(b, name) = (struct anchor){node, weight, height};
}

static int refuse_key(struct builder *b, const struct ynode *key, const yaml_event_t *ev)
{
	if (key->kind != Y_SCALAR) {
		err_set(b->e, ERR_SUITE, "a key must be a word, not %s", ykind_name(key->kind));
		err_hint(b->e, "a value that holds [ ] { } must be quoted");
		return err_at(b->e, b->name, key->line, key->column);
	}
	if (!key->quoted && strcmp(key->text, "<<") == 0) {
		err_set(b->e, ERR_SUITE, "merge key '<<' is not allowed");
		err_hint(b->e, "put what workloads share into 'defaults'");
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	return 0;
}

/* Hangs a finished node into the open collection (or makes it the root). */
static int attach(struct builder *b, struct ynode *node, uint64_t weight, unsigned height,
		  const yaml_event_t *ev)
{
	if (b->depth == 0) {
		b->root = node;
		return 0;
	}
	struct frame *f = &b->stack[b->depth - 1];

	f->weight += weight;
	if (f->height < height + 1)
		f->height = height + 1;
	if (f->node->kind == Y_MAP && f->keys.n == f->items.n) {
		int rc = refuse_key(b, node, ev);

		if (rc)
			return rc;
		*VEC_PUSH(&f->keys) = node;
		return 0;
	}
	*VEC_PUSH(&f->items) = node;
	return 0;
}

static int count_nodes(struct builder *b, uint64_t more, const yaml_event_t *ev)
{
	b->nodes += more;
	if (b->nodes <= YAML_NODES_MAX)
		return 0;
	err_set(b->e, ERR_SUITE, "more than %d nodes, aliases counted as expanded", YAML_NODES_MAX);
	return fail_at(b, mark_byte(b, &ev->start_mark));
}

static int refuse_tag(struct builder *b, const yaml_char_t *tag, const yaml_event_t *ev)
{
	if (!tag)
		return 0;
	yaml_hint_tag((const char *)tag, b->e);
	return fail_at(b, mark_byte(b, &ev->start_mark));
}

static int node_new(struct builder *b, enum ykind kind, const yaml_event_t *ev, struct ynode **out)
{
	struct ynode *node = arena_alloc(b->a, sizeof(*node));
	unsigned line, column;

	places_find(&b->places, mark_byte(b, &ev->start_mark), &line, &column);
	node->kind = kind;
	node->line = line;
	node->column = column;
	node->flow = b->depth > 0 && b->stack[b->depth - 1].node->flow;
	*out = node;
	return count_nodes(b, 1, ev);
}

static int on_alias(struct builder *b, const yaml_event_t *ev)
{
	const char *name = (const char *)ev->data.alias.anchor;
	const struct anchor *s = anchor_find(b, name);
	int rc;

	if (!s || !s->node) {
		if (s)
			err_set(b->e, ERR_SUITE, "'%s' contains itself by alias", name);
		else
			err_set(b->e, ERR_SUITE, "alias '*%s' has no anchor", name);
		err_hint(b->e, "a value that starts with '*' must be quoted: \"*%s\"", name);
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	if (b->depth + s->height > YAML_DEPTH_MAX) {
		err_set(b->e, ERR_SUITE, "nested deeper than %d levels", YAML_DEPTH_MAX);
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	rc = count_nodes(b, s->weight, ev);
	return rc ? rc : attach(b, s->node, s->weight, s->height, ev);
}

/* `name: rand #2`: a `#` with no space behind it was hardly meant as a comment. */
static bool is_cut(const struct builder *b, size_t end)
{
	size_t i = end;

	while (i < b->n && (b->text[i] == ' ' || b->text[i] == '\t'))
		i++;
	return i > end && i + 1 < b->n && b->text[i] == '#' && b->text[i + 1] != '#' &&
	       !c_isspace(b->text[i + 1]);
}

static int on_scalar(struct builder *b, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value, *anchor = NULL;
	size_t len = ev->data.scalar.length;
	struct ynode *node;
	int rc = refuse_tag(b, ev->data.scalar.tag, ev);

	if (!rc && ev->data.scalar.anchor)
		rc = anchor_open(b, (const char *)ev->data.scalar.anchor, ev, &anchor);
	if (!rc)
		rc = node_new(b, Y_SCALAR, ev, &node);
	if (rc)
		return rc;
	if (memchr(text, '\0', len)) {
		err_set(b->e, ERR_SUITE, "a value holds a NUL character");
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	node->text = arena_strndup(b->a, text, len);
	node->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	node->cut = !node->quoted && is_cut(b, mark_byte(b, &ev->end_mark));
	anchor_close(b, anchor, node, 1, 0);
	return attach(b, node, 1, 0, ev);
}

static int on_open(struct builder *b, enum ykind kind, const yaml_char_t *tag,
		   const yaml_char_t *anchor, bool flow, const yaml_event_t *ev)
{
	struct ynode *node;
	const char *name = NULL;
	int rc = refuse_tag(b, tag, ev);

	if (!rc && b->depth == YAML_DEPTH_MAX) {
		err_set(b->e, ERR_SUITE, "nested deeper than %d levels", YAML_DEPTH_MAX);
		rc = fail_at(b, mark_byte(b, &ev->start_mark));
	}
	if (!rc && anchor)
		rc = anchor_open(b, (const char *)anchor, ev, &name);
	if (!rc)
		rc = node_new(b, kind, ev, &node);
	if (rc)
		return rc;
	node->flow |= flow;
	struct frame *f = &b->stack[b->depth++];

	f->node = node;
	f->anchor = name;
	f->weight = 1;
	f->height = 0;
	f->keys.n = f->items.n = 0;
	return 0;
}

static int refuse_duplicate(struct builder *b, const struct ynode *first,
			    const struct ynode *second)
{
	err_set(b->e, ERR_SUITE, "duplicate key '%s', first on line %u, again on line %u",
		first->text, first->line, second->line);
	err_hint(b->e, "keep one of the two: the other would be lost");
	return err_at(b->e, b->name, second->line, second->column);
}

/* Small maps are compared pairwise, large ones through a table, so that no map is quadratic. */
static int check_unique(struct builder *b, const struct ynode *map)
{
	struct strset seen;
	uint32_t before;
	int rc = 0;

	if (map->n <= 12) {
		for (size_t i = 1; i < map->n; i++)
			for (size_t k = 0; k < i; k++)
				if (strcmp(map->key[i]->text, map->key[k]->text) == 0)
					return refuse_duplicate(b, map->key[k], map->key[i]);
		return 0;
	}
	strset_init(&seen);
	for (size_t i = 0; i < map->n && !rc; i++)
		if (!strset_add(&seen, map->key[i]->text, (uint32_t)i, &before))
			rc = refuse_duplicate(b, map->key[before], map->key[i]);
	strset_release(&seen);
	return rc;
}

static struct ynode **copy_nodes(struct builder *b, struct ynode **v, size_t n)
{
	struct ynode **out = arena_alloc(b->a, (n ? n : 1) * sizeof(*out));

	if (n)
		memcpy(out, v, n * sizeof(*out));
	return out;
}

static int on_close(struct builder *b, const yaml_event_t *ev)
{
	struct frame *f = &b->stack[--b->depth];
	struct ynode *node = f->node;

	node->n = f->items.n;
	node->item = copy_nodes(b, f->items.v, f->items.n);
	if (node->kind == Y_MAP) {
		int rc;

		node->key = copy_nodes(b, f->keys.v, f->keys.n);
		rc = check_unique(b, node);
		if (rc)
			return rc;
	}
	anchor_close(b, f->anchor, node, f->weight, f->height);
	return attach(b, node, f->weight, f->height, ev);
}

static int on_document(struct builder *b, const yaml_event_t *ev)
{
	if (b->documents++) {
		err_set(b->e, ERR_SUITE, "a second document starts here");
		err_hint(b->e, "a suite is one YAML document: put each suite into its own file");
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	if (ev->data.document_start.tag_directives.start !=
	    ev->data.document_start.tag_directives.end) {
		err_set(b->e, ERR_SUITE, "%%TAG directives are not allowed");
		return fail_at(b, mark_byte(b, &ev->start_mark));
	}
	return 0;
}

static int on_event(struct builder *b, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		return on_document(b, ev);
	case YAML_ALIAS_EVENT:
		return on_alias(b, ev);
	case YAML_SCALAR_EVENT:
		return on_scalar(b, ev);
	case YAML_SEQUENCE_START_EVENT:
		return on_open(b, Y_SEQ, ev->data.sequence_start.tag,
			       ev->data.sequence_start.anchor,
			       ev->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE, ev);
	case YAML_MAPPING_START_EVENT:
		return on_open(b, Y_MAP, ev->data.mapping_start.tag, ev->data.mapping_start.anchor,
			       ev->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE, ev);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return on_close(b, ev);
	default:
		return 0;
	}
}

static int syntax_error(struct builder *b)
{
	const yaml_parser_t *p = &b->parser;
	struct yaml_fault f = {
		.text = b->text, .n = b->n, .problem = p->problem, .context = p->context};

	if (p->error != YAML_SCANNER_ERROR && p->error != YAML_PARSER_ERROR) {
		err_set(b->e, ERR_SUITE, "not valid YAML: %s",
			p->problem ? p->problem : "no memory");
		return fail_at(b, p->problem_offset < b->n ? p->problem_offset : b->n);
	}
	f.at = mark_byte(b, &p->problem_mark);
	f.context_at = p->context ? mark_byte(b, &p->context_mark) : f.at;
	return fail_at(b, yaml_hint_fault(&f, b->e));
}

static int read_events(struct builder *b)
{
	yaml_event_t ev;
	int rc;

	do {
		if (!yaml_parser_parse(&b->parser, &ev))
			return syntax_error(b);
		bool end = ev.type == YAML_STREAM_END_EVENT;

		rc = on_event(b, &ev);
		yaml_event_delete(&ev);
		if (end)
			break;
	} while (!rc);
	if (!rc && !b->root) {
		err_set(b->e, ERR_SUITE, "the file is empty");
		err_hint(b->e, "a suite starts with 'blkgate: 1' and has a 'name' and 'workloads'");
		rc = err_at(b->e, b->name, 1, 1);
	}
	return rc;
}

int yaml_parse(const char *text, size_t n, const char *name, struct arena *a, struct ynode **out,
	       struct err *e)
{
	*out = NULL;
	if (n > YAML_BYTES_MAX) {
		err_set(e, ERR_SUITE, "larger than %d MiB", YAML_BYTES_MAX >> 20);
		return err_at(e, name, 0, 0);
	}
	if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
		text += 3;
		n -= 3;
	}
	struct builder *b = xcalloc(1, sizeof(*b));

	b->text = text;
	b->n = n;
	b->name = name;
	b->a = a;
	b->e = e;
	places_init(&b->places, text, n);
	int rc = places_check(&b->places, name, e);

	if (!rc && !yaml_parser_initialize(&b->parser))
		rc = err_set(e, ERR_SUITE, "the YAML parser could not be set up");
	else if (!rc) {
		yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, n);
		rc = read_events(b);
		yaml_parser_delete(&b->parser);
	}
	if (!rc)
		*out = b->root;
	for (unsigned i = 0; i < YAML_DEPTH_MAX; i++) {
		VEC_RELEASE(&b->stack[i].keys);
		VEC_RELEASE(&b->stack[i].items);
	}
	VEC_RELEASE(&b->anchors);
	strset_release(&b->anchor_names);
	places_release(&b->places);
	free(b);
	return rc;
}

struct ynode *yaml_get(const struct ynode *map, const char *key, struct ynode **key_node)
{
	for (size_t i = 0; map && map->kind == Y_MAP && i < map->n; i++) {
		if (strcmp(map->key[i]->text, key) != 0)
			continue;
		if (key_node)
			*key_node = map->key[i];
		return map->item[i];
	}
	return NULL;
}

const char *ykind_name(enum ykind k)
{
	switch (k) {
	case Y_MAP:
		return "a mapping";
	case Y_SEQ:
		return "a list";
	default:
		return "a value";
	}
}
