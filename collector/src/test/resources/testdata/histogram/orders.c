/*
 * A program with USDT probes: shop:order at two sites with differently placed arguments (a text and a number), both
 * behind a semaphore, and shop:sale, whose only argument is of another type. One request per line of stdin, one answer
 * per line of stdout:
 *   order WORD N   passes shop:order N times, by turns at its two sites, with WORD and 0 to N - 1; answers how many were
 *                  passed: 0 when nobody watches
 *   sale           passes shop:sale with WORD = -1; answers 1
 *   sem            answers with the semaphore's value
 */
#include <stdio.h>
#include <string.h>

#define SITE(name, semaphore, arguments)                                                                     \
    "990: nop\n"                                                                                             \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                             \
    ".balign 4\n"                                                                                            \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                       \
    "991: .asciz \"stapsdt\"\n"                                                                              \
    "992: .balign 4\n"                                                                                       \
    "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                                      \
    ".asciz \"shop\", \"" name "\", \"" arguments "\"\n"                                                     \
    "994: .balign 4\n"                                                                                       \
    ".popsection\n"

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short order_semaphore = 0;

void order_here(const char *word, long number);
void order_there(int number, const char *word);
void sale(int price);
__asm__(".pushsection .text\n"
        ".globl order_here\n.type order_here, @function\norder_here:\n"
        SITE("order", "order_semaphore", "8@%rdi -8@%rsi") "ret\n.size order_here, . - order_here\n"
        ".globl order_there\n.type order_there, @function\norder_there:\n"
        SITE("order", "order_semaphore", "8@%rsi -4@%edi") "ret\n.size order_there, . - order_there\n"
        ".globl sale\n.type sale, @function\nsale:\n"
        SITE("sale", "0", "-4@%edi") "ret\n.size sale, . - sale\n.popsection\n");

int main(void) {
    char line[256];
    char word[64];
    int count;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "order %63s %d", word, &count) == 2) {
            int passed = 0;
            for (int i = 0; i < count && order_semaphore != 0; i++, passed++) {
                if (i % 2 == 0) {
                    order_here(word, i);
                } else {
                    order_there(i, word);
                }
            }
            printf("%d\n", passed);
        } else if (strncmp(line, "sale", 4) == 0) {
            sale(-1);
            puts("1");
        } else {
            printf("%d\n", order_semaphore);
        }
    }
    return 0;
}
