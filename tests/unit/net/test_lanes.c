/* test_lanes.c - what UCX prints of an endpoint, as people read it. */
#include "test.h"

#include "net/ucx/lanes.h"

static const char *text_of(const char *printed)
{
    static char text[LANES_TEXT_BYTES];
    lanes_text(printed, text);
    return text;
}

TEST(transports_of_lanes)
{
    CHECK_TEXT_EQ(text_of(""), "ucx");
    CHECK_TEXT_EQ(text_of("#\n# UCP endpoint 0x7f\n#   peer: <no debug data>\n"), "ucx");
    CHECK_TEXT_EQ(text_of("# UCP endpoint 0x7f\n"
                          "#      lane[0]:  2:tcp/eth0.0 md[1] -> md[1]/tcp/sysdev[255] am wireup\n"
                          "#      lane[1]:  2:tcp/eth0.1 md[1] -> md[1]/tcp/sysdev[255] am_bw#1\n"
                          "#      lane[2]: 12:rc_mlx5/mlx5_0:1.0 md[4] -> md[4]/ib am_bw#2\n"),
                  "ucx tcp/eth0, rc_mlx5/mlx5_0:1");
    CHECK_TEXT_EQ(text_of("lane[0]: 0:a\nlane[1]: 1:ab\nlane[2]: 2:a"), "ucx a, ab");
    CHECK_TEXT_EQ(text_of("lane[0]"), "ucx");
    CHECK_TEXT_EQ(text_of("lane[0]:"), "ucx");
}
