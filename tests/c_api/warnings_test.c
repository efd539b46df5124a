/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a platform that is allowed and seldom meant. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "chimera.h"

static const char locking[] =
    "platform: graph\nname: turntable\n"
    "nodes: [{name: a, dies: 1}, {name: b, dies: 1}, {name: c, dies: 1}]\n"
    "links: [{from: a, to: b}, {from: b, to: c}, {from: c, to: a, count: 2}]\n"
    "routing: table\n"
    "routes:\n"
    "  - {at: a, to: 1..2, over: b}\n"
    "  - {at: b, to: [0, 2], over: c}\n"
    "  - {at: c, to: 0..1, over: a, link: 1}\n";

static char path[] = "/tmp/chimera_warnings_XXXXXX";

static char* warnings_of(const char* name) {
    chm_platform* platform = NULL;
    chm_report* report = NULL;
    CHECK(chm_platform_load(&platform, name, NULL) == chm_ok);
    CHECK(chm_platform_warnings(&report, platform) == chm_ok);
    char* text = strdup(chm_report_text(report));
    chm_report_free(report);
    chm_platform_free(platform);
    return text;
}

/* a to b is held by packets from a to c, which ask for b to c, and so on; the class is left out. */
static void a_table_that_locks(void) {
    char* text = warnings_of(path);
    CHECK_CONTAINS(text, "routes of turntable may lock: each of these 3 channels");
    CHECK_CONTAINS(text, "  a to b, by packets from die 0 to die 2\n");
    CHECK_CONTAINS(text, "  b to c, by packets from die 1 to die 0\n");
    CHECK_CONTAINS(text, "  c to a link 1, by packets from die 2 to die 1\n");
    free(text);
}

static void shipped_platforms_have_none(void) {
    static const char* const names[] = {"two_racks", "mesh_5x5", "torus_4x4",   "fat_tree_4x8",
                                        "ring_8",    "switch_8", "pcie_box_2x4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char* text = warnings_of(names[i]);
        CHECK(*text == '\0');
        free(text);
    }
}

static void arguments_are_checked(void) {
    chm_report* report = NULL;
    CHECK(chm_platform_warnings(&report, NULL) == chm_bad_argument && report == NULL);
    CHECK(chm_platform_warnings(NULL, NULL) == chm_bad_argument);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"a_table_that_locks", a_table_that_locks},
        {"shipped_platforms_have_none", shipped_platforms_have_none},
        {"arguments_are_checked", arguments_are_checked},
    };
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, locking, sizeof locking - 1) == (ssize_t)(sizeof locking - 1));
    close(fd);
    int result = chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
    remove(path);
    return result;
}
