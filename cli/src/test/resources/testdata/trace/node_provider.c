/* A library with the USDT probe node:http__server__request of Node 0.10 to 18 (src/node.d there); fires it again and
 * again from a thread of its own, as soon as it is loaded. */
#include <pthread.h>
#include <unistd.h>

/* The note that <sys/sdt.h> makes (type 3, owner stapsdt), so that the test needs no such header. */
#define PROBE7(provider, name, a, b, c, d, e, f, g)                                                                    \
    __asm__ volatile("990: nop\n"                                                                                      \
                     ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                      \
                     ".balign 4\n"                                                                                     \
                     ".4byte 992f-991f, 994f-993f, 3\n"                                                                \
                     "991: .asciz \"stapsdt\"\n"                                                                       \
                     "992: .balign 4\n"                                                                                \
                     "993: .8byte 990b, _.stapsdt.base, 0\n"                                                           \
                     ".asciz \"" provider "\"\n"                                                                       \
                     ".asciz \"" name "\"\n"                                                                           \
                     ".asciz \"8@%[x1] 8@%[x2] 8@%[x3] -4@%[x4] 8@%[x5] 8@%[x6] -4@%[x7]\"\n"                          \
                     "994: .balign 4\n"                                                                                \
                     ".popsection\n"                                                                                   \
                     ".ifndef _.stapsdt.base\n"                                                                        \
                     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                           \
                     ".weak _.stapsdt.base\n"                                                                          \
                     ".hidden _.stapsdt.base\n"                                                                        \
                     "_.stapsdt.base: .space 1\n"                                                                      \
                     ".size _.stapsdt.base, 1\n"                                                                       \
                     ".popsection\n"                                                                                   \
                     ".endif\n" ::[x1] "r"(a), [x2] "r"(b), [x3] "r"(c), [x4] "r"(d), [x5] "r"(e), [x6] "r"(f),        \
                     [x7] "r"(g))

static void *serve(void *unused) {
    (void)unused;
    for (;;) {
        PROBE7("node", "http__server__request", (void *)0, (void *)0, "127.0.0.1", 8080, "GET", "/path?q=1", 17);
        usleep(10000);
    }
    return 0;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
}
