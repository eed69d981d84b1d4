/*
 * Between a process and its disk: writes down, in their order, all changes of the files below DISK_ROOT to the file
 * DISK_RECORD, with the data, and fails or delays them as the first word of the file DISK_FAULT says. Loaded by LD_PRELOAD.
 * disk-record.ts reads the record, disk-faults.ts sets the fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC, SYNCED, RENAME, UNLINK, MKDIR, RMDIR, LINK };
enum { NONE = 0, FULL, READ_ONLY, SLOW, SYNC_FAILS };

struct head {
  uint32_t op;
  int32_t fd;
  uint64_t ns;
  int64_t offset;
  uint32_t path, data;
};

#define FDS 65536
static struct { dev_t dev; ino_t ino; char is_ours; } files[FDS];
static const char *root;
static size_t root_length;
static int record = -1;
static volatile int32_t *fault;
static int32_t no_fault;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  fault = &no_fault;
  if (strcmp(program_invocation_short_name, "node") != 0) return;
  /* Children change nothing here, and a sandbox has not this file. */
  unsetenv("LD_PRELOAD");
  root = getenv("DISK_ROOT");
  root_length = root ? strlen(root) : 0;
  const char *path = getenv("DISK_RECORD");
  if (path) record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  path = getenv("DISK_FAULT");
  if (!path) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *map = mmap(NULL, sizeof *fault, PROT_READ, MAP_SHARED, fd, 0);
  if (fd >= 0 && map != MAP_FAILED) fault = map;
}

/* A path made absolute; whether it is below the root, and not SQLite's shared memory, which is made anew. */
static int resolve(int at, const char *path, char *out) {
  if (!root) return 0;
  if (path[0] == '/') snprintf(out, PATH_MAX, "%s", path);
  else {
    char link[64];
    snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
    ssize_t n = readlink(link, out, PATH_MAX - 1);
    if (n < 0) return 0;
    snprintf(out + n, PATH_MAX - n, "/%s", path);
  }
  size_t n = strlen(out);
  if (strncmp(out, root, root_length) != 0 || (out[root_length] != '/' && out[root_length] != 0)) return 0;
  return n < 4 || strcmp(out + n - 4, "-shm") != 0;
}

static int is_ours(int fd) {
  if (fd < 0 || fd >= FDS || !files[fd].is_ours) return 0;
  /* libuv closes past us: the number may be another file's by now. */
  struct stat now;
  if (fstat(fd, &now) == 0 && now.st_dev == files[fd].dev && now.st_ino == files[fd].ino) return 1;
  files[fd].is_ours = 0;
  return 0;
}

static void note(int op, int fd, int64_t offset, const char *path, const void *data, size_t size) {
  if (record < 0) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct head head = {op, fd, now.tv_sec * 1000000000ull + now.tv_nsec, offset, path ? strlen(path) : 0, size};
  struct iovec parts[3] = {{&head, sizeof head}, {(void *)(path ? path : ""), head.path}, {(void *)(data ? data : ""), size}};
  REAL(writev);
  if (real(record, parts, 3) != (ssize_t)(sizeof head + head.path + size)) abort();
}

/* Whether a change fails now, with `errno` set. */
static int fails(int grows) {
  if (*fault == READ_ONLY) return errno = EROFS, 1;
  if (*fault == FULL && grows) return errno = ENOSPC, 1;
  return 0;
}

static int opened(int fd, int flags, int existed, const char *path) {
  struct stat now;
  if (fd >= 0 && fd < FDS && fstat(fd, &now) == 0) {
    files[fd].dev = now.st_dev, files[fd].ino = now.st_ino, files[fd].is_ours = 1;
    note(OPEN, fd, (!existed ? 1 : 0) | (flags & O_TRUNC ? 2 : 0), path, NULL, 0);
  }
  return fd;
}

#define MODE(flags) mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

#define OPENING(name, at, call) \
  REAL(name); \
  char full[PATH_MAX]; \
  if (!resolve(at, path, full)) return call; \
  int existed = access(full, F_OK) == 0; \
  if ((flags & O_ACCMODE) != O_RDONLY && fails(!existed)) return -1; \
  pthread_mutex_lock(&lock); \
  int fd = opened(call, flags, existed, full); \
  pthread_mutex_unlock(&lock); \
  return fd;

int open(const char *path, int flags, ...) { MODE(flags) OPENING(open, AT_FDCWD, real(path, flags, mode)) }
int open64(const char *path, int flags, ...) { MODE(flags) OPENING(open64, AT_FDCWD, real(path, flags, mode)) }
int openat(int at, const char *path, int flags, ...) { MODE(flags) OPENING(openat, at, real(at, path, flags, mode)) }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) OPENING(openat64, at, real(at, path, flags, mode)) }

static void wrote(int fd, ssize_t n, int64_t offset, const struct iovec *parts, int count) {
  for (int i = 0; i < count && n > 0; i++) {
    size_t size = (size_t)n < parts[i].iov_len ? (size_t)n : parts[i].iov_len;
    note(WRITE, fd, offset, NULL, parts[i].iov_base, size);
    offset += size, n -= size;
  }
}

/* At `offset`, or where the file stands if that is negative. */
#define WRITING(name, call, at, parts, count) \
  REAL(name); \
  if (!is_ours(fd)) return call; \
  if (fails(1)) return -1; \
  pthread_mutex_lock(&lock); \
  ssize_t n = call; \
  int64_t to = at; \
  if (n > 0) wrote(fd, n, to >= 0 ? to : lseek(fd, 0, SEEK_CUR) - n, parts, count); \
  pthread_mutex_unlock(&lock); \
  return n;

#define ONE(data, size) (&(struct iovec){(void *)data, size})
ssize_t write(int fd, const void *data, size_t size) { WRITING(write, real(fd, data, size), -1, ONE(data, size), 1) }
ssize_t writev(int fd, const struct iovec *v, int n_) { WRITING(writev, real(fd, v, n_), -1, v, n_) }
ssize_t pwrite(int fd, const void *data, size_t size, off_t to_) { WRITING(pwrite, real(fd, data, size, to_), to_, ONE(data, size), 1) }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t to_) { WRITING(pwrite64, real(fd, data, size, to_), to_, ONE(data, size), 1) }
ssize_t pwritev(int fd, const struct iovec *v, int n_, off_t to_) { WRITING(pwritev, real(fd, v, n_, to_), to_, v, n_) }
ssize_t pwritev64(int fd, const struct iovec *v, int n_, off64_t to_) { WRITING(pwritev64, real(fd, v, n_, to_), to_, v, n_) }

#define CHANGING(name, ours, call, grows, noted) \
  REAL(name); \
  if (!(ours)) return call; \
  if (fails(grows)) return -1; \
  pthread_mutex_lock(&lock); \
  int done = call; \
  if (done == 0) noted; \
  pthread_mutex_unlock(&lock); \
  return done;

int ftruncate(int fd, off_t size) { CHANGING(ftruncate, is_ours(fd), real(fd, size), 0, note(TRUNCATE, fd, size, NULL, NULL, 0)) }
int ftruncate64(int fd, off64_t size) { CHANGING(ftruncate64, is_ours(fd), real(fd, size), 0, note(TRUNCATE, fd, size, NULL, NULL, 0)) }

#define PATHS char full[PATH_MAX], other[PATH_MAX]; (void)other;
int rename(const char *from, const char *to) {
  PATHS CHANGING(rename, resolve(AT_FDCWD, from, full) && resolve(AT_FDCWD, to, other), real(from, to), 0,
    note(RENAME, -1, 0, full, other, strlen(other)))
}
int link(const char *from, const char *to) {
  PATHS CHANGING(link, resolve(AT_FDCWD, from, full) && resolve(AT_FDCWD, to, other), real(from, to), 1,
    note(LINK, -1, 0, full, other, strlen(other)))
}
int unlink(const char *path) { PATHS CHANGING(unlink, resolve(AT_FDCWD, path, full), real(path), 0, note(UNLINK, -1, 0, full, NULL, 0)) }
int remove(const char *path) { PATHS CHANGING(remove, resolve(AT_FDCWD, path, full), real(path), 0, note(UNLINK, -1, 0, full, NULL, 0)) }
int unlinkat(int at, const char *path, int flags) {
  PATHS CHANGING(unlinkat, resolve(at, path, full), real(at, path, flags), 0,
    note(flags & AT_REMOVEDIR ? RMDIR : UNLINK, -1, 0, full, NULL, 0))
}
int rmdir(const char *path) { PATHS CHANGING(rmdir, resolve(AT_FDCWD, path, full), real(path), 0, note(RMDIR, -1, 0, full, NULL, 0)) }
int mkdir(const char *path, mode_t mode) { PATHS CHANGING(mkdir, resolve(AT_FDCWD, path, full), real(path, mode), 1, note(MKDIR, -1, 0, full, NULL, 0)) }

/* Whatever was written before `SYNC` is on the disk at `SYNCED`: writes go on meanwhile. */
#define SYNCING(name) \
  REAL(name); \
  if (!is_ours(fd)) return real(fd); \
  if (*fault == SYNC_FAILS) return errno = EIO, -1; \
  if (*fault == SLOW) nanosleep(&(struct timespec){2, 0}, NULL); \
  note(SYNC, fd, 0, NULL, NULL, 0); \
  int done = real(fd); \
  if (done == 0) note(SYNCED, fd, 0, NULL, NULL, 0); \
  return done;

int fsync(int fd) { SYNCING(fsync) }
int fdatasync(int fd) { SYNCING(fdatasync) }
