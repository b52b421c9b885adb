/* wire -- a network of a limited rate and latency between network namespaces,
 * for cluster.sh: a switch with a cable to each.
 *
 *     ip netns add one; ip netns add two
 *     wire 1e9 100e-6 one two &                 1 Gb/s in each direction of
 * each cable, 100 us from end to end; ends with SIGTERM
 *
 * Every namespace gets an interface wire0, which has to be given an address. A
 * frame starts when the cable of its sender is free, takes its bits by the
 * rate, waits in the switch until the cable of its receiver is free, and is
 * handed over a latency later. No more frames are taken from a sender than its
 * cable will carry in the next millisecond: others wait in its interface, whose
 * queue (txqueuelen) should have room for all that TCP sends ahead (tcp_wmem),
 * which should be little. Otherwise acknowledgements wait behind data, or
 * frames are lost where several send to one, and TCP reaches two thirds of the
 * rate. Needs root and /dev/net/tun.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    PORTS = 64,
    FRAME = 1 << 16,
    QUEUE = 1 << 14,
    ADDRESS = 6,
    TAGS = 38 /* bytes of preamble, gap and sum */
};

typedef struct frame {
    double due;
    int n;
    char *bytes;
} frame;

/* Frames for a port are due in the order in which they came. */
typedef struct port {
    int fd;
    unsigned char address[ADDRESS];
    double sends_until, gets_until;
    frame queue[QUEUE];
    unsigned first, last;
} port;

static port ports[PORTS];
static int n_ports;
static double rate, latency;
static const double AHEAD = 1e-3; /* seconds that a cable is filled for */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static int open_port(const char *space) {
    char path[256];
    struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(path, sizeof path, "/var/run/netns/%s", space);
    const int here = open("/proc/self/ns/net", O_RDONLY), there = open(path, O_RDONLY);
    if (here < 0 || there < 0 || setns(there, CLONE_NEWNET)) fail(path);
    const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    strcpy(r.ifr_name, "wire0");
    if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) fail("/dev/net/tun");
    if (setns(here, CLONE_NEWNET)) fail("setns");
    close(here);
    close(there);
    return fd;
}

static double later(double a, double b) {
    return a > b ? a : b;
}

static void put(port *from, port *to, const char *bytes, int n) {
    if (to->last - to->first == QUEUE) return; /* lost: TCP sends it again */
    const double takes = 8.0 * (n + TAGS) / rate, start = later(now(), from->sends_until);
    frame *f = &to->queue[to->last++ % QUEUE];
    from->sends_until = start + takes;
    to->gets_until = later(start, to->gets_until) + takes;
    *f = (frame){.due = to->gets_until + latency, .n = n, .bytes = malloc((size_t)n)};
    if (!f->bytes) fail("malloc");
    memcpy(f->bytes, bytes, (size_t)n);
}

static void take(port *from) {
    static char bytes[FRAME];
    for (int n; from->sends_until <= now() + AHEAD &&
                (n = (int)read(from->fd, bytes, sizeof bytes)) > 2 * ADDRESS;) {
        port *to = NULL;
        memcpy(from->address, bytes + ADDRESS, ADDRESS);
        for (int i = 0; i < n_ports; i++)
            if (memcmp(ports[i].address, bytes, ADDRESS) == 0) to = &ports[i];
        for (int i = 0; i < n_ports; i++)
            if (to ? &ports[i] == to : &ports[i] != from) put(from, &ports[i], bytes, n);
    }
}

/* Hands over what is due; seconds until the next. */
static double hand_over(port *to) {
    while (to->first != to->last) {
        frame *f = &to->queue[to->first % QUEUE];
        const double left = f->due - now();
        if (left > 0) return left;
        if (write(to->fd, f->bytes, (size_t)f->n) < 0 && errno == EAGAIN) return 1e-4;
        free(f->bytes);
        to->first++;
    }
    return 1;
}

int main(int argc, char **argv) {
    struct pollfd waits[PORTS];
    if (argc < 4 || argc - 3 > PORTS || (rate = atof(argv[1])) <= 0) {
        fprintf(stderr, "wire BITS_A_SECOND SECONDS NAMESPACE...\n");
        return 2;
    }
    latency = atof(argv[2]);
    for (; n_ports < argc - 3; n_ports++) {
        ports[n_ports].fd = open_port(argv[n_ports + 3]);
        waits[n_ports] = (struct pollfd){.fd = ports[n_ports].fd, .events = POLLIN};
    }
    for (;;) {
        double next = 1;
        for (int i = 0; i < n_ports; i++) {
            const double left = hand_over(&ports[i]);
            if (left < next) next = left;
            const double busy = ports[i].sends_until - now() - AHEAD;
            waits[i].events = busy > 0 ? 0 : POLLIN;
            if (busy > 0 && busy < next) next = busy;
        }
        const struct timespec t = {(time_t)next, (long)(1e9 * (next - (double)(time_t)next))};
        if (ppoll(waits, (nfds_t)n_ports, &t, NULL) < 0 && errno != EINTR) fail("ppoll");
        for (int i = 0; i < n_ports; i++)
            if (waits[i].revents & POLLIN) take(&ports[i]);
    }
}
