/* A program whose USDT site has a semaphore, and which loads libraries on demand. Reads lines:
 *   sem               answers with the semaphore's value
 *   hit               passes watched:step if the semaphore is raised; answers "passed" or "skipped"
 *   load PATH         dlopen, answers "loaded"; unlink PATH the same and deletes the file; memfd PATH from a copy in memory
 *   map PATH          maps the file as code without running it, answers "mapped"
 *   call N            calls late_hit(N) of what was loaded; answers "done"
 *   watched           answers what late_is_watched() of what was loaded says */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SITE(name, arguments)                                                                                \
    "990: nop\n"                                                                                             \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                             \
    ".balign 4\n"                                                                                            \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                       \
    "991: .asciz \"stapsdt\"\n"                                                                              \
    "992: .balign 4\n"                                                                                       \
    "993: .8byte 990b, _.stapsdt.base, watched_semaphore\n"                                                  \
    ".asciz \"watched\", \"" name "\", \"" arguments "\"\n"                                                  \
    "994: .balign 4\n"                                                                                       \
    ".popsection\n"

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short watched_semaphore = 0;

void step(long value);
__asm__(".pushsection .text\n.globl step\n.type step, @function\nstep:\n" SITE("step", "-8@%rdi") "ret\n"
        ".size step, . - step\n.popsection\n");

static void *load(const char *how, const char *path) {
    if (strcmp(how, "memfd") != 0) {
        void *library = dlopen(path, RTLD_NOW);
        if (strcmp(how, "unlink") == 0) {
            unlink(path);
        }
        return library;
    }
    static char bytes[1 << 20];
    int file = open(path, O_RDONLY);
    ssize_t size = read(file, bytes, sizeof bytes);
    close(file);
    int copy = memfd_create("late", 0);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    return size > 0 && write(copy, bytes, (size_t) size) == size ? dlopen(name, RTLD_NOW) : NULL;
}

int main(void) {
    char line[512];
    char path[400];
    void (*late_hit)(long) = NULL;
    int (*late_is_watched)(void) = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "sem", 3) == 0) {
            printf("%d\n", watched_semaphore);
        } else if (strncmp(line, "hit", 3) == 0) {
            int isWatched = watched_semaphore != 0;
            if (isWatched) {
                step(42);
            }
            puts(isWatched ? "passed" : "skipped");
        } else if (strncmp(line, "call ", 5) == 0) {
            late_hit(atol(line + 5));
            puts("done");
        } else if (sscanf(line, "map %399s", path) == 1) {
            int file = open(path, O_RDONLY);
            puts(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED ? "failed" : "mapped");
            close(file);
        } else if (strncmp(line, "watched", 7) == 0) {
            printf("%d\n", late_is_watched());
        } else if (sscanf(line, "%*s %399s", path) == 1) {
            *strchr(line, ' ') = 0;
            void *library = load(line, path);
            late_hit = library == NULL ? NULL : (void (*)(long)) dlsym(library, "late_hit");
            late_is_watched = library == NULL ? NULL : (int (*)(void)) dlsym(library, "late_is_watched");
            puts(late_hit == NULL ? "failed" : "loaded");
        }
    }
    return 0;
}
