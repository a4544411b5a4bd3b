/* plain_bytes.c - bytes as columns have them. */
#include "plain_bytes.h"

#include "test.h"

void test_fill(uint8_t *out, size_t bytes, unsigned kind)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        switch ((kind + i / 20000) % 8) {
        case 0: /* 8-byte numbers below 2^20 */
            value = i % 8 ? value >> 8 : test_random() % (1 << 20);
            out[i] = (uint8_t)value;
            break;
        case 1: /* ascending by little */
            if (i % 8 == 0)
                value += test_random() % 3;
            out[i] = (uint8_t)(value >> i % 8 * 8);
            break;
        case 2:
            out[i] = (uint8_t)test_random();
            break;
        case 3:
            out[i] = i && test_random() % 40 ? out[i - 1] : (uint8_t)test_random();
            break;
        case 4: { /* periods of 1 to 20 bytes */
            size_t period = 1 + i / 500 % 20;
            out[i] = i >= period && test_random() % 60 ? out[i - period] : (uint8_t)test_random();
            break;
        }
        case 5: /* keys that repeat */
            if (i % 8 == 0)
                value += test_random() % 4 == 0;
            out[i] = (uint8_t)(value >> i % 8 * 8);
            break;
        case 6: /* 8-byte numbers below 2^20, some of which come again */
            value = i % 8 ? value >> 8 : test_random() % (1 << 20);
            out[i] = i >= 800 && i / 8 % 5 == 0 ? out[i - 800] : (uint8_t)value;
            break;
        default: /* words */
            out[i] = (uint8_t)("the furious packages nag slyly "[(i + i / 97 * 5) % 31]);
            if (test_random() % 50 == 0)
                out[i] = (uint8_t)test_random();
        }
}
