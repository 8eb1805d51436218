// A program or library with USDT probes, written out so that no header of SystemTap is needed. As a program it loads
// the library of its first argument through a memfd, says "ready" and waits for its stdin to end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

unsigned short fixture_request_semaphore __attribute__((section(".probes"), used));

#define PROBE(name, semaphore, format, ...)                                       \
    __asm__ volatile(                                                             \
        "990: nop\n"                                                              \
        ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
        ".balign 4\n"                                                             \
        ".4byte 992f-991f, 994f-993f, 3\n"                                        \
        "991: .asciz \"stapsdt\"\n"                                               \
        "992: .balign 4\n"                                                        \
        "993: .8byte 990b\n"                                                      \
        ".8byte _.stapsdt.base\n"                                                 \
        ".8byte " semaphore "\n"                                                  \
        ".asciz \"fixture\"\n"                                                    \
        ".asciz \"" name "\"\n"                                                   \
        ".asciz \"" format "\"\n"                                                 \
        "994: .balign 4\n"                                                        \
        ".popsection\n"                                                           \
        ".ifndef _.stapsdt.base\n"                                                \
        ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
        ".weak _.stapsdt.base\n"                                                  \
        ".hidden _.stapsdt.base\n"                                                \
        "_.stapsdt.base: .space 1\n"                                              \
        ".size _.stapsdt.base, 1\n"                                               \
        ".popsection\n"                                                           \
        ".endif\n" ::__VA_ARGS__)

__attribute__((noinline)) int handle(int number) {
    PROBE("request", "fixture_request_semaphore", "-4@%0 8@$7", "r"(number));
    PROBE("response", "0", "-4@%0", "r"(number));
    if (number > 5) {
        PROBE("response", "0", "-4@%0", "r"(number));
    }
    return number + 1;
}

static int load_through_memfd(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int memory = memfd_create("fixture", MFD_CLOEXEC);
    while (sendfile(memory, file, 0, 1 << 20) > 0) {
    }
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    return dlopen(name, RTLD_NOW) != 0;
}

int main(int count, char **arguments) {
    if (count > 1 && !load_through_memfd(arguments[1])) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) {
        handle(count);
    }
    return 0;
}
