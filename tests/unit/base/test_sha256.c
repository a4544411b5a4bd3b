/* test_sha256.c - SHA-256 and HMAC against the vectors that FIPS 180-4 and RFC 4231 publish. */
#include "test.h"

#include "base/system/sha256.h"

static const char *hex(const uint8_t bytes[SHA256_BYTES])
{
    static char text[2 * SHA256_BYTES + 1];
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static const char *hash_of(const char *text, size_t step)
{
    sha256 hash;
    uint8_t out[SHA256_BYTES];
    size_t count = strlen(text);
    sha256_begin(&hash);
    for (size_t at = 0; at < count; at += step)
        sha256_add(&hash, text + at, count - at < step ? count - at : step);
    sha256_end(&hash, out);
    return hex(out);
}

TEST(published_hashes)
{
    CHECK_TEXT_EQ(hash_of("", 1),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT_EQ(hash_of("abc", 2),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *long_text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t step = 1; step < 60; step += 7)
        CHECK_TEXT_EQ(hash_of(long_text, step),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(a_million_letters)
{
    sha256 hash;
    uint8_t out[SHA256_BYTES];
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    sha256_begin(&hash);
    for (unsigned i = 0; i < 1000; i++)
        sha256_add(&hash, letters, sizeof letters);
    sha256_end(&hash, out);
    CHECK_TEXT_EQ(hex(out), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static const char *mac_of(const void *key, size_t key_bytes, const void *text, size_t count)
{
    hmac_sha256 mac;
    uint8_t out[SHA256_BYTES];
    hmac_sha256_begin(&mac, key, key_bytes);
    hmac_sha256_add(&mac, text, count);
    hmac_sha256_end(&mac, out);
    return hex(out);
}

TEST(published_macs)
{
    uint8_t key[131], data[50];
    memset(key, 0x0b, 20);
    CHECK_TEXT_EQ(mac_of(key, 20, "Hi There", 8),
                  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK_TEXT_EQ(mac_of("Jefe", 4, "what do ya want for nothing?", 28),
                  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    memset(data, 0xdd, sizeof data);
    CHECK_TEXT_EQ(mac_of(key, 20, data, 50),
                  "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    CHECK_TEXT_EQ(mac_of(key, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 54),
                  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(equal_in_all_bytes)
{
    uint8_t a[SHA256_BYTES] = {0}, b[SHA256_BYTES] = {0};
    CHECK(sha256_is_equal(a, b));
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        b[i] = 0x80;
        CHECK(!sha256_is_equal(a, b));
        b[i] = 0;
    }
}
