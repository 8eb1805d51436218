/*
 * Probes that JavaScript asks for. Each is a shared object whose bytes lib/library.js writes; here it goes into a memfd
 * and is loaded from there. It has one function, site(slots), which is a nop and a return, and a semaphore. The note says
 * that argument N is in slot N.
 *
 * A probe is there until the process ends, and for all threads: who asks for a name a second time gets the same one. The
 * memfd stays open, since bcc and bpftrace read the file by way of /proc/PID/fd, and the dynamic linker would take the
 * next library for this one if a number came back (it compares the names of what it has loaded).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "node_probes.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U /* linux/memfd.h, since Linux 6.3 */
#endif

#define NAME_BYTES 160
#define MESSAGE_BYTES 512
#define MAX_ARGUMENTS 12 /* lib/user-probe.js allows no more */
#define TEXT_BYTES 4096

struct user_probe {
    struct user_probe *next;
    char name[NAME_BYTES];
    char types[MAX_ARGUMENTS + 1]; /* one letter each: i = int32, l = int64, s = string */
    void (*site)(const uint64_t *slots);
    uint16_t *semaphore;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user_probe *probes; /* guarded by lock; only ever grows */

static uint64_t slot_of(napi_env env, napi_value value, char type, char *text) {
    int64_t number = 0;
    size_t length;
    bool is_lossless;
    napi_valuetype kind;
    if (type == 's') {
        text[0] = '\0';
        napi_get_value_string_utf8(env, value, text, TEXT_BYTES, &length);
        return (uintptr_t)text;
    }
    napi_typeof(env, value, &kind);
    if (kind == napi_number) {
        napi_get_value_int64(env, value, &number);
    } else {
        napi_get_value_bigint_int64(env, value, &number, &is_lossless);
    }
    return (uint64_t)number;
}

/* Called by lib/user-probe.js when somebody watches, with as many values as there are types, each of its type. */
static napi_value fire(napi_env env, napi_callback_info info) {
    napi_value arguments[MAX_ARGUMENTS];
    size_t count = MAX_ARGUMENTS;
    struct user_probe *probe;
    napi_get_cb_info(env, info, &count, arguments, NULL, (void **)&probe);
    uint64_t slots[MAX_ARGUMENTS] = {0};
    char texts[MAX_ARGUMENTS][TEXT_BYTES];
    for (size_t i = 0; probe->types[i] != '\0'; i++) {
        slots[i] = slot_of(env, arguments[i], probe->types[i], texts[i]);
    }
    probe->site(slots);
    return NULL;
}

/* A file in memory that may be executed, or -1. */
static int executable_memory(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);
    // Before Linux 6.3 there is no such flag, and every memfd may be executed.
    return fd == -1 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : fd;
}

/* Fills in site and semaphore; otherwise says why not. */
static bool load(struct user_probe *probe, const void *library, size_t size, char *message) {
    char path[64];
    int fd = executable_memory(probe->name);
    if (fd == -1 || write(fd, library, size) != (ssize_t)size) {
        snprintf(message, MESSAGE_BYTES, "probestream: put probe %s into a file in memory (memfd_create): %s%s",
                 probe->name, strerror(errno), errno == EACCES ? "; the sysctl vm.memfd_noexec forbids it" : "");
        if (fd != -1) {
            close(fd);
        }
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(message, MESSAGE_BYTES, "probestream: load probe %s from memory: %s", probe->name, dlerror());
        close(fd);
        return false;
    }
    probe->site = (void (*)(const uint64_t *))dlsym(handle, "site");
    probe->semaphore = dlsym(handle, "semaphore");
    return true;
}

/* The probe of that name, opened now if it was not; NULL with a message. */
static struct user_probe *find_or_load(const struct user_probe *wanted, const void *library, size_t size, char *message) {
    struct user_probe *probe = probes;
    while (probe != NULL && strcmp(probe->name, wanted->name) != 0) {
        probe = probe->next;
    }
    if (probe != NULL) {
        if (strcmp(probe->types, wanted->types) == 0) {
            return probe;
        }
        snprintf(message, MESSAGE_BYTES, "probestream: probe %s is there already, with arguments of other types",
                 wanted->name);
        return NULL;
    }
    probe = malloc(sizeof *probe);
    if (probe == NULL) {
        snprintf(message, MESSAGE_BYTES, "probestream: no memory for probe %s", wanted->name);
        return NULL;
    }
    *probe = *wanted;
    if (!load(probe, library, size, message)) {
        free(probe);
        return NULL;
    }
    probe->next = probes;
    probes = probe;
    return probe;
}

napi_value open_user_probe(napi_env env, napi_callback_info info) {
    napi_value arguments[3];
    size_t count = 3;
    size_t length;
    size_t size = 0;
    void *library = NULL;
    char message[MESSAGE_BYTES];
    struct user_probe wanted = {0};
    napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
    napi_get_value_string_utf8(env, arguments[0], wanted.name, sizeof wanted.name, &length);
    napi_get_value_string_utf8(env, arguments[1], wanted.types, sizeof wanted.types, &length);
    napi_get_buffer_info(env, arguments[2], &library, &size);

    pthread_mutex_lock(&lock);
    struct user_probe *probe = find_or_load(&wanted, library, size, message);
    pthread_mutex_unlock(&lock);
    if (probe == NULL) {
        napi_throw_error(env, NULL, message);
        return NULL;
    }

    napi_value result = NULL;
    napi_value semaphore;
    napi_value function;
    if (share_memory(env, probe->semaphore, sizeof *probe->semaphore, &semaphore) &&
        napi_create_function(env, "fire", sizeof "fire" - 1, fire, probe, &function) == napi_ok) {
        napi_create_object(env, &result);
        napi_set_named_property(env, result, "semaphore", semaphore);
        napi_set_named_property(env, result, "fire", function);
    }
    return result;
}
