/* Makes the Nth change of a file below one folder fail: loaded before libc (LD_PRELOAD), told by set_fault. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static atomic_long seen;
static long fail_at;
static int fail_with, lasting, shorten;

/* Count from now on, below `path`, and fail at the `at`th change (0: never), with an error or, for `shorter`, after
   half of the bytes of a write; `lasts`: every later one fails as well. */
void set_fault(const char *path, long at, int error, int lasts, int shorter) {
    snprintf(folder, sizeof folder, "%s", path);
    atomic_store(&seen, 0);
    fail_at = at, fail_with = error, lasting = lasts, shorten = shorter;
}

long changes_seen(void) { return atomic_load(&seen); }

static int below(const char *path) {
    char absolute[PATH_MAX * 2];
    if (!folder[0] || !path) return 0;
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(absolute, sizeof absolute, "%s/%s", here, path);
        path = absolute;
    }
    return !strncmp(path, folder, strlen(folder));
}

static int below_open(int descriptor) {
    char link[64], path[PATH_MAX];
    if (!folder[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path);
}

/* 0: go on, 1: fail, 2: do half. */
static int due(int ours, int writes) {
    if (!ours) return 0;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (!fail_at || number < fail_at || (number > fail_at && !lasting)) return 0;
    if (shorten && writes && number == fail_at) return 2;
    errno = fail_with;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define PASS(name, ours, ...) (due(ours, 0) ? -1 : REAL(name)(__VA_ARGS__))

ssize_t write(int d, const void *data, size_t size) {
    int what = due(below_open(d), 1);
    return what == 1 ? -1 : REAL(write)(d, data, what == 2 && size > 1 ? size / 2 : size);
}
ssize_t pwrite(int d, const void *data, size_t size, off_t place) {
    int what = due(below_open(d), 1);
    return what == 1 ? -1 : REAL(pwrite)(d, data, what == 2 && size > 1 ? size / 2 : size, place);
}
ssize_t pwrite64(int d, const void *data, size_t size, off64_t place) {
    int what = due(below_open(d), 1);
    return what == 1 ? -1 : REAL(pwrite64)(d, data, what == 2 && size > 1 ? size / 2 : size, place);
}
ssize_t writev(int d, const struct iovec *parts, int count) { return PASS(writev, below_open(d), d, parts, count); }
int fsync(int d) { return PASS(fsync, below_open(d), d); }
int fdatasync(int d) { return PASS(fdatasync, below_open(d), d); }
int ftruncate(int d, off_t size) { return PASS(ftruncate, below_open(d), d, size); }
int ftruncate64(int d, off64_t size) { return PASS(ftruncate64, below_open(d), d, size); }
int rename(const char *from, const char *to) { return PASS(rename, below(to), from, to); }
int renameat(int a, const char *from, int b, const char *to) { return PASS(renameat, below(to), a, from, b, to); }
int link(const char *from, const char *to) { return PASS(link, below(to), from, to); }
int linkat(int a, const char *from, int b, const char *to, int f) { return PASS(linkat, below(to), a, from, b, to, f); }
int mkdir(const char *path, mode_t mode) { return PASS(mkdir, below(path), path, mode); }
int unlink(const char *path) { return PASS(unlink, below(path), path); }

static int opens(const char *path, int flags) { return flags & (O_CREAT | O_TRUNC) && below(path); }

#define OPEN(name, before, parameters)                                                                                \
    int name(parameters const char *path, int flags, ...) {                                                           \
        va_list more;                                                                                                 \
        va_start(more, flags);                                                                                        \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                                       \
        va_end(more);                                                                                                 \
        return due(opens(path, flags), 0) ? -1 : REAL(name)(before path, flags, mode);                                \
    }
#define NOTHING
#define FOLDER int d,
#define FOLDER_GIVEN d,
OPEN(open, NOTHING, NOTHING)
OPEN(open64, NOTHING, NOTHING)
OPEN(openat, FOLDER_GIVEN, FOLDER)
OPEN(openat64, FOLDER_GIVEN, FOLDER)

FILE *fopen(const char *path, const char *mode) {
    return due(strpbrk(mode, "wa+") && below(path), 0) ? NULL : REAL(fopen)(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
    return due(strpbrk(mode, "wa+") && below(path), 0) ? NULL : REAL(fopen64)(path, mode);
}
