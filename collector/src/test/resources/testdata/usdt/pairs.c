/* A program with pairs of USDT sites, each name with a semaphore of its own. Reads lines and answers each:
 *   sem               the two semaphores' values
 *   work THREADS N    each thread passes pairs:work__begin(thread, i) and pairs:work__done(2 * i, "ok") for i in 0..N-1,
 *                     by two sites of each name in turn, which have the arguments in other places; answers "done"
 *   begin I           passes work__begin(0, I); end RESULT: work__done(RESULT, "end"); both answer "done"
 *   slow I            passes work__begin(0, I), and 30 ms later work__done(2 * I, "slow"); answers "done" */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOTE(name, semaphore, arguments)                                                                     \
    "990: nop\n"                                                                                             \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                             \
    ".balign 4\n"                                                                                            \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                       \
    "991: .asciz \"stapsdt\"\n"                                                                              \
    "992: .balign 4\n"                                                                                       \
    "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                                      \
    ".asciz \"pairs\", \"" name "\", \"" arguments "\"\n"                                                    \
    "994: .balign 4\n"                                                                                       \
    ".popsection\n"

#define SITE(function, code, name, semaphore, arguments)                                                     \
    __asm__(".pushsection .text\n.globl " function "\n.type " function ", @function\n" function ":\n" code   \
            NOTE(name, semaphore, arguments) "ret\n.size " function ", . - " function "\n.popsection\n")

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short begin_semaphore = 0;
__attribute__((section(".probes"), used)) volatile unsigned short done_semaphore = 0;

void begin_here(long thread, long i);
SITE("begin_here", "", "work__begin", "begin_semaphore", "-8@%rdi -8@%rsi");
void begin_there(long thread, long i);
SITE("begin_there", "movq %rsi, -8(%rsp)\n", "work__begin", "begin_semaphore", "-8@%rdi -8@-8(%rsp)");
void done_here(long result, const char *text);
SITE("done_here", "", "work__done", "done_semaphore", "-8@%rdi 8@%rsi");
void done_there(long result, const char *text);
SITE("done_there", "movq %rdi, -16(%rsp)\n", "work__done", "done_semaphore", "-8@-16(%rsp) 8@%rsi");

static long count;

static void *work(void *thread) {
    for (long i = 0; i < count; i++) {
        (i % 2 == 0 ? begin_here : begin_there)((long) thread, i);
        (i % 3 == 0 ? done_here : done_there)(2 * i, "ok");
    }
    return NULL;
}

int main(void) {
    char line[100];
    long number;
    long threads;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "sem", 3) == 0) {
            printf("%d %d\n", begin_semaphore, done_semaphore);
            continue;
        }
        if (sscanf(line, "work %ld %ld", &threads, &count) == 2) {
            pthread_t ids[16];
            for (long i = 0; i < threads; i++) {
                pthread_create(&ids[i], NULL, work, (void *) i);
            }
            for (long i = 0; i < threads; i++) {
                pthread_join(ids[i], NULL);
            }
        } else if (sscanf(line, "begin %ld", &number) == 1) {
            begin_here(0, number);
        } else if (sscanf(line, "end %ld", &number) == 1) {
            done_here(number, "end");
        } else if (sscanf(line, "slow %ld", &number) == 1) {
            begin_here(0, number);
            usleep(30000);
            done_here(2 * number, "slow");
        }
        puts("done");
    }
    return 0;
}
