/* test_http.c - what src/http reads and writes: URLs, signatures, headers, XML, listings, files of ~/.aws. */
#include "test.h"

#include "http/answer.h"
#include "http/identity.h"
#include "http/list.h"
#include "http/xml.h"

static arena *memory;

static void begin(void)
{
    CHECK_OK(arena_new(&memory));
}

static void end(void)
{
    arena_free(memory);
}

/* ---- signatures ---- */

/* 2013-05-24 00:00:00 UTC and 2015-08-30 12:36:00 UTC */
#define MAY_2013 1369353600
#define AUGUST_2015 1440938160
#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void check_signature(const sign_request *r, const sign_keys *keys, time_t now, bool has_hash,
                            const char *signature)
{
    sign_result result;
    CHECK_OK(sign_request_v4(memory, r, keys, now, has_hash, &result));
    CHECK_TEXT_EQ(strstr(result.authorization, "Signature=") + strlen("Signature="), signature);
}

/* The examples of Amazon's "Signature Calculations for the Authorization Header". */
TEST(requests_of_s3_are_signed_as_published)
{
    static const sign_keys keys = {"AKIAIOSFODNN7EXAMPLE",
                                   "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
    static const char host[] = "examplebucket.s3.amazonaws.com";
    const sign_header part[] = {{"host", host}, {"range", "bytes=0-9"}};
    const sign_header whole[] = {{"host", host}};
    const sign_header put[] = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                               {"host", host},
                               {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
    sign_request r = {"GET", "/test.txt", "", "us-east-1", "s3", EMPTY_HASH, part, 2};
    char hash[65];
    begin();
    check_signature(&r, &keys, MAY_2013, true,
                    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    r = (sign_request){"GET", "/", "lifecycle=", "us-east-1", "s3", EMPTY_HASH, whole, 1};
    check_signature(&r, &keys, MAY_2013, true,
                    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    r.query = "max-keys=2&prefix=J";
    check_signature(&r, &keys, MAY_2013, true,
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    sign_hash("Welcome to Amazon S3.", 21, hash);
    r = (sign_request){"PUT", "/test%24file.text", "", "us-east-1", "s3", hash, put, 3};
    check_signature(&r, &keys, MAY_2013, true,
                    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    end();
}

/* Requests of the published test suite. */
TEST(requests_of_the_suite_are_signed_as_published)
{
    static const sign_keys keys = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
    const sign_header headers[] = {{"host", "example.amazonaws.com"},
                                   {"my-header1", "  value1"},
                                   {"my-header2", "\"a   b   c\" "}};
    sign_request r = {"GET", "/", "", "us-east-1", "service", EMPTY_HASH, headers, 1};
    begin();
    check_signature(&r, &keys, AUGUST_2015, false,
                    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    r.query = "Param1=value1&Param2=value2";
    check_signature(&r, &keys, AUGUST_2015, false,
                    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
    r.query = "";
    r.header_count = 3;
    check_signature(&r, &keys, AUGUST_2015, false,
                    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
    r.header_count = 1;
    r.method = "POST";
    check_signature(&r, &keys, AUGUST_2015, false,
                    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    end();
}

/* ---- URLs ---- */

static void check_url(const url_store *store, const char *url, const char *host, const char *path,
                      const char *query)
{
    url_place place;
    CHECK_OK(url_parse(memory, store, url, &place));
    CHECK_TEXT_EQ(place.host, host);
    CHECK_TEXT_EQ(place.path, path);
    CHECK_TEXT_EQ(place.query, query);
}

TEST(urls_name_hosts_and_paths)
{
    const url_store none = {.endpoint = "", .region = ""},
                    zone = {.endpoint = "", .region = "eu-west-3"},
                    own = {.endpoint = "http://127.0.0.1:9000/", .region = ""},
                    path = {.endpoint = "", .region = "", .is_path_style = true},
                    named = {.endpoint = "https://h:9", .region = "", .is_host_style = true};
    begin();
    check_url(&none, "s3://b/k/x.parquet", "b.s3.us-east-1.amazonaws.com", "/k/x.parquet", "");
    check_url(&zone, "S3A://b/a b+c%d=e/\xc3\xb6?#", "b.s3.eu-west-3.amazonaws.com",
              "/a%20b%2Bc%25d%3De/%C3%B6%3F%23", "");
    check_url(&none, "s3://b.c/x", "s3.us-east-1.amazonaws.com", "/b.c/x", "");
    check_url(&path, "s3://b/x", "s3.us-east-1.amazonaws.com", "/b/x", "");
    check_url(&own, "s3://b/x", "127.0.0.1:9000", "/b/x", "");
    check_url(&named, "s3://b/x", "b.h:9", "/x", "");
    check_url(&none, "gs://b/x", "storage.googleapis.com", "/b/x", "");
    check_url(&own, "https://Host:443/a b%20c?d=e f#g", "Host", "/a%20b%20c", "d=e%20f");
    check_url(&none, "http://[::1]:8080", "[::1]:8080", "/", "");
    check_url(&none, "http://h/a\r\nHost: x", "h", "/a%0D%0AHost:%20x", "");
    end();
}

TEST(urls_that_name_nothing_are_refused)
{
    static const char *const bad[] = {
        "s3:///x",      "s3://",        "s3://b\n/x",        "s3://../x",     "https:///x",
        "https://h:x/", "https://h h/", "https://h:123456/", "https://[::1/", "http://h\r\nX: y",
        "s3://b@c/x",   "nothing"};
    const url_store none = {.endpoint = "", .region = ""},
                    bad_store = {.endpoint = "http://a b", .region = ""};
    url_place place;
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(url_parse(memory, &none, bad[i], &place), STATUS_KIND_INVALID, "URL");
    CHECK_FAILS(url_parse(memory, &none, "http://u:p@h/x", &place), STATUS_KIND_INVALID,
                "password");
    CHECK_FAILS(url_parse(memory, &none, "r2://b/x", &place), STATUS_KIND_INVALID, "endpoint");
    CHECK_FAILS(url_parse(memory, &bad_store, "s3://b/x", &place), STATUS_KIND_INVALID, "endpoint");
    CHECK_TEXT_EQ(url_shown(memory, "https://h/x?Signature=y"), "https://h/x?...");
    CHECK_TEXT_EQ(url_shown(memory, "s3://h/x?y"), "s3://h/x?y");
    end();
}

/* ---- headers ---- */

static transfer_answer answer_of(const char *text)
{
    transfer_answer answer = {0};
    for (const char *line = text, *line_end; *line; line = line_end) {
        line_end = line + strcspn(line, "\n") + 1;
        answer_read_header(&answer, line, (size_t)(line_end - line));
    }
    return answer;
}

TEST(headers_are_read_of_the_last_hop)
{
    transfer_answer a =
        answer_of("HTTP/1.1 302 Found\r\nETag: \"old\"\r\nContent-Length: 7\r\n\r\n"
                  "HTTP/2 206\r\ncontent-range:bytes 10-19/100\r\nETAG:  \"new\" \r\n\r\n");
    CHECK_EQ(a.code, 206u);
    CHECK_TEXT_EQ(a.tag, "\"new\"");
    CHECK_EQ(a.length, 0u);
    CHECK(a.has_range && a.has_total);
    CHECK_EQ(a.range_first, 10u);
    CHECK_EQ(a.range_end, 20u);
    CHECK_EQ(a.total, 100u);
    a = answer_of("HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\nRetry-After: 7\r\n");
    CHECK(!a.has_range && a.has_total);
    CHECK_EQ(a.retry_after, 7u);
}

TEST(headers_that_make_no_sense_say_nothing)
{
    static const char *const ranges[] = {
        "bytes 5-4/10", "bytes 1-", "bytes -1/2",
        "bits 0-1/2",   "",         "bytes 99999999999999999999-99999999999999999999/1"};
    char line[512];
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        snprintf(line, sizeof line, "HTTP/1.1 206 OK\nContent-Range: %s\n", ranges[i]);
        CHECK(!answer_of(line).has_range);
    }
    CHECK(!answer_of("HTTP/1.1 206 OK\nContent-Range: bytes 0-1/*\n").has_total);
    CHECK_EQ(answer_of("HTTP/1.1 99999 OK\n").code, 0u);
    memset(line, 'x', sizeof line);
    memcpy(line, "ETag: ", 6);
    transfer_answer a = {0};
    answer_read_header(&a, line, sizeof line);
    CHECK_TEXT_EQ(a.tag, "");
    answer_read_header(&a, "ETag: \"a\x01\"\n", 10);
    CHECK_TEXT_EQ(a.tag, "");
}

/* ---- listings ---- */

static char keys[1024];

static status take_key(void *context, const list_item *item)
{
    (void)context;
    size_t at = strlen(keys);
    snprintf(keys + at, sizeof keys - at, "%s%s", at ? "|" : "", item->key);
    at = strlen(keys);
    if (item->has_bytes)
        snprintf(keys + at, sizeof keys - at, " %" PRIu64 " %s", item->bytes, item->tag);
    return STATUS_OK;
}

static status read_page(const char *text, list_page *page)
{
    keys[0] = '\0';
    return list_read_page(memory, text, strlen(text), take_key, NULL, page);
}

TEST(listings_are_read)
{
    list_page page;
    begin();
    CHECK_OK(read_page(
        "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- a <b> --><s3:ListBucketResult xmlns='x>y' a=\"'\">"
        "<Name>b</Name><IsTruncated>true</IsTruncated><Contents><Key>a&amp;&lt;&#98;&#x20AC;</Key>"
        "<Owner><ID>Key</ID></Owner><Size>12</Size><ETag>&quot;t&quot;</ETag></"
        "Contents>\n<Contents><Key>c d</Key><Size>99999999999999999999</Size></Contents>"
        "<Contents><ETag>u-1</ETag><Size>0</Size><Key>e</Key></Contents>"
        "<CommonPrefixes><Prefix>no</Prefix></CommonPrefixes><Empty />"
        "<NextContinuationToken>t+/=</NextContinuationToken></s3:ListBucketResult>\n",
        &page));
    CHECK_TEXT_EQ(keys, "a&<b\xE2\x82\xAC 12 \"t\"|c d|e 0 \"u-1\"");
    CHECK(page.is_cut);
    CHECK_TEXT_EQ(page.token, "t+/=");
    CHECK_OK(read_page("<ListBucketResult></ListBucketResult>", &page));
    CHECK(!page.is_cut);
    end();
}

TEST(what_is_not_a_listing_is_refused)
{
    static const char *const bad[] = {
        "",
        "<html/>",
        "<!DOCTYPE x [<!ENTITY y 'z'>]><ListBucketResult/>",
        "<ListBucketResult>",
        "<ListBucketResult></Other>",
        "<ListBucketResult><Contents><Key>&y;</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>&#0;</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>&#xD800;</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>&#99999999999;</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>x</Key></Contents>",
        "<ListBucketResult a='></ListBucketResult>",
        "{\"Contents\": []}",
    };
    char deep[256] = "<ListBucketResult>";
    list_page page;
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(read_page(bad[i], &page), STATUS_KIND_CORRUPT, "not a list");
    while (strlen(deep) < 200)
        strncat(deep, "<a>", sizeof deep - strlen(deep) - 1);
    CHECK_FAILS(read_page(deep, &page), STATUS_KIND_CORRUPT, "not a list");
    end();
}

/* ---- files of ~/.aws ---- */

TEST(profiles_are_found)
{
    static const char text[] =
        "# key = 0\n[default]\nkey = 1\n key2=2 2 \r\n[profile other]\nkey\n\nkeys = 4\nkey\t=\t5";
    begin();
    CHECK_TEXT_EQ(config_find(memory, text, "default", "key"), "1");
    CHECK_TEXT_EQ(config_find(memory, text, "default", "key2"), "2 2");
    CHECK_TEXT_EQ(config_find(memory, text, "other", "key"), "5");
    CHECK_TEXT_EQ(config_find(memory, text, "other", "key2"), NULL);
    CHECK_TEXT_EQ(config_find(memory, text, "none", "key"), NULL);
    CHECK_TEXT_EQ(config_find(memory, "[", "", "key"), NULL);
    end();
}

static char *member(const char *json, const char *name)
{
    return identity_member(memory, json, strlen(json), name);
}

TEST(members_of_json_are_found)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":\"\\u0041\"}",
                                      "{\"a\":{\"k\":\"v\"}}",
                                      "{\"a\":\"b",
                                      "{\"k\" \"v\"}",
                                      "{\"k\":\"\n\"}"};
    begin();
    CHECK_TEXT_EQ(member(" {\n\"a\": 1.5e3, \"b\" :null,\"k\":\"v\\/w\\\"x\",\"l\":\"\"}", "k"),
                  "v/w\"x");
    CHECK_TEXT_EQ(member("{\"a\":\"k\",\"l\":\"\"}", "l"), "");
    CHECK_TEXT_EQ(member("{\"a\":\"k\",\"l\":\"\"}", "k"), NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_TEXT_EQ(member(bad[i], "k"), NULL);
    end();
}
