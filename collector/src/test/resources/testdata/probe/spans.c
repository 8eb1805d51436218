/*
 * Calls probed functions in ways that are hard to pair. One request per line of stdin, one answer per line of stdout:
 *   twice N        calls twice(i) for i in 0..N-1
 *   threads T N    T threads, each twice(i) for i in 0..N-1; answers the threads' ids
 *   recurse N      calls recurse(N): N nested calls (recurse(1) is the innermost), answers N
 *   nest N         calls outer(i) for i in 0..N-1, which calls inner(i) and inner(-i)
 *   types          calls signed_types, unsigned_types, words, members
 *   say WORD       calls say(WORD)
 *   nothing        calls say(NULL), then say("")
 *   wild           calls say(an address that is not mapped)
 *   mapped FILE N  maps FILE anew, calls say(its byte N): no page of it was ever touched
 *   edge           calls say() with a text that ends with the last byte of the last page of a mapping
 *   jump N         N times: setjmp, then jumper(i) -> landing(i), which jumps back over both
 *   block          a thread calls blocked(7) and stays in it; answers its id
 *   unblock        lets it go, waits for its end
 *   leave          a thread ends inside blocked(9); answers its id when it has ended
 *   point          calls fill(&p, 5), which sets p.result to 55 and p.name to "done"
 *   calls          a fixed series of system calls, see system_calls()
 *   fork           a child calls twice(3) and ends; answers its pid
 *   spawn PROGRAM  a child executes PROGRAM; answers its pid when it has ended
 *   rename NAME    a thread of that name starts and ends; answers its id
 * Ends at the end of its input, with exit code 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Keeps a call a call: the compiler must not see that it does nothing. */
#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")

struct point {
    int x;
    signed char small;
    const char *name;
    long result;
};

VISIBLE long twice(long n) { OPAQUE; return 2 * n; }
VISIBLE long recurse(long n) {
    long inner = n > 1 ? recurse(n - 1) : 0;
    OPAQUE;
    return inner + 1;
}
VISIBLE long inner(long n) { OPAQUE; return n + 1; }
VISIBLE long outer(long n) {
    long sum = inner(n) + inner(-n);
    OPAQUE;
    return sum;
}
VISIBLE int signed_types(int8_t a, int16_t b, int32_t c, int64_t d) { OPAQUE; return (int)(a + b + c + d); }
VISIBLE unsigned unsigned_types(uint8_t a, uint16_t b, uint32_t c, uint64_t d) {
    OPAQUE;
    return (unsigned)(a + b + c + d);
}
VISIBLE int8_t words(void *p, int flag, long a3, long a4, long a5, long a6) {
    OPAQUE;
    return p != NULL && flag && a3 + a4 + a5 + a6 ? -1 : 0;
}
VISIBLE int members(struct point *p) { OPAQUE; return p->x; }
VISIBLE long say(const char *text) { OPAQUE; return text == NULL ? -1 : 1; }
VISIBLE long fill(struct point *p, long n) {
    OPAQUE;
    p->result = 11 * n;
    p->name = "done";
    return 0;
}

static jmp_buf home;
VISIBLE long landing(long n) { OPAQUE; longjmp(home, 1); return n; }
VISIBLE long jumper(long n) {
    long result = landing(n);
    OPAQUE;
    return result;
}

static sem_t began;
static int gate_pipe[2];
static pthread_t blocked_thread;
VISIBLE long blocked(long n) {
    char byte = 0;
    long got = 0;
    if (n == 9) {
        pthread_exit(NULL);
    }
    sem_post(&began);
    got = read(gate_pipe[0], &byte, 1);
    OPAQUE;
    return n + got;
}

static pid_t tid(void) { return (pid_t)syscall(SYS_gettid); }

struct work {
    long count;
    pid_t tid;
};

static void *doubler(void *argument) {
    struct work *work = argument;
    work->tid = tid();
    for (long i = 0; i < work->count; i++) {
        twice(i);
    }
    return NULL;
}

static void threads(int n, long count) {
    pthread_t ids[16];
    struct work work[16];
    for (int i = 0; i < n && i < 16; i++) {
        work[i].count = count;
        pthread_create(&ids[i], NULL, doubler, &work[i]);
    }
    for (int i = 0; i < n && i < 16; i++) {
        pthread_join(ids[i], NULL);
        printf("%s%d", i ? " " : "", work[i].tid);
    }
    printf("\n");
}

static void *blocker(void *argument) {
    *(pid_t *)argument = tid();
    blocked(7);
    return NULL;
}

static void *leaver(void *argument) {
    *(pid_t *)argument = tid();
    blocked(9);
    return NULL;
}

static void *named(void *argument) {
    pthread_setname_np(pthread_self(), argument);
    return (void *)(long)tid();
}

static long say_mapped(const char *file, long offset) {
    int fd = open(file, O_RDONLY);
    struct stat info;
    fstat(fd, &info);
    char *text = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    /* Neither read ahead nor map around a fault: every page must be asked for. */
    madvise(text, (size_t)info.st_size, MADV_RANDOM);
    long result = say(text + offset);
    munmap(text, (size_t)info.st_size);
    close(fd);
    return result;
}

static long say_edge(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + page, (size_t)page);
    memcpy(pages + page - 5, "edge", 5);
    long result = say(pages + page - 5);
    munmap(pages, (size_t)page);
    return result;
}

/* openat(missing) = ENOENT, openat("/dev/null"), 3 x getpid, write(1 byte), rename(missing), close, close(-1) */
static void system_calls(void) {
    char missing[] = "/no/such/file", other[] = "/no/such/other";
    syscall(SYS_openat, AT_FDCWD, missing, O_RDONLY, 0);
    long fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC, 0);
    syscall(SYS_getpid);
    syscall(SYS_getpid);
    syscall(SYS_getpid);
    syscall(SYS_write, fd, "x", 1);
    syscall(SYS_renameat, AT_FDCWD, missing, AT_FDCWD, other);
    syscall(SYS_close, fd);
    syscall(SYS_close, -1);
}

static void types(void) {
    struct point p = {-7, -3, "origin", 0};
    signed_types(-1, -300, -70000, -5000000000L);
    unsigned_types(255, 65535, 4294967295u, 18446744073709551615ul);
    words(&p, 1, 3, 4, 5, 6);
    members(&p);
}

int main(void) {
    char line[4096], word[4000];
    long a, b;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pipe(gate_pipe) != 0) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "twice %ld", &a) == 1) {
            for (long i = 0; i < a; i++) {
                twice(i);
            }
            printf("%ld\n", a);
        } else if (sscanf(line, "threads %ld %ld", &a, &b) == 2) {
            threads((int)a, b);
        } else if (sscanf(line, "recurse %ld", &a) == 1) {
            printf("%ld\n", recurse(a));
        } else if (sscanf(line, "nest %ld", &a) == 1) {
            for (long i = 0; i < a; i++) {
                outer(i);
            }
            printf("%ld\n", a);
        } else if (strcmp(line, "types\n") == 0) {
            types();
            printf("ok\n");
        } else if (sscanf(line, "say %3999s", word) == 1) {
            printf("%ld\n", say(word));
        } else if (strcmp(line, "nothing\n") == 0) {
            printf("%ld\n", say(NULL) + say(""));
        } else if (strcmp(line, "wild\n") == 0) {
            printf("%ld\n", say((const char *)16));
        } else if (sscanf(line, "mapped %3999s %ld", word, &a) == 2) {
            printf("%ld\n", say_mapped(word, a));
        } else if (strcmp(line, "edge\n") == 0) {
            printf("%ld\n", say_edge());
        } else if (sscanf(line, "jump %ld", &a) == 1) {
            for (volatile long i = 0; i < a; i++) {
                if (setjmp(home) == 0) {
                    jumper(i);
                }
            }
            printf("%ld\n", a);
        } else if (strcmp(line, "block\n") == 0) {
            static pid_t id;
            pthread_create(&blocked_thread, NULL, blocker, &id);
            sem_wait(&began);
            printf("%d\n", id);
        } else if (strcmp(line, "unblock\n") == 0) {
            if (write(gate_pipe[1], "x", 1) == 1) {
                pthread_join(blocked_thread, NULL);
            }
            printf("ok\n");
        } else if (strcmp(line, "leave\n") == 0) {
            pthread_t thread;
            pid_t id = 0;
            pthread_create(&thread, NULL, leaver, &id);
            pthread_join(thread, NULL);
            printf("%d\n", id);
        } else if (strcmp(line, "point\n") == 0) {
            struct point p = {1, 2, "start", 3};
            __asm__ volatile("" : : "r"(&p) : "memory"); /* all of it is there before the call */
            fill(&p, 5);
            printf("%ld\n", p.result);
        } else if (strcmp(line, "calls\n") == 0) {
            system_calls();
            printf("%d\n", tid());
        } else if (strcmp(line, "fork\n") == 0) {
            pid_t child = fork();
            if (child == 0) {
                twice(3);
                _exit(3);
            }
            waitpid(child, NULL, 0);
            printf("%d\n", child);
        } else if (sscanf(line, "spawn %3999s", word) == 1) {
            pid_t child = fork();
            if (child == 0) {
                execl(word, word, (char *)NULL);
                _exit(127);
            }
            waitpid(child, NULL, 0);
            printf("%d\n", child);
        } else if (sscanf(line, "rename %3999s", word) == 1) {
            pthread_t thread;
            void *id = NULL;
            pthread_create(&thread, NULL, named, word);
            pthread_join(thread, &id);
            printf("%ld\n", (long)id);
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
