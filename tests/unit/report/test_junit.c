/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

/* Value of an XPath over the document, as a number. The parser has its default limits. */
static double number(const struct str *xml, const char *path)
{
	xmlDocPtr doc = xmlReadMemory(xml->s, (int)xml->len, "junit.xml", NULL, XML_PARSE_NONET);
	xmlXPathContextPtr context;
	xmlXPathObjectPtr o;
	double v;

	assert_non_null(doc);
	context = xmlXPathNewContext(doc);
	o = xmlXPathEvalExpression(BAD_CAST path, context);
	assert_non_null(o);
	v = xmlXPathCastToNumber(o);
	xmlXPathFreeObject(o);
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
	return v;
}

static void render(const struct result *r, enum junit_style style, struct str *xml)
{
	struct err e = ERR_INIT;

	str_init(xml);
	assert_int_equal(
		report_junit(&r, 1, NULL, 0, &(struct junit_options){.style = style}, xml, &e), 0);
}

static void each_shape_is_one_child(void **state)
{
	(void)state;
	struct sample s;
	struct str xml;

	sample_init(&s);
	sample_run(&s, 0, 1000);
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	sample_verdict(&s, 0, 0, VERDICT_REGRESSION, JUNIT_FAILURE, STATUS_REGRESSION);
	sample_verdict(&s, 1, VERDICT_MEASURE, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR);
	sample_verdict(&s, 1, 1, VERDICT_SKIPPED, JUNIT_SKIPPED, STATUS_PASS);
	render(&s.r, JUNIT_STRICT, &xml);
	assert_true(number(&xml, "count(//testcase)") == 4);
	assert_true(number(&xml, "count(//testcase/failure[@type='regression'])") == 1);
	assert_true(number(&xml, "count(//testcase/error)") == 1);
	assert_true(number(&xml, "count(//testcase/skipped[@message and not(@type)])") == 1);
	assert_true(number(&xml, "count(//testcase[count(*) > 1])") == 0);
	assert_true(number(&xml, "number(//testsuite/@tests)") == 4);
	assert_true(number(&xml, "number(//testsuite/@failures)") == 1);
	assert_true(number(&xml, "number(//testsuite/@errors)") == 1);
	assert_true(number(&xml, "number(//testsuite/@skipped)") == 1);
	/* Text always: without it GitLab prints the attributes as a hash. */
	assert_true(number(&xml, "count(//testcase/*[string-length(text()) = 0])") == 0);
	assert_true(number(&xml, "count(//testcase[@classname='sample.default.dut.a'])") == 2);
	assert_true(number(&xml, "number(//testcase[1]/@time)") == 1.234);
	/* the block stands in its case, and not in the output again */
	assert_true(number(&xml, "count(//failure[contains(., 'why:')])") == 1);
	assert_true(number(&xml, "count(//system-out[contains(., 'why:')])") == 0);
	str_release(&xml);
	sample_release(&s);
}

static void hostile_text_stays_well_formed(void **state)
{
	(void)state;
	struct sample s;
	struct str xml;

	sample_init(&s);
	s.r.inject = "\x1b[31m\x08 <&>\"' ]]> \xff\xfe \xef\xbf\xbe";
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR)->text =
		"\x01\x02 \x1b[0m <script>&amp; \xc3\x28 \n\t end";
	sample_verdict(&s, 0, 0, VERDICT_SKIPPED, JUNIT_SKIPPED, STATUS_PASS);
	render(&s.r, JUNIT_STRICT, &xml);
	assert_true(number(&xml, "count(//testcase)") == 2);
	assert_null(memchr(xml.s, 0x1b, xml.len));
	assert_non_null(strstr(xml.s, "\\x1b[0m"));
	str_release(&xml);
	sample_release(&s);
}

static void long_text_is_bounded(void **state)
{
	(void)state;
	struct sample s;
	struct str xml;
	size_t n = 20u << 20;
	char *text = xmalloc(n + 1);

	memset(text, 'x', n);
	text[n] = '\0';
	sample_init(&s);
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR)->text =
		text;
	render(&s.r, JUNIT_STRICT, &xml);
	assert_true(xml.len < 1u << 20);
	assert_true(number(&xml, "count(//testcase/error)") == 1);
	str_release(&xml);
	sample_release(&s);
	free(text);
}

static void equal_names_are_refused(void **state)
{
	(void)state;
	struct sample s;
	struct str xml;
	struct err e = ERR_INIT;
	const struct result *r;

	sample_init(&s);
	s.jobs[1].name = "a";
	sample_verdict(&s, 0, 0, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	sample_verdict(&s, 1, 1, VERDICT_REGRESSION, JUNIT_FAILURE, STATUS_REGRESSION);
	r = &s.r;
	str_init(&xml);
	assert_int_equal(report_junit(&r, 1, NULL, 0,
				      &(struct junit_options){.style = JUNIT_STRICT}, &xml, &e),
			 ERR_OUTPUT);
	assert_non_null(strstr(e.text, "gate read.iops"));
	assert_int_equal(xml.len, 0);
	str_release(&xml);
	sample_release(&s);
}

static void a_broken_suite_is_an_error_case(void **state)
{
	(void)state;
	struct report_suite_error b = {
		.suite = "dir/x.yaml", .text = "unknown key 'rww'", .status = STATUS_USAGE};
	struct err e = ERR_INIT;
	struct str xml;

	str_init(&xml);
	assert_int_equal(report_junit(NULL, 0, &b, 1,
				      &(struct junit_options){.style = JUNIT_STRICT}, &xml, &e),
			 0);
	assert_true(number(&xml, "count(//testcase[@classname='x_yaml' and "
				 "@name='suite']/error[@type='suite'])") == 1);
	str_release(&xml);
}

static void what_the_baseline_demands_has_a_case(void **state)
{
	(void)state;
	struct sample s;
	struct verdict *v;
	struct str xml;

	sample_init(&s);
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	v = sample_verdict(&s, UINT32_MAX, VERDICT_MEASURE, VERDICT_ERROR, JUNIT_ERROR,
			   STATUS_ERROR);
	v->absent_target = "dut";
	v->absent_workload = "gone";
	v->absent_check = "gate write.bw";
	render(&s.r, JUNIT_RICH, &xml);
	assert_true(number(&xml, "count(//testcase[@classname='sample.default.dut.gone' and "
				 "@name='gate write.bw']/error)") == 1);
	str_release(&xml);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_is_one_child),
		cmocka_unit_test(hostile_text_stays_well_formed),
		cmocka_unit_test(long_text_is_bounded),
		cmocka_unit_test(equal_names_are_refused),
		cmocka_unit_test(a_broken_suite_is_an_error_case),
		cmocka_unit_test(what_the_baseline_demands_has_a_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
