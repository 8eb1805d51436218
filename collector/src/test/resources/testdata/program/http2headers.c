/*
 * Has streams of an HTTP/2 session with their headers as Node keeps them (see Http2HeaderCode), and hands their frames on. One request
 * per line of stdin, one answer per line of stdout:
 *   NAME VALUE     one more header of stream 5; VALUE may be missing
 *   .COUNT         as many headers a: b of stream 5
 *   !              the headers of stream 5 lead nowhere
 *   =ID            handle(session, frame of stream ID); the headers of stream 5 are gone then
 * Ends at the end of its input, with exit code 0.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")
#define MOST_HEADERS 200
#define BUCKETS 3

struct frame { uint64_t length; int32_t id; };
struct rcbuf { void *memory; void *release; const char *base; uint64_t length; int32_t references; };
struct header { void *table, *env, *name_table; struct rcbuf *name; uint64_t is_static; void *value_table; struct rcbuf *value; uint64_t more[2]; };
struct stream { char before[24]; struct header *begin, *end, *room; };
struct node { struct node *next; int32_t id; struct stream *stream; };
struct session { char before[40]; struct node **buckets; uint64_t count; };

VISIBLE long handle(struct session *session, struct frame *frame) { OPAQUE; return frame->id; }

static struct header headers[MOST_HEADERS];
static struct rcbuf texts[2 * MOST_HEADERS];

static struct rcbuf *text(int place, const char *from) {
    texts[place] = (struct rcbuf){0, 0, strdup(from), strlen(from), 1};
    return &texts[place];
}

static void add(struct stream *to, const char *name, const char *value) {
    int place = to->end - to->begin;
    to->end->name = text(2 * place, name);
    to->end->value = text(2 * place + 1, value);
    to->end++;
}

int main(void) {
    char line[256];
    struct stream other = {.begin = NULL, .end = NULL}, stream = {.begin = headers, .end = headers};
    /* Ids 2, 5 and 8 are in one bucket, of which the third has none. */
    struct node eight = {NULL, 8, &other}, five = {&eight, 5, &stream}, two = {&five, 2, &other};
    struct node before = {&two, 0, NULL};
    struct node *buckets[BUCKETS] = {NULL, &eight, &before};
    struct session session = {.buckets = buckets, .count = BUCKETS};
    _Static_assert(sizeof(struct header) == 72, "as in Node");
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        long answer = 0;
        if (line[0] == '=') {
            struct frame frame = {0, atoi(line + 1)};
            answer = handle(&session, &frame);
            stream.begin = stream.end = headers;
        } else if (line[0] == '!') {
            stream.begin = (void *)0x10;
            stream.end = stream.begin + 1;
        } else if (line[0] == '.') {
            for (int i = atoi(line + 1); i > 0; i--) {
                add(&stream, "a", "b");
            }
        } else {
            char *value = strchr(line, ' ');
            if (value != NULL) {
                *value++ = 0;
            }
            add(&stream, line, value == NULL ? "" : value);
        }
        printf("%ld\n", answer);
    }
    return 0;
}
