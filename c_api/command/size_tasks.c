// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // fork, pipe, waitpid

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "size.h"

// The SystemC kernel runs one simulation at a time in a process, so that several at a time are
// several processes. Worker k does tasks k, k + workers, ...: what each does does not depend on
// when. All write to one pipe, a record at once, which a pipe keeps whole up to PIPE_BUF.

typedef struct record {
    size_t task;
    chm_status failure; // not of the machine, but of measuring it; the reason is the outcome's
    size_outcome outcome;
} record;

_Static_assert(sizeof(record) <= PIPE_BUF, "records would be torn apart");

static chm_status run_task(const command_line* line, const size_task* task, size_outcome* outcome) {
    return size_measure(line, task->fidelity, task->changes, task->change_count, task->both,
                        outcome);
}

static int run_here(const command_line* line, const size_task* tasks, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        chm_status status = run_task(line, &tasks[i], tasks[i].outcome);
        if (status != chm_ok) {
            return chm_fail("chimera size", status);
        }
    }
    return 0;
}

static bool write_record(int pipe, const record* made) {
    ssize_t written;
    do {
        written = write(pipe, made, sizeof *made);
    } while (written < 0 && errno == EINTR);
    return written == (ssize_t)sizeof *made;
}

// Leaves without what the command does at its end.
static void work(const command_line* line, const size_task* tasks, size_t count, size_t first,
                 int pipe) {
    bool well = true;
    for (size_t i = first; i < count && well; i += line->jobs) {
        record made;
        memset(&made, 0, sizeof made);
        made.task = i;
        made.failure = run_task(line, &tasks[i], &made.outcome);
        well = write_record(pipe, &made) && made.failure == chm_ok;
    }
    _exit(well ? 0 : chm_exit_internal);
}

static bool read_record(int pipe, record* into) {
    size_t filled = 0;
    while (filled < sizeof *into) {
        ssize_t got = read(pipe, (char*)into + filled, sizeof *into - filled);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        filled += got > 0 ? (size_t)got : 0;
    }
    return true;
}

// What the workers say, until the last has ended.
static int collect(const size_task* tasks, size_t count, int pipe) {
    record got;
    size_t done = 0;
    int result = 0;
    while (read_record(pipe, &got)) {
        if (got.failure == chm_ok) {
            *tasks[got.task].outcome = got.outcome;
            ++done;
        } else if (result == 0) {
            fprintf(stderr, "%s: %s\n", chm_status_string(got.failure), got.outcome.reason);
            result = chm_exit_internal;
        }
    }
    if (result == 0 && done < count) {
        fputs("a process that measures has ended before its work\n", stderr);
        result = chm_exit_internal;
    }
    return result;
}

static int run_in_workers(const command_line* line, const size_task* tasks, size_t count) {
    int ends[2];
    uint32_t workers = 0;
    if (pipe(ends) != 0) {
        perror("--jobs");
        return chm_exit_internal;
    }
    int failed = 0;
    for (; workers < line->jobs && failed == 0; ++workers) {
        const pid_t process = fork();
        if (process == 0) {
            close(ends[0]);
            work(line, tasks, count, workers, ends[1]);
        }
        failed = process < 0 ? errno : 0;
    }
    close(ends[1]);
    int result = failed == 0 ? collect(tasks, count, ends[0]) : chm_exit_internal;
    close(ends[0]);
    if (failed != 0) {
        fprintf(stderr, "--jobs: %s\n", strerror(failed));
    }
    for (uint32_t i = failed != 0 ? 1 : 0; i < workers; ++i) {
        while (wait(NULL) < 0 && errno == EINTR) {
        }
    }
    return result;
}

int size_run_tasks(const command_line* line, const size_task* tasks, size_t count) {
    return line->jobs > 1 && count > 1 ? run_in_workers(line, tasks, count)
                                       : run_here(line, tasks, count);
}
