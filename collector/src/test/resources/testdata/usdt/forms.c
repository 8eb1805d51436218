/* Every form of argument that a stapsdt note of x86-64 can have. Reads lines "NAME HEX": passes the sites of NAME with
 * the number at hand, answers "done". Probes are forms:NAME. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAPSDT_STRING(text) #text
#define SITE(name, arguments)                                                                                \
    "990: nop\n"                                                                                             \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                             \
    ".balign 4\n"                                                                                            \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                       \
    "991: .asciz \"stapsdt\"\n"                                                                              \
    "992: .balign 4\n"                                                                                       \
    "993: .8byte 990b, _.stapsdt.base, 0\n"                                                                  \
    ".asciz \"forms\", \"" name "\", \"" arguments "\"\n"                                                    \
    "994: .balign 4\n"                                                                                       \
    ".popsection\n"
#define FUNCTION(function, before, sites)                                                                    \
    void function(unsigned long value);                                                                      \
    __asm__(".pushsection .text\n"                                                                           \
            ".globl " #function "\n"                                                                         \
            ".type " #function ", @function\n" #function ":\n"                                               \
            "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n" before "\n" sites           \
            "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"                              \
            ".size " #function ", . - " #function "\n"                                                       \
            ".popsection\n")
#define REGISTER(r64, r32, r16, r8)                                                                          \
    FUNCTION(set_##r64, "mov %rdi, %" #r64,                                                                  \
            SITE(#r64, "8@%" #r64 " -8@%" #r64 " 4@%" #r32 " -4@%" #r32 " 2@%" #r16 " -2@%" #r16 " 1@%" #r8  \
                       " -1@%" #r8 " %" #r16 " 2f@%" #r16))

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");

REGISTER(rax, eax, ax, al);
REGISTER(rbx, ebx, bx, bl);
REGISTER(rcx, ecx, cx, cl);
REGISTER(rdx, edx, dx, dl);
REGISTER(rsi, esi, si, sil);
REGISTER(rdi, edi, di, dil);
REGISTER(rbp, ebp, bp, bpl);
REGISTER(r8, r8d, r8w, r8b);
REGISTER(r9, r9d, r9w, r9b);
REGISTER(r10, r10d, r10w, r10b);
REGISTER(r11, r11d, r11w, r11b);
REGISTER(r12, r12d, r12w, r12b);
REGISTER(r13, r13d, r13w, r13b);
REGISTER(r14, r14d, r14w, r14b);
REGISTER(r15, r15d, r15w, r15b);

FUNCTION(set_high, "mov %rdi, %rax\nmov %rdi, %rbx\nmov %rdi, %rcx\nmov %rdi, %rdx",
        SITE("high", "1@%ah -1@%ah 1@%bh -1@%bh 1@%ch -1@%ch 1@%dh -1@%dh"));

/* The stack pointer: what is pushed last lies at it. */
FUNCTION(set_stack, "push %rdi\nmov %rsp, %rbx",
        SITE("stack", "8@(%rsp) -4@4(%rsp) 2@6(%rsp) -1@(%rsp) 8@%rsp 8@%rbx") "add $8, %rsp\n");

long table[4] = {-1, 0x1122334455667788, -2, 0x0102030405060708};

/* rbx = the second number, rcx = the index that is given, rbp = one behind. */
FUNCTION(set_memory, "lea table+8(%rip), %rbx\nmov %rdi, %rcx\nlea table+16(%rip), %rbp",
        SITE("memory", "8@(%rbx) 8@-8(%rbx) -4@4(%rbx) 8@(%rbx,%rcx,8) 4@4(%rbx,%rcx,8) -4@-8(%rbx,%rcx,4) "
                       "1@7(%rbx) 2@6(%rbx,%rcx) -8@-8(%rbp)"));

FUNCTION(set_constant, "nop", SITE("constant", "4@$7 -4@$-7 8@$0x10 1@$255 -1@$-1 -8@$-5000000000 2@$65535"));

struct {
    int first;
    int second;
    long third;
} counter = {1234567, -7654321, 0x7fffffffffff};

FUNCTION(set_symbol, "nop",
        SITE("symbol", "4@counter(%rip) -4@counter+4(%rip) 8@8+counter(%rip) 4@no_such_symbol(%rip)"));

FUNCTION(set_unreadable, "movq %rdi, %xmm0\nmov $16, %ebx\nmov %rdi, %rax",
        SITE("unreadable", "8f@%xmm0 8@%rax 4@(%rbx) -4@4(%rbx,%rax,2) 8@%st(1) 8@%rax"));

float pi = 3.25f;

/* Floating-point numbers in memory, in general registers, as constants; in xmm0 BPF sees none. The last is no such number. */
FUNCTION(set_floating, "movq %rdi, %xmm0\npush %rdi\nmov %rdi, %rax\nmov $0xbfc00000, %ebx",
        SITE("floating", "8f@(%rsp) 8f@%rax 8f@%xmm0 4f@%ebx 8f@$0x4004000000000000 4f@pi(%rip) 8@%rax") "add $8, %rsp\n");

/* The text lies where the number at hand says. */
FUNCTION(set_text, "mov %rdi, %r13\npush %rdi", SITE("text", "8@%r13 8@(%rsp) 8@%rdi") "add $8, %rsp\n");

/* One name, three sites, three forms. */
FUNCTION(set_sites, "mov %rdi, %rax\npush %rdi",
        SITE("sites", "4@%eax 8@(%rsp)") SITE("sites", "-8@%rdi 4@$1") SITE("sites", "-2@%ax") "add $8, %rsp\n");

/* Neighbours for globs and misspelt names, and one that is a function, too. */
FUNCTION(set_names, "nop", SITE("http__server__request", "8@%rdi") SITE("http__server__response", "8@%rdi"));
FUNCTION(both, "nop", SITE("both", "-4@%edi"));

#define ENTRY(name) {#name, set_##name}
static const struct {
    const char *name;
    void (*function)(unsigned long);
} functions[] = {ENTRY(rax), ENTRY(rbx), ENTRY(rcx), ENTRY(rdx), ENTRY(rsi), ENTRY(rdi), ENTRY(rbp), ENTRY(r8),
    ENTRY(r9), ENTRY(r10), ENTRY(r11), ENTRY(r12), ENTRY(r13), ENTRY(r14), ENTRY(r15), ENTRY(high), ENTRY(stack),
    ENTRY(memory), ENTRY(constant), ENTRY(symbol), ENTRY(unreadable), ENTRY(floating), ENTRY(text), ENTRY(sites), ENTRY(names),
    {"both", both}};

static const char text[] = "gr\xc3\xbc\xc3\x9f dich";

int main(void) {
    char line[256];
    char name[64];
    char number[64];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL && sscanf(line, "%63s %63s", name, number) == 2) {
        unsigned long value = strcmp(number, "text") == 0 ? (unsigned long) text : strtoul(number, NULL, 16);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            if (strcmp(functions[i].name, name) == 0) {
                functions[i].function(value);
            }
        }
        puts("done");
    }
    return 0;
}
