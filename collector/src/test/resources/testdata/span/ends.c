/* A program whose functions begin and end what it does. Reads lines and answers each:
 *   pairs THREADS N    each thread T calls start(T * N + I, "work") and finish(T * N + I, 2 * I) for I in 0..N-1; "done"
 *   across N           one thread calls start(I, "across") for I in 0..N-1, and when it has ended another one
 *                      finish(I, 2 * I); answers the ids of both threads
 *   start ID WHAT      calls start(ID, WHAT); finish ID RESULT: finish(ID, RESULT); "done"
 *   spawn ID WHAT      calls uv_spawn(ID, WHAT); "done"
 *   make N             calls make(N), which returns 10 * N; take V: take(V); "done"
 *   open N             opens and closes /dev/null N times; "done" */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long seen;

long start(long id, const char *what) {
    seen += id + what[0];
    return seen;
}

long uv_spawn(long id, const char *what) {
    return start(id, what);
}

int finish(int id, long result) {
    seen += id + result;
    return (int) seen;
}

long make(long n) {
    seen += n;
    return 10 * n;
}

long take(long v) {
    seen -= v;
    return seen;
}

static long count;

static void *pairs(void *thread) {
    for (long i = 0; i < count; i++) {
        start((long) thread * count + i, "work");
        finish((int) ((long) thread * count + i), 2 * i);
    }
    return NULL;
}

static void *starts(void *tid) {
    *(long *) tid = syscall(SYS_gettid);
    for (long i = 0; i < count; i++) {
        start(i, "across");
    }
    return NULL;
}

static void *finishes(void *tid) {
    *(long *) tid = syscall(SYS_gettid);
    for (long i = 0; i < count; i++) {
        finish((int) i, 2 * i);
    }
    return NULL;
}

int main(void) {
    char line[100];
    char what[100];
    long number;
    long other;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "pairs %ld %ld", &number, &count) == 2) {
            pthread_t ids[16];
            for (long i = 0; i < number; i++) {
                pthread_create(&ids[i], NULL, pairs, (void *) i);
            }
            for (long i = 0; i < number; i++) {
                pthread_join(ids[i], NULL);
            }
        } else if (sscanf(line, "across %ld", &count) == 1) {
            pthread_t id;
            pthread_create(&id, NULL, starts, &number);
            pthread_join(id, NULL);
            pthread_create(&id, NULL, finishes, &other);
            pthread_join(id, NULL);
            printf("%ld %ld\n", number, other);
            continue;
        } else if (sscanf(line, "start %ld %99s", &number, what) == 2) {
            start(number, what);
        } else if (sscanf(line, "spawn %ld %99s", &number, what) == 2) {
            uv_spawn(number, what);
        } else if (sscanf(line, "finish %ld %ld", &number, &other) == 2) {
            finish((int) number, other);
        } else if (sscanf(line, "make %ld", &number) == 1) {
            make(number);
        } else if (sscanf(line, "take %ld", &number) == 1) {
            take(number);
        } else if (sscanf(line, "open %ld", &number) == 1) {
            for (long i = 0; i < number; i++) {
                close(open("/dev/null", O_RDONLY));
            }
        }
        puts("done");
    }
    return 0;
}
