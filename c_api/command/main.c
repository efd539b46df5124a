// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // fcntl, open

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

const subcommand chm_subcommands[] = {
    {"run", "PLATFORM PROGRAM|CONFIGURATION", "Run a program.", "edtnsojfkvTPSWF", 1, 2,
     chm_command_run},
    {"compare", "PLATFORM PROGRAM|CONFIGURATION", "The same program with the engine off and on.",
     "dtnsojfvTPSWF", 1, 2, chm_command_compare},
    {"explain", "PROGRAM", "What the engine decides for a program, and why.", "spaj", 1, 1,
     chm_command_explain},
    {"replay", "PLATFORM GRAPH.csv", "Replay a message graph, no engine.", "nsjftvTPSWF", 2, 2,
     chm_command_replay},
    {"load", "PLATFORM", "Offer random traffic and see what the network takes.", "nsjwrcbumxfF", 1,
     1, chm_command_load},
    {"size", "PLATFORM PROGRAM|CONFIGURATION",
     "Vary hardware parameters one at a time: slopes, knees, what binds.", "snfjqgJ", 1, 2,
     chm_command_size},
    {"dump", "PLATFORM PROGRAM|CONFIGURATION",
     "Everything that decides a run, as one file that run takes.", "edtnsfF", 1, 2,
     chm_command_dump},
    {"topology", "PLATFORM [STATISTICS.json]",
     "Draw a platform (SVG), with the links' loads of a run.", "s", 1, 2, chm_command_topology},
    {"list", "platforms|programs|parameters|schema|reference",
     "List what is shipped, or every key.", "j", 1, 1, chm_command_list},
    {"validate", "FILE...", "Check platform, program and message graph files.", "", 1, 1 << 20,
     chm_command_validate},
};

const int chm_subcommand_count = sizeof chm_subcommands / sizeof chm_subcommands[0];

static void print_usage(FILE* out) {
    fputs("Usage: chimera COMMAND [ARGUMENTS] [OPTIONS]\n\n", out);
    for (int i = 0; i < chm_subcommand_count; ++i) {
        const subcommand* command = &chm_subcommands[i];
        fprintf(out, "  %-9s %-30s %s\n", command->name, command->usage, command->about);
    }
    fputs("\n'chimera COMMAND --help' lists the options of a command.\n"
          "Exit status: 0; 1 data different, deadlock or unreachable; 2 bad input; 3 internal "
          "error.\n",
          out);
}

static const subcommand* find(const char* name) {
    for (int i = 0; i < chm_subcommand_count; ++i) {
        if (strcmp(chm_subcommands[i].name, name) == 0) {
            return &chm_subcommands[i];
        }
    }
    return NULL;
}

// A file opened while a standard stream is closed would take its number, and get what is printed.
// Taken up the wrong way round, the stream stays one that cannot be read or written.
static bool take_standard_streams(void) {
    for (int i = 0; i <= 2; ++i) {
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == 0 ? O_WRONLY : O_RDONLY) != i) {
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv) {
    if (!take_standard_streams()) {
        return chm_exit_internal;
    }
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return chm_printed();
    }
    if (argc >= 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("chimera %s\n", chm_version());
        return chm_printed();
    }
    const subcommand* command = argc >= 2 ? find(argv[1]) : NULL;
    if (command == NULL) {
        if (argc >= 2) {
            fprintf(stderr, "argument COMMAND: got '%s'\n", argv[1]);
        }
        print_usage(stderr);
        return chm_exit_usage;
    }
    command_line parsed;
    int status = chm_command_line_parse(command, argc, argv, &parsed);
    if (status == 0) {
        status = command->run(&parsed);
    }
    chm_command_line_free(&parsed);
    return status;
}
