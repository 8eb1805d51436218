// A process of a container. It says "ready PID", then for each line "WAY COUNT" calls the function hit() that often in a
// thread or process of its own, waits for its end, and answers with the id it has in the container, or had in the other
// namespace that it made.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int hit(int number) {
    __asm__ volatile("");
    return 2 * number;
}

static void hits(int count) {
    for (int i = 0; i < count; i++) {
        hit(i);
    }
}

static void *thread(void *count) {
    hits(*(int *)count);
    return (void *)syscall(SYS_gettid);
}

static int inThread(int count) {
    pthread_t id;
    void *tid = NULL;
    pthread_create(&id, NULL, thread, &count);
    pthread_join(id, &tid);
    return (int)(long)tid;
}

static int inChild(int count) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        hits(count);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return child;
}

/** In a container inside the container: the child there is process 1. */
static int inner(int count) {
    return unshare(CLONE_NEWPID) == 0 ? inChild(count) : -1;
}

int main(int argc, char **argv) {
    if (argc > 1) {
        hits(atoi(argv[1]));
        printf("%d\n", getpid());
        return 0;
    }
    char line[64];
    char way[16];
    int count;
    printf("ready %d\n", getpid());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && sscanf(line, "%15s %d", way, &count) == 2) {
        int id = getpid();
        if (strcmp(way, "thread") == 0) {
            id = inThread(count);
        } else if (strcmp(way, "child") == 0) {
            id = inChild(count);
        } else if (strcmp(way, "inner") == 0) {
            id = inner(count);
        } else {
            hits(count);
        }
        printf("%d\n", id);
        fflush(stdout);
    }
    return 0;
}
