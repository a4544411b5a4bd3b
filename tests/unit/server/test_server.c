/* test_server.c - parts of the server that need no client: messages, SCRAM against RFC 7677's example, verifiers, the
 * session's own statements, decimals in binary. test_label: not-tsan */
#include "test.h"

#include "base/type/pg_type.h"
#include "server/access/base64.h"
#include "server/access/scram.h"
#include "server/access/users.h"
#include "server/engine.h"
#include "server/protocol/decode.h"
#include "server/protocol/failure.h"
#include "server/protocol/pg_setting.h"
#include "server/session/command.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_ok(status st)
{
    CHECK_TEXT_EQ(status_message(st), "");
    status_free(st);
}

static void check_fails(status st, const char *part)
{
    if (!strstr(status_message(st), part))
        CHECK_TEXT_EQ(status_message(st), part);
    status_free(st);
}

/* ---- messages ---- */

TEST(fields_are_read_within_their_message)
{
    static const char bytes[] = "\1\2\3\4\5\6\7text\0z";
    wire_reader r = {.at = bytes, .end = bytes + sizeof bytes - 1};
    CHECK_EQ(wire_read_byte(&r), 1);
    CHECK_EQ(wire_read_16(&r), 0x0203);
    CHECK_EQ(wire_read_32(&r), 0x04050607);
    CHECK_TEXT_EQ(wire_read_text(&r), "text");
    check_fails(wire_end(&r, "X"), "a message X is longer than its fields");
    CHECK_TEXT_EQ(wire_read_text(&r), ""); /* no NUL */
    CHECK(r.is_broken);
    CHECK_EQ(wire_read_byte(&r), 0);
    CHECK(!wire_read_bytes(&r, 1));
    check_fails(wire_end(&r, "X"), "shorter than its fields");
    r = (wire_reader){.at = bytes, .end = bytes + 3};
    CHECK(!wire_read_bytes(&r, SIZE_MAX));
    CHECK_EQ(wire_read_32(&r), 0);
}

TEST(messages_have_their_length)
{
    wire_writer w = {0};
    wire_begin(&w, 'X');
    wire_16(&w, 0x0102);
    wire_text(&w, "a");
    wire_finish(&w);
    CHECK_EQ(w.bytes.count, 9);
    CHECK(!memcmp(w.bytes.items, "X\0\0\0\10\1\2a\0", 9));
    wire_cut(&w, 0);
    failure_write(&w, status_at(status_new(STATUS_KIND_INVALID, "syntax error x"), 5),
                  "'\xc3\xa4' x", 0);
    CHECK(memmem(w.bytes.items, w.bytes.count, "C42601", 7));
    CHECK(memmem(w.bytes.items, w.bytes.count, "P5", 3)); /* in characters, from 1 */
    check_ok(wire_status(&w));
    wire_release(&w);
}

/* ---- passwords ---- */

TEST(base64_of_the_rfc)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[BASE64_ROOM(6)];
        uint8_t bytes[6];
        size_t count;
        base64_write((const uint8_t *)pairs[i][0], strlen(pairs[i][0]), text);
        CHECK_TEXT_EQ(text, pairs[i][1]);
        CHECK(base64_read(text, strlen(text), bytes, sizeof bytes, &count));
        CHECK_EQ(count, strlen(pairs[i][0]));
        CHECK(!memcmp(bytes, pairs[i][0], count));
    }
    static const char *const wrong[] = {
        "Z", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9!", "Zm9vZm9vZm9v"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t bytes[6];
        size_t count;
        CHECK(!base64_read(wrong[i], strlen(wrong[i]), bytes, sizeof bytes, &count));
    }
}

/* RFC 7677, section 3. */
#define NONCE "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
#define LAST "c=biws,r=" NONCE ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="

static void set_example(scram_exchange *e)
{
    uint8_t salt[SCRAM_SALT_BYTES];
    size_t bytes;
    CHECK(base64_read("W22ZaJ0SNY7soEsUEjb6gQ==", 24, salt, sizeof salt, &bytes));
    *e = (scram_exchange){.client_first = "n=user,r=rOprNGfwEbeRWgbNEkqO",
                          .head = "n,,",
                          .server_first = "r=" NONCE ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                          .nonce = NONCE};
    scram_make("pencil", 6, salt, bytes, 4096, &e->verifier);
}

TEST(scram_of_the_rfc)
{
    scram_exchange e;
    bool is_right;
    char answer[64];
    set_example(&e);
    check_ok(scram_finish(&e, LAST, strlen(LAST), &is_right, answer));
    CHECK(is_right);
    CHECK_TEXT_EQ(answer, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    e.verifier.stored_key[0] ^= 1;
    check_ok(scram_finish(&e, LAST, strlen(LAST), &is_right, answer));
    CHECK(!is_right);
    set_example(&e);
    static const char *const wrong[] = {"",
                                        "c=biws",
                                        "c=eSws,r=" NONCE ",p=AAAA",
                                        "c=biws,r=other,p=AAAA",
                                        "c=biws,r=" NONCE,
                                        "c=biws,r=" NONCE ",p=AAAA",
                                        "c=biws,r=" NONCE ",p=",
                                        "c=biws,r=" NONCE "xp=dHzb"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_fails(scram_finish(&e, wrong[i], strlen(wrong[i]), &is_right, answer),
                    "exchange is wrong");
        CHECK(!is_right);
    }
}

TEST(first_messages)
{
    static const uint8_t nonce[SCRAM_NONCE_BYTES] = {0};
    static const char *const wrong[] = {"",
                                        "n",
                                        "n,,",
                                        "n,,n=",
                                        "n,,n=,r=",
                                        "p=tls-unique,,n=,r=x",
                                        "n,a=x,n=,r=x",
                                        "n,,m=x,n=,r=x"};
    scram_exchange e;
    set_example(&e);
    check_ok(scram_begin(&e, "y,,n=,r=abc", 11, nonce));
    CHECK_TEXT_EQ(e.server_first,
                  "r=abcAAAAAAAAAAAAAAAAAAAAAAAA,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_fails(scram_begin(&e, wrong[i], strlen(wrong[i]), nonce), "exchange is wrong");
    char *longest = mem_new(4000);
    memset(longest, 'x', 3999);
    check_fails(scram_begin(&e, longest, 3999, nonce), "too long");
    check_fails(scram_begin(&e, "n,,n=\0,r=x", 10, nonce), "too long");
    mem_free(longest);
}

TEST(verifiers)
{
    scram_exchange e;
    scram_verifier read;
    char text[SCRAM_VERIFIER_BYTES];
    set_example(&e);
    scram_write(&e.verifier, text);
    CHECK(scram_read(text, strlen(text), &read));
    CHECK(!memcmp(&read, &e.verifier, sizeof read));
    for (size_t cut = 0; cut < strlen(text); cut++)
        CHECK(!scram_read(text, cut, &read));
    CHECK(!scram_read("SCRAM-SHA-256$99999999999:W22Z$", 31, &read));
    CHECK(!scram_read("md5abc", 6, &read));
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

TEST(file_of_users)
{
    char folder[] = "/tmp/pistachio-users-XXXXXX", path[64];
    bool is_there;
    scram_verifier v;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/users", folder);
    check_fails(users_find(path, "anna", &is_there, &v), "could not read");
    check_ok(users_add(path, "anna", "one", 3));
    check_ok(users_add(path, "bob", "two", 3));
    scram_verifier first, second;
    check_ok(users_find(path, "anna", &is_there, &first));
    CHECK(is_there);
    check_ok(users_add(path, "anna", "three", 5));
    check_ok(users_find(path, "anna", &is_there, &second));
    CHECK(memcmp(first.stored_key, second.stored_key, SHA256_BYTES) != 0);
    check_ok(users_find(path, "ann", &is_there, &v));
    CHECK(!is_there);
    check_ok(users_find(path, "bob", &is_there, &v));
    CHECK(is_there);
    check_fails(users_add(path, "a b", "x", 1), "a user's name");
    check_fails(users_add(path, "#a", "x", 1), "a user's name");
    check_fails(users_add(path, "a", "", 0), "is empty");
    CHECK(!chmod(path, 0620));
    check_fails(users_find(path, "bob", &is_there, &v), "can be written by others");
    CHECK(!chmod(path, 0600));
    write_file(path, "# nothing\n\nanna\n");
    check_fails(users_find(path, "bob", &is_there, &v), "line 3 of");
    write_file(path, "anna SCRAM-SHA-256$x");
    check_fails(users_find(path, "anna", &is_there, &v), "line 1 of");
    role_limits limits;
    write_file(
        path, "anna SCRAM-SHA-256$x  group=etl priority=high\ttimeout=60 rows=7 \r\nbob x rows=-1");
    check_ok(users_limits(path, "anna", &limits));
    CHECK(!strcmp(limits.group, "etl") && limits.weight > 4);
    CHECK(limits.milliseconds == 60000 && limits.rows == 7);
    check_fails(users_limits(path, "bob", &limits), "line 2 of");
    check_ok(users_limits(path, "carl", &limits));
    CHECK(!strcmp(limits.group, ROLE_GROUP_DEFAULT) && !limits.rows && !limits.milliseconds);
    write_file(path, "anna x priority=urgent\n");
    check_fails(users_limits(path, "anna", &limits), "line 1 of");
    write_file(path, "anna x timeout=99999999999999999999\n");
    check_fails(users_limits(path, "anna", &limits), "line 1 of");
    write_file(path, "anna x rows=7\n");
    check_ok(users_add(path, "anna", "one", 3)); /* keeps what limits it */
    check_ok(users_limits(path, "anna", &limits));
    CHECK(limits.rows == 7);
    write_file(path, "");
    check_ok(users_find(path, "anna", &is_there, &v));
    CHECK(!is_there);
    unlink(path);
    rmdir(folder);
}

/* ---- the session's own statements ---- */

static void check_command(const char *sql, command_kind kind, const char *text, const char *rest)
{
    command c;
    const char *after = sql;
    check_ok(command_read(sql, &c, &after));
    CHECK_EQ(c.kind, kind);
    CHECK_TEXT_EQ(c.text, text);
    CHECK_TEXT_EQ(after, rest);
}

TEST(commands)
{
    check_command("begin", COMMAND_BEGIN, "", "");
    check_command("/* a */ BeGiN work; select 1", COMMAND_BEGIN, "", " select 1");
    check_command("start transaction isolation level serializable;", COMMAND_BEGIN, "", "");
    check_command("start", COMMAND_NONE, "", "start");
    check_command("beginning", COMMAND_NONE, "", "beginning");
    check_command("rollback to savepoint x", COMMAND_ROLLBACK_TO, "x", "");
    check_command("rollback", COMMAND_ROLLBACK, "", "");
    check_command("select 'begin'", COMMAND_NONE, "", "select 'begin'");
    check_command("set application_name to 'a''b'", COMMAND_SET, "a'b", "");
    check_command("set session application_name = x ;set", COMMAND_SET, "x", "set");
    check_command("set datestyle = ISO, MDY", COMMAND_SET, "ISO, MDY", "");
    check_command("set names 'utf8'", COMMAND_SET, "utf8", "");
    check_command("set threads = 1", COMMAND_NONE, "", "set threads = 1");
    check_command("set application_name", COMMAND_NONE, "", "set application_name");
    check_command("show server_version", COMMAND_SHOW, "", "");
    check_command("show tables", COMMAND_NONE, "", "show tables");
    check_command("deallocate prepare \"A b\"", COMMAND_DEALLOCATE, "A b", "");
    check_command("deallocate Abc", COMMAND_DEALLOCATE, "abc", "");
    check_command("close all", COMMAND_CLOSE, "", "");
    check_command("set application_name = 'x", COMMAND_NONE, "", "set application_name = 'x");
    check_command("", COMMAND_NONE, "", "");
    static const char begin[] = "set application_name = '";
    char *sql = mem_new(2000);
    memcpy(sql, begin, sizeof begin - 1);
    memset(sql + sizeof begin - 1, 'x', 1000);
    sql[sizeof begin + 999] = '\'';
    command c;
    const char *rest;
    check_fails(command_read(sql, &c, &rest), "more than 255 bytes");
    mem_free(sql);
}

TEST(settings)
{
    pg_settings s;
    wire_writer w = {0};
    pg_settings_init(&s);
    int number = pg_setting_find("DATESTYLE", 9);
    CHECK_TEXT_EQ(pg_setting_name(number), "DateStyle");
    check_ok(pg_setting_set(&s, number, "iso, ymd", &w));
    CHECK_TEXT_EQ(pg_setting_get(&s, number), "iso, ymd");
    CHECK(memmem(w.bytes.items, w.bytes.count, "DateStyle\0iso, ymd", 19));
    check_fails(pg_setting_set(&s, number, "German", &w), "is not supported for DateStyle");
    check_fails(pg_setting_set(&s, pg_setting_find("server_version", 14), "9", &w),
                "cannot be changed");
    CHECK_EQ(pg_setting_find("server_versio", 13), -1);
    check_ok(pg_settings_reset(&s, &w));
    CHECK_TEXT_EQ(pg_setting_get(&s, number), "ISO, MDY");
    wire_release(&w);
}

/* ---- decimals ---- */

static void check_numeric(const char *bytes, size_t count, const char *expected)
{
    value v;
    char text[64];
    check_ok(decode_value(PG_NUMERIC, ENCODE_BINARY, bytes, count, &v));
    value_format(&v, text, sizeof text);
    CHECK_TEXT_EQ(text, expected);
}

/* Digits to the base 10,000: count, weight, sign, decimals, digits. */
TEST(binary_decimals)
{
    check_numeric("\0\0\0\0\0\0\0\0", 8, "0");
    check_numeric("\0\0\0\0\0\0\0\2", 8, "0.00");
    check_numeric("\0\1\0\0\0\0\0\0\0\7", 10, "7");
    check_numeric("\0\1\0\1\0\0\0\0\0\7", 10, "70000");
    check_numeric("\0\2\0\0\100\0\0\1\0\7\x13\x88", 12, "-7.5"); /* 5000 */
    check_numeric("\0\1\xff\xff\0\0\0\3\0\12", 10, "0.001");     /* 10 of 10,000 */
    check_numeric("\0\1\xff\xff\0\0\0\2\x04\xd2", 10,
                  "0.12"); /* 1234, of which two decimals are wanted */
    value v;
    check_fails(decode_value(PG_NUMERIC, ENCODE_BINARY, "\0\2\0\0\0\0\0\0\0\1", 10, &v),
                "fewer bytes than one of type numeric");
    check_fails(decode_value(PG_NUMERIC, ENCODE_TEXT, "1e400", 5, &v), "at most 38 digits");
    check_ok(decode_value(PG_NUMERIC, ENCODE_TEXT, "-1.5e-3", 7, &v));
    CHECK_EQ(v.type.scale, 4);
}

TEST(states_of_failures)
{
    static const struct {
        status_kind kind;
        const char *message, *state;
    } cases[] = {
        {STATUS_KIND_NOT_FOUND, "table \"x\" does not exist", "42P01"},
        {STATUS_KIND_NOT_FOUND, "setting", "42704"},
        {STATUS_KIND_CANCELLED, "cancelled", "57014"},
        {STATUS_KIND_UNSUPPORTED, "a path is not allowed: enable_external_access is off", "42501"},
        {STATUS_KIND_DATA, "division by zero", "22012"},
        {STATUS_KIND_DATA, "overflow", "22000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        status st = status_new(cases[i].kind, "%s", cases[i].message);
        CHECK_TEXT_EQ(failure_state(st), cases[i].state);
        status_free(st);
    }
}

TEST(messages_to_clients_are_bounded)
{
    wire_writer out = {0};
    wire_begin(&out, 'D');
    CHECK(!wire_room(&out, WIRE_BYTES_MAX));
    status st = wire_status(&out);
    CHECK_EQ((int)status_get_kind(st), (int)STATUS_KIND_LIMIT);
    status_free(st);
    wire_cut(&out, 0);
    CHECK_OK(wire_status(&out));
    CHECK(wire_room(&out, 10));
    wire_release(&out);
}
