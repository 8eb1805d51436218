/*
 * Shows addresses of sockets to probes. One request per line of stdin, one answer per line of stdout:
 *   inet, inet6, mapped   connects to a listener of its own: 127.0.0.1, ::1, ::ffff:127.0.0.1; calls
 *                         shown(client's fd, &listener's address), then shown(fd accepted, &client's address);
 *                         answers "LISTENER'S PORT CLIENT'S PORT"
 *   path PATH, abstract NAME   the same with a UNIX socket; answers "connected"
 *   pair                  calls shown(an end of a socketpair, NULL)
 *   listening             calls shown(a listener that is bound to 127.0.0.1, an address of the family 77); answers its port
 *   file                  calls shown(a regular file, NULL), shown(a fd just closed, NULL), shown(-1, an address not mapped)
 *   piece TEXT N          calls piece(TEXT, TEXT + N)
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Keeps a call a call: the compiler must not see that it does nothing. */
#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")

struct handle {
    long before;
    int fd;
};

VISIBLE long shown(struct handle *handle, const void *address, int fd) {
    OPAQUE;
    return handle->fd + fd + (address == NULL);
}

/* The fd is there only when it returns. */
VISIBLE long opened(struct handle *handle, int fd) {
    OPAQUE;
    handle->fd = fd;
    OPAQUE;
    return fd;
}

VISIBLE long piece(const char *text, const char *end) { OPAQUE; return end - text; }

static void show(int fd, const void *address) {
    struct handle handle = {7, -1};
    opened(&handle, fd);
    shown(&handle, address, fd);
}

/* Where the last byte of it is the last of its page, and the next page is nobody's. */
static const void *at_edge(const void *address, socklen_t length) {
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + page, (size_t)page);
    return memcpy(pages + page - length, address, length);
}

static void connected(int family, const void *wanted, socklen_t length, int is_abstract) {
    struct sockaddr_storage bound = {0}, from = {0};
    socklen_t bound_length = sizeof bound, from_length = sizeof from;
    int listener = socket(family, SOCK_STREAM, 0);
    if (bind(listener, wanted, length) != 0 || listen(listener, 1) != 0) {
        printf("not bound\n");
        return;
    }
    getsockname(listener, (struct sockaddr *)&bound, &bound_length);
    int client = socket(family, SOCK_STREAM, 0);
    connect(client, (struct sockaddr *)&bound, bound_length);
    int accepted = accept(listener, (struct sockaddr *)&from, &from_length);
    /* An abstract name ends where its length says: give it a NUL to end at. */
    show(client, at_edge(&bound, bound_length + (socklen_t)is_abstract));
    show(accepted, family == AF_UNIX ? NULL : at_edge(&from, from_length));
    if (family == AF_UNIX) {
        printf("connected\n");
    } else {
        /* The port lies at the same place in both families. */
        printf("%d %d\n", ntohs(((struct sockaddr_in *)&bound)->sin_port), ntohs(((struct sockaddr_in *)&from)->sin_port));
    }
    close(client);
    close(accepted);
    close(listener);
}

static void inet6(const char *address) {
    struct sockaddr_in6 wanted = {.sin6_family = AF_INET6};
    inet_pton(AF_INET6, address, &wanted.sin6_addr);
    connected(AF_INET6, &wanted, sizeof wanted, 0);
}

static void unix_socket(const char *path, size_t skipped) {
    struct sockaddr_un wanted = {.sun_family = AF_UNIX};
    strncpy(wanted.sun_path + skipped, path, sizeof wanted.sun_path - skipped - 1);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + skipped + strlen(path) + (skipped ? 0 : 1));
    connected(AF_UNIX, &wanted, length, skipped ? 1 : 0);
}

static void listening(void) {
    struct sockaddr_in bound = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr unknown = {.sa_family = 77};
    socklen_t length = sizeof bound;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&bound, length);
    listen(fd, 1);
    getsockname(fd, (struct sockaddr *)&bound, &length);
    show(fd, &unknown);
    printf("%d\n", ntohs(bound.sin_port));
    close(fd);
}

static void no_sockets(void) {
    int file = open("/proc/self/exe", O_RDONLY);
    int closed = dup(file);
    close(closed);
    show(file, NULL);
    show(closed, NULL);
    show(-1, (void *)16);
    close(file);
    printf("shown\n");
}

int main(void) {
    char line[512];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *word = strtok(line, " \n"), *rest = strtok(NULL, " \n"), *number = strtok(NULL, " \n");
        if (strcmp(word, "inet") == 0) {
            struct sockaddr_in wanted = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
            connected(AF_INET, &wanted, sizeof wanted, 0);
        } else if (strcmp(word, "inet6") == 0) {
            inet6("::1");
        } else if (strcmp(word, "mapped") == 0) {
            inet6("::ffff:127.0.0.1");
        } else if (strcmp(word, "path") == 0) {
            unix_socket(rest, 0);
            unlink(rest);
        } else if (strcmp(word, "abstract") == 0) {
            unix_socket(rest, 1);
        } else if (strcmp(word, "pair") == 0) {
            int ends[2];
            socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
            show(ends[0], NULL);
            close(ends[0]);
            close(ends[1]);
            printf("shown\n");
        } else if (strcmp(word, "listening") == 0) {
            listening();
        } else if (strcmp(word, "file") == 0) {
            no_sockets();
        } else if (strcmp(word, "piece") == 0) {
            piece(rest, rest + atol(number));
            printf("shown\n");
        }
    }
    return 0;
}
