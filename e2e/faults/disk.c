/*
 * A disk that a test drives, put under a process by LD_PRELOAD. What concerns files of DISK_FOLDER:
 * - every sync takes DISK_SYNC_MS more, and is counted in DISK_FOLDER/disk.syncs, a byte each;
 * - while DISK_FOLDER/disk.fails exists, syncs fail (EIO); while disk.full exists, writes do (ENOSPC); while
 *   disk.full-database exists, only those to the database file;
 * - with DISK_SHADOW, a folder, each finished sync leaves there what it has brought to the disk: the file as it was
 *   when the sync began. A power cut at any moment leaves at least that, and here exactly that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The file's name below DISK_FOLDER, or NULL where it is none of ours. */
static const char *ours(int fd, char *path, size_t size) {
  const char *folder = getenv("DISK_FOLDER");
  char link[64];
  if (!folder) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  size_t prefix = strlen(folder);
  if (strncmp(path, folder, prefix) != 0 || path[prefix] != '/') return NULL;
  const char *name = path + prefix + 1;
  return strstr(name, ".db") ? name : NULL;
}

static int told(const char *what) {
  char path[4096];
  snprintf(path, sizeof path, "%s/disk.%s", getenv("DISK_FOLDER"), what);
  return access(path, F_OK) == 0;
}

static void count_sync(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/disk.syncs", getenv("DISK_FOLDER"));
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, ".", 1);
  close(fd);
}

/* From the descriptor at hand: to open the database by its path and close it would end SQLite's locks on it. */
static void copy(int from, const char *to) {
  char buffer[1 << 16];
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  off_t at = 0;
  for (ssize_t got; (got = pread(from, buffer, sizeof buffer, at)) > 0; at += got) write(out, buffer, got);
  close(out);
}

static int synced(int fd, long call) {
  char path[4096], taken[4200], kept[4200];
  const char *name = ours(fd, path, sizeof path);
  if (!name) return syscall(call, fd);
  const char *shadow = getenv("DISK_SHADOW"), *ms = getenv("DISK_SYNC_MS");
  if (told("fails")) {
    errno = EIO;
    return -1;
  }
  if (shadow) {
    pthread_mutex_lock(&one_at_a_time);
    snprintf(taken, sizeof taken, "%s/taken", shadow);
    snprintf(kept, sizeof kept, "%s/%s", shadow, name);
    copy(fd, taken);
  }
  if (ms) {
    struct timespec pause = {atol(ms) / 1000, atol(ms) % 1000 * 1000000};
    nanosleep(&pause, NULL);
  }
  int result = syscall(call, fd);
  count_sync();
  if (shadow) {
    rename(taken, kept);
    pthread_mutex_unlock(&one_at_a_time);
  }
  return result;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static ssize_t written(int fd, const void *data, size_t size, off_t at) {
  char path[4096];
  const char *name = ours(fd, path, sizeof path);
  if (name && (told("full") || (told("full-database") && strcmp(name + strlen(name) - 3, ".db") == 0))) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_pwrite64, fd, data, size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return written(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return written(fd, data, size, at); }
