/*
 * A loop of phases. One request per line of stdin, one answer per line of stdout:
 *   run T D        T turns: timers(turn), poll(turn), which calls callback(1), callback(2), callback(3), check(turn); with
 *                  D > 0 the callback(2) of the first turn runs a loop of its own, one turn, with D - 1
 *   jump           poll(-101), which calls callback(101), which jumps back over both; then timers(102)
 *   threads N T    N threads that are there at the same time, each a run of T turns; answers their ids when they have ended
 *   leave          a thread that ends inside callback(7) of poll(-7); answers its id when it has ended
 *   exec PROGRAM   becomes "PROGRAM again" inside callback(8) of poll(-8); with an argument it answers it first
 * Ends at the end of its input, with exit code 0.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keeps a call a call: the compiler must not see that it does nothing. */
#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")

static jmp_buf home;
static char program[4000];
static pthread_barrier_t all_there;

static long run(long turns, long depth);

VISIBLE long callback(long n, long depth) {
    if (n == 2 && depth > 0) {
        run(1, depth - 1);
    } else if (n == 101) {
        longjmp(home, 1);
    } else if (n == 7) {
        pthread_exit(NULL);
    } else if (n == 8) {
        execl(program, program, "again", (char *)NULL);
    }
    OPAQUE;
    return n;
}

VISIBLE long poll_events(long n, long depth) {
    long sum = 0;
    if (n < 0) {
        sum = callback(-n, 0);
    } else {
        for (long i = 1; i <= 3; i++) {
            sum += callback(i, depth);
        }
    }
    OPAQUE;
    return sum;
}

VISIBLE long timers(long n) { OPAQUE; return n; }
VISIBLE long check(long n) { OPAQUE; return n; }

static __attribute__((noinline, noclone)) long run(long turns, long depth) {
    long sum = 0;
    for (long turn = 0; turn < turns; turn++) {
        sum += timers(turn);
        sum += poll_events(turn, turn == 0 ? depth : 0);
        sum += check(turn);
    }
    OPAQUE;
    return sum;
}

struct work {
    long turns;
    pid_t tid;
};

static void *runner(void *argument) {
    struct work *work = argument;
    work->tid = (pid_t)syscall(SYS_gettid);
    run(work->turns, 0);
    pthread_barrier_wait(&all_there);
    return NULL;
}

static void *leaver(void *argument) {
    *(pid_t *)argument = (pid_t)syscall(SYS_gettid);
    poll_events(-7, 0);
    return NULL;
}

int main(int count, char **arguments) {
    char line[4096];
    long a, b;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count > 1) {
        printf("%s\n", arguments[1]);
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "run %ld %ld", &a, &b) == 2) {
            printf("%ld\n", run(a, b));
        } else if (sscanf(line, "threads %ld %ld", &a, &b) == 2) {
            pthread_t ids[16];
            struct work work[16];
            pthread_barrier_init(&all_there, NULL, (unsigned)a);
            for (int i = 0; i < a && i < 16; i++) {
                work[i].turns = b;
                pthread_create(&ids[i], NULL, runner, &work[i]);
            }
            for (int i = 0; i < a && i < 16; i++) {
                pthread_join(ids[i], NULL);
                printf("%s%d", i ? " " : "", work[i].tid);
            }
            printf("\n");
        } else if (sscanf(line, "exec %3999s", program) == 1) {
            poll_events(-8, 0);
        } else if (line[0] == 'j') {
            if (setjmp(home) == 0) {
                poll_events(-101, 0);
            }
            printf("%ld\n", timers(102));
        } else if (line[0] == 'l') {
            pthread_t thread;
            pid_t id = 0;
            pthread_create(&thread, NULL, leaver, &id);
            pthread_join(thread, NULL);
            printf("%d\n", id);
        }
    }
    return 0;
}
