/* Redirects, credentials and proxies: who gets to know what, and what is shown. */
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net.h"

enum { MAX = 32 };
static struct request log_[MAX];

static void followed(void **state)
{
	static const struct {
		const char *mode;
		size_t requests;
	} cases[] = {{"redirect/relative", 2}, {"redirect/host", 2},  {"redirect/hops:1", 2},
		     {"redirect/hops:10", 11}, {"redirect/blank", 2}, {"redirect/login", 2}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		net_fresh(state);
		struct get g = GET(net_url(cases[i].mode));
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), cases[i].requests);
		assert_string_equal(g.retries, "");
	}
}

static void refused(void **state)
{
	static const struct {
		const char *mode, *say;
		size_t requests;
	} cases[] = {
		{"redirect/hops:11", "more than 10 redirects", 11},
		{"redirect/loop", "loop", 1},
		{"redirect/pair", "loop", 3}, /* the first URL has a query */
		{"redirect/scheme", "'file:///etc/passwd' refused: only https and http", 1},
		{"redirect/ftp", "'ftp://127.0.0.1/x' refused: only https and http", 1},
		{"redirect/none", "302 without saying where", 1},
		{"redirect/relative/status/404", "404", 2},
		{"redirect/host/html", "HTML page", 2},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		net_fresh(state);
		struct get g = GET(net_url(cases[i].mode));
		net_get_bad(&g, ERR_NETWORK, cases[i].mode, cases[i].say, NULL);
		assert_int_equal(net_log(log_, MAX), cases[i].requests);
		assert_false(net_exists("d.part"));
	}
	struct get g = GET(net_url("redirect/relative/status/404"));
	net_get_bad(&g, ERR_NETWORK, "redirect/relative/status/404/f?***', redirected to 'http://",
		    NULL);
}

/* A part is continued behind a redirect as well. */
static void resumed(void **state)
{
	struct get g = GET(net_url("redirect/host"));
	net_write("d.part", net.data, 1000);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].range, "bytes=1000-");
}

static const char *with_login(const char *login, const char *mode)
{
	static char url[256];
	const char *plain = net_url(mode);
	snprintf(url, sizeof url, "http://%s@%s", login, plain + strlen("http://"));
	return url;
}

static void login_in_url(void **state)
{
	struct get g = GET(with_login("me:p%40ss", "auth/me:p@ss"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].user, "me");
	/* wrong: once, without showing it */
	unlink(net_path("d"));
	g = GET(with_login("who:secret", "auth/me:p@ss"));
	net_get_bad(&g, ERR_NETWORK, "***@127.0.0.1", "401", "credentials", NULL);
	assert_null(strstr(g.err.msg, "secret"));
	assert_null(strstr(g.err.msg, "who:"));
	assert_null(strstr(g.err.hint, "secret"));
}

/* To the same server: with credentials. To another: without. */
static void login_and_redirect(void **state)
{
	struct get g = GET(with_login("me:pw", "redirect/relative/auth/me:pw"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].user, "me");

	net_fresh(state);
	g = GET(with_login("me:pw", "redirect/host"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[0].user, "me");
	assert_string_equal(log_[1].user, "");

	/* nor do they come back when the way leads back */
	net_fresh(state);
	g = GET(with_login("me:pw", "redirect/host/redirect/host"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 3);
	assert_string_equal(log_[1].user, "");
	assert_string_equal(log_[2].user, "");

	/* another port is another server */
	struct server other;
	char mode[64];
	server_start(&other, (const char *[]){"--root", net_path("root"), NULL});
	snprintf(mode, sizeof mode, "redirect/to:http:%%2f%%2f127.0.0.1:%d", other.port);
	net_fresh(state);
	g = GET(with_login("me:pw", mode));
	net_get_ok(&g);
	assert_int_equal(net_log_of(&other, log_, MAX), 1);
	assert_string_equal(log_[0].user, "");
	server_stop(&other);
}

static void login_from_netrc(void **state)
{
	static const char text[] = "machine localhost login there password tp\n"
				   "machine 127.0.0.1 login here password hp\n";
	const char *file = net_path("my netrc");
	net_write("my netrc", text, sizeof text - 1);
	struct get g = GET(net_url("auth/here:hp"));
	g.o.netrc = file;
	net_get_ok(&g);
	assert_string_equal(g.retries, "");
	unlink(net_path("d"));

	setenv("NETRC", file, 1);
	g = GET(net_url("auth/here:hp/redirect/host/auth/there:tp"));
	net_get_ok(&g);
	unsetenv("NETRC");
	unlink(net_path("d"));

	net_write(".netrc", text, sizeof text - 1);
	g = GET(net_url("auth/here:hp"));
	net_get_ok(&g);
	unlink(net_path(".netrc"));
	unlink(net_path("d"));

	/* what stands in the URL wins, a file that is not there is no error */
	g = GET(with_login("url:up", "auth/url:up"));
	g.o.netrc = file;
	net_get_ok(&g);
	unlink(net_path("d"));
	g = GET(net_url("file"));
	g.o.netrc = net_path("missing");
	net_get_ok(&g);
}

static void dead_proxy(void **state)
{
	static const char *const names[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		net_fresh(state);
		struct get g = GET(net_url("file"));
		setenv(names[i], "http://user:secret@127.0.0.1:1", 1);
		net_get_bad(&g, ERR_NETWORK, "proxy 'http://***@127.0.0.1:1'", names[i], "no_proxy",
			    NULL);
		assert_null(strstr(g.err.msg, "secret"));
		assert_null(strstr(g.retries, "secret"));
		/* the exceptions are followed */
		setenv(i % 2 ? "no_proxy" : "NO_PROXY", "example.org,127.0.0.1", 1);
		g = GET(net_url("file"));
		net_get_ok(&g);
	}
}

static void unknown_proxy(void **state)
{
	struct get g = GET("https://example.invalid/f");
	setenv("https_proxy", "user:secret@nowhere.invalid:3128", 1);
	net_get_bad(&g, ERR_NETWORK, "proxy '***@nowhere.invalid:3128' (from https_proxy)", NULL);
	assert_null(strstr(g.err.msg, "secret"));
}

static void cgi_header_is_no_proxy(void **state)
{
	struct get g = GET(net_url("file"));
	setenv("HTTP_PROXY", "http://127.0.0.1:1", 1);
	setenv("REQUEST_METHOD", "GET", 1);
	net_get_ok(&g);
}

static void working_proxy(void **state)
{
	struct server proxy;
	char url[128];
	server_start(&proxy,
		     (const char *[]){"--root", net_path("root"), "--proxy-auth", "u:p", NULL});
	snprintf(url, sizeof url, "http://u:p@127.0.0.1:%d", proxy.port);
	setenv("http_proxy", url, 1);
	struct get g = GET("http://some.invalid/file/f");
	net_get_ok(&g);
	unsetenv("http_proxy");
	assert_int_equal(net_log_of(&proxy, log_, MAX), 1);
	assert_true(log_[0].proxy);
	assert_string_equal(log_[0].host, "some.invalid");
	unlink(net_path("d"));

	snprintf(url, sizeof url, "http://u:wrong@127.0.0.1:%d", proxy.port);
	setenv("http_proxy", url, 1);
	g = GET("http://some.invalid/file/f");
	net_get_bad(&g, ERR_NETWORK, "proxy 'http://***@127.0.0.1:", "407", "http_proxy", NULL);
	assert_null(strstr(g.err.msg, "wrong"));

	setenv("https_proxy", url, 1);
	g = GET("https://some.invalid/file/f");
	net_get_bad(&g, ERR_NETWORK, "proxy 'http://***@127.0.0.1:", "407", "https_proxy", NULL);

	snprintf(url, sizeof url, "http://u:p@127.0.0.1:%d", proxy.port);
	setenv("https_proxy", url, 1);
	g = GET("https://some.invalid/file/f");
	net_get_bad(&g, ERR_NETWORK, "proxy 'http://***@127.0.0.1:", "502", NULL);
	server_stop(&proxy);
}

/* localhost is ::1 first where there is IPv6: nobody listens there. */
static void other_address_is_tried(void **state)
{
	char url[64];
	snprintf(url, sizeof url, "http://localhost:%d/f", net.server.port);
	struct get g = GET(url);
	net_get_ok(&g);
	assert_string_equal(g.retries, "");
}

/* A listener whose queue is full answers nobody: as a network that swallows what is sent to it. */
static bool black_hole(int port, int fds[4])
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				  .sin6_port = htons((uint16_t)port)};
	for (int i = 0; i < 4; i++)
		fds[i] = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | (i ? SOCK_NONBLOCK : 0), 0);
	if (fds[0] < 0 || bind(fds[0], (struct sockaddr *)&at, sizeof at) < 0 ||
	    listen(fds[0], 0) < 0)
		return false;
	for (int i = 1; i < 4; i++)
		connect(fds[i], (struct sockaddr *)&at, sizeof at);
	return true;
}

static void a_black_hole_is_passed_by(void **state)
{
	char url[64];
	int fds[4];
	if (!black_hole(net.server.port, fds))
		skip();
	snprintf(url, sizeof url, "http://localhost:%d/f", net.server.port);
	struct get g = GET(url);
	net_get_ok(&g);
	assert_string_equal(g.retries, "");
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(followed),
		cmocka_unit_test(refused),
		cmocka_unit_test_setup(resumed, net_fresh),
		cmocka_unit_test_setup(login_in_url, net_fresh),
		cmocka_unit_test_setup(login_and_redirect, net_fresh),
		cmocka_unit_test_setup(login_from_netrc, net_fresh),
		cmocka_unit_test(dead_proxy),
		cmocka_unit_test_setup(unknown_proxy, net_fresh),
		cmocka_unit_test_setup(cgi_header_is_no_proxy, net_fresh),
		cmocka_unit_test_setup(working_proxy, net_fresh),
		cmocka_unit_test_setup(other_address_is_tried, net_fresh),
		cmocka_unit_test_setup(a_black_hole_is_passed_by, net_fresh),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
