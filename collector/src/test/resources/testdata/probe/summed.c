/*
 * Makes a known number of system calls. One request per line of stdin, one answer per line of stdout:
 *   loop N         N times getppid
 *   threads T N    T threads, each N times getppid; answers the threads' ids
 *   fork N         a child calls getppid N times and ends; answers its pid
 *   exec N         executes itself, then N times getppid
 *   fail N         N times close(-1)
 *   again N        N times read from an empty pipe that does not block
 *   open           opens /dev/null and closes it
 *   sleep MS       clock_nanosleep
 *   naps N         N times clock_nanosleep for 50 us
 *   usage          answers how often the thread has left its cpu (getrusage)
 * Ends at the end of its input, with exit code 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void loop(long n) {
    for (long i = 0; i < n; i++) {
        syscall(SYS_getppid);
    }
}

struct work {
    long count;
    pid_t tid;
};

static void *looper(void *argument) {
    struct work *work = argument;
    work->tid = (pid_t)syscall(SYS_gettid);
    loop(work->count);
    return NULL;
}

static void threads(int n, long count) {
    pthread_t ids[16];
    struct work work[16];
    for (int i = 0; i < n && i < 16; i++) {
        work[i].count = count;
        pthread_create(&ids[i], NULL, looper, &work[i]);
    }
    for (int i = 0; i < n && i < 16; i++) {
        pthread_join(ids[i], NULL);
        printf("%s%d", i ? " " : "", work[i].tid);
    }
    printf("\n");
}

int main(int count, char **arguments) {
    char line[256], byte, text[32];
    long a, b;
    int ends[2];
    /* A line at a time: what is in a buffer is lost when the program is executed anew. */
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pipe2(ends, O_NONBLOCK) != 0) {
        return 1;
    }
    if (count > 1) {
        loop(atol(arguments[1]));
        printf("ok\n");
    }
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "loop %ld", &a) == 1) {
            loop(a);
        } else if (sscanf(line, "threads %ld %ld", &a, &b) == 2) {
            threads((int)a, b);
            continue;
        } else if (sscanf(line, "fork %ld", &a) == 1) {
            pid_t child = fork();
            if (child == 0) {
                loop(a);
                _exit(0);
            }
            waitpid(child, NULL, 0);
            printf("%d\n", child);
            continue;
        } else if (sscanf(line, "exec %ld", &a) == 1) {
            snprintf(text, sizeof text, "%ld", a);
            execl("/proc/self/exe", arguments[0], text, (char *)NULL);
            return 1;
        } else if (sscanf(line, "fail %ld", &a) == 1) {
            for (long i = 0; i < a; i++) {
                close(-1);
            }
        } else if (sscanf(line, "again %ld", &a) == 1) {
            for (long i = 0; i < a; i++) {
                if (read(ends[0], &byte, 1) != -1) {
                    return 1;
                }
            }
        } else if (sscanf(line, "sleep %ld", &a) == 1) {
            struct timespec time = {a / 1000, a % 1000 * 1000000};
            clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
        } else if (sscanf(line, "naps %ld", &a) == 1) {
            struct timespec time = {0, 50000};
            for (long i = 0; i < a; i++) {
                clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
            }
        } else if (strcmp(line, "usage\n") == 0) {
            struct rusage usage;
            getrusage(RUSAGE_THREAD, &usage);
            printf("%ld\n", usage.ru_nvcsw + usage.ru_nivcsw);
            continue;
        } else {
            close(open("/dev/null", O_RDONLY));
        }
        printf("ok\n");
    }
    return 0;
}
