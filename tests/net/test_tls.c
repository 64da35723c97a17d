/* Certificates are always checked; what is wrong with one is told. */
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

#include "net.h"

static void add(X509 *cert, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	assert_non_null(e);
	X509_add_ext(cert, e, -1);
	X509_EXTENSION_free(e);
}

static EVP_PKEY *make_key(void)
{
	EVP_PKEY *key = NULL;
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
	assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
	assert_int_equal(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(ctx, NID_X9_62_prime256v1), 1);
	assert_int_equal(EVP_PKEY_keygen(ctx, &key), 1);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

/* A certificate for `names`, valid from..to seconds from now, that signs itself. */
static void make_cert(const char *cert_file, const char *key_file, const char *names, long from,
		      long to)
{
	EVP_PKEY *key = make_key();
	X509 *cert = X509_new();
	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), from);
	X509_gmtime_adj(X509_getm_notAfter(cert), to);
	X509_set_pubkey(cert, key);
	X509_NAME *name = X509_get_subject_name(cert);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1,
				   0);
	X509_set_issuer_name(cert, name);
	add(cert, NID_basic_constraints, "critical,CA:TRUE");
	add(cert, NID_subject_alt_name, names);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);

	FILE *f = fopen(net_path(cert_file), "w");
	PEM_write_X509(f, cert);
	fclose(f);
	f = fopen(net_path(key_file), "w");
	PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
	fclose(f);
	X509_free(cert);
	EVP_PKEY_free(key);
}

static const char both[] = "DNS:localhost,IP:127.0.0.1";
enum { DAY = 86400 };

static struct server server;
static char url[64];

static void start(const char *names, long from, long to)
{
	make_cert("cert", "key", names, from, to);
	server_start(&server, (const char *[]){"--root", net_path("root"), "--tls",
					       net_path("cert"), net_path("key"), NULL});
	snprintf(url, sizeof url, "https://127.0.0.1:%d/f", server.port);
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static void trusted(void **state)
{
	start(both, -DAY, DAY);
	struct get g = GET(url);
	g.o.ca_file = net_path("cert");
	net_get_ok(&g);
	unlink(net_path("d"));
	static const char *const names[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		setenv(names[i], net_path("cert"), 1);
		g = GET(url);
		net_get_ok(&g);
		unsetenv(names[i]);
		unlink(net_path("d"));
	}
}

static void not_trusted(void **state)
{
	start(both, -DAY, DAY);
	struct get g = GET(url);
	net_get_bad(&g, ERR_NETWORK, "TLS certificate not accepted", url, "SSL_CERT_FILE", NULL);
	assert_string_equal(g.retries, "");
	assert_null(strstr(g.err.hint, "clock"));
}

static void bundle_is_missing(void **state)
{
	start(both, -DAY, DAY);
	struct get g = GET(url);
	g.o.ca_file = "/nonexistent/given.pem";
	net_get_bad(&g, ERR_NETWORK, "given certificate bundle '/nonexistent/given.pem'", NULL);
	setenv("CURL_CA_BUNDLE", "/nonexistent/curl.pem", 1);
	g = GET(url);
	net_get_bad(&g, ERR_NETWORK, "CURL_CA_BUNDLE", "/nonexistent/curl.pem", NULL);
	setenv("SSL_CERT_FILE", "/nonexistent/ssl.pem", 1);
	g = GET(url);
	net_get_bad(&g, ERR_NETWORK, "SSL_CERT_FILE", "/nonexistent/ssl.pem", NULL);
	/* of no interest without TLS */
	g = GET(net_url("file"));
	net_get_ok(&g);
	unlink(net_path("d"));
	/* there, but no certificates in it */
	setenv("SSL_CERT_FILE", net_path("root/f"), 1);
	g = GET(url);
	net_get_bad(&g, ERR_NETWORK, "root/f", NULL);
}

static void out_of_date(void **state)
{
	static const long spans[][2] = {{-2 * DAY, -DAY}, {DAY, 2 * DAY}};
	for (int i = 0; i < 2; i++) {
		if (i)
			server_stop(&server);
		start(both, spans[i][0], spans[i][1]);
		struct get g = GET(url);
		g.o.ca_file = net_path("cert");
		net_get_bad(&g, ERR_NETWORK, "TLS certificate", "clock", NULL);
	}
}

static void other_host(void **state)
{
	start("DNS:example.org", -DAY, DAY);
	struct get g = GET(url);
	g.o.ca_file = net_path("cert");
	net_get_bad(&g, ERR_NETWORK, "TLS certificate", "127.0.0.1", NULL);
	assert_null(strstr(g.err.hint, "clock"));
}

/* From http to https is fine, back is not, and credentials stay behind. */
static void redirects(void **state)
{
	char there[128], back[160];
	struct request log[4];
	start(both, -DAY, DAY);
	snprintf(there, sizeof there,
		 "http://me:pw@127.0.0.1:%d/redirect/to:https:%%2f%%2f127.0.0.1:%d/f",
		 net.server.port, server.port);
	struct get g = GET(there);
	g.o.ca_file = net_path("cert");
	net_get_ok(&g);
	assert_int_equal(net_log_of(&net.server, log, 4), 1);
	unlink(net_path("d"));

	snprintf(back, sizeof back, "https://127.0.0.1:%d/redirect/to:http:%%2f%%2f127.0.0.1:%d/f",
		 server.port, net.server.port);
	g = GET(back);
	g.o.ca_file = net_path("cert");
	net_get_bad(&g, ERR_NETWORK, "it leads from https to http", "'http://127.0.0.1:", NULL);
	assert_int_equal(net_log_of(&net.server, log, 4), 1);
}

static void no_tls_there(void **state)
{
	char plain[64];
	start(both, -DAY, DAY);
	snprintf(plain, sizeof plain, "https://127.0.0.1:%d/f", net.server.port);
	struct get g = GET(plain);
	net_get_bad(&g, ERR_NETWORK, plain, NULL);
	snprintf(plain, sizeof plain, "http://127.0.0.1:%d/f", server.port);
	g = GET(plain);
	net_get_bad(&g, ERR_NETWORK, plain, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(trusted, net_fresh, stop),
		cmocka_unit_test_setup_teardown(not_trusted, net_fresh, stop),
		cmocka_unit_test_setup_teardown(bundle_is_missing, net_fresh, stop),
		cmocka_unit_test_setup_teardown(out_of_date, net_fresh, stop),
		cmocka_unit_test_setup_teardown(other_host, net_fresh, stop),
		cmocka_unit_test_setup_teardown(redirects, net_fresh, stop),
		cmocka_unit_test_setup_teardown(no_tls_there, net_fresh, stop),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
