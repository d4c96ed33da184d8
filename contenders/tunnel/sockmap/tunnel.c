// A TCP proxy inside the kernel: once both ends of a tunnel are connected they are put into a sockmap, where a BPF program of a
// dozen instructions hands whatever one end receives to the other one's sending side. This process only accepts, connects, and
// sees to the ends, which a sockmap does not pass on. Needs root, and a kernel with CONFIG_BPF_STREAM_PARSER.
//
// - What a client sent before its socket was in the map lies in its queue. Setting SO_RCVLOWAT makes the kernel look at the queue
//   anew, so it goes the same way as all that follows, in order.
// - A socket whose client has ended its direction already is let into no sockmap. Such a tunnel is carried by copying.
// - What was handed over may still wait to be sent when the end of the stream is seen. So the end is handed on when as many bytes
//   were queued at the other end (acknowledged, in flight, unsent) as were received here.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = 256, SOCKETS = 16384, ENDING_MS = 1, PIECE = 16 * 1024 };

struct side {
    int fd;
    uint32_t place;  // in the sockmap
    uint64_t cookie;
    uint64_t before; // what counts as sent of a connection on which nothing was
    bool at_end;     // it sends nothing more
    bool told;       // ... and the other side was told so
    char *held;      // where it is copied: read from it, and not written to the other side
    size_t begin, length;
    struct tunnel *tunnel;
};

struct tunnel {
    struct side client, origin;
    bool joined, copied, ending, over;
    struct tunnel *next_ending, *next_over;
};

// The maps: place to socket, where all are that may be sent to, and those whose bytes are handed over; cookie to the place of the other end.
static int epoll, targets, sockets, peers;
static struct tunnel *ending, *over;
static uint32_t free_places[SOCKETS / 2];
static int free_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int bpf(int command, union bpf_attr *attr) {
    return syscall(SYS_bpf, command, attr, sizeof *attr);
}

static int map(enum bpf_map_type type, int key, int value) {
    union bpf_attr attr = {.map_type = type, .key_size = key, .value_size = value, .max_entries = SOCKETS};
    int fd = bpf(BPF_MAP_CREATE, &attr);
    if (fd < 0)
        fail("bpf: no map (root is needed)");
    return fd;
}

static int put(int map, const void *key, const void *value) {
    union bpf_attr attr = {.map_fd = map, .key = (uintptr_t)key, .value = (uintptr_t)value};
    return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static void take_out(int map, const void *key) {
    union bpf_attr attr = {.map_fd = map, .key = (uintptr_t)key};
    bpf(BPF_MAP_DELETE_ELEM, &attr); // a closed socket has left its map by itself
}

#define INSN(c, d, s, o, i) ((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MAP_IN(reg, fd) INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)

// Redirects to the place that belongs to the socket's cookie; a socket without one keeps what it received. An end of a stream comes as
// a buffer of no bytes, which is dropped: sent on, it would break the other end.
static void load_program(void) {
    struct bpf_insn program[] = {
        INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
        INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 1, offsetof(struct __sk_buff, len), 0),
        INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 14, SK_DROP),
        INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_socket_cookie),
        INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 0, -8, 0),
        MAP_IN(1, peers),
        INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
        INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8),
        INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
        INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7, 0),
        INSN(BPF_LDX | BPF_MEM | BPF_W, 3, 0, 0, 0),
        INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0),
        MAP_IN(2, targets),
        INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0),
        INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_sk_redirect_map),
        INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
        INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, SK_PASS),
        INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
    static char log[16384];
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_SK_SKB,
                           .insns = (uintptr_t)program,
                           .insn_cnt = sizeof program / sizeof *program,
                           .license = (uintptr_t)"GPL",
                           .log_buf = (uintptr_t)log,
                           .log_size = sizeof log,
                           .log_level = 1};
    int loaded = bpf(BPF_PROG_LOAD, &attr);
    if (loaded < 0) {
        fputs(log, stderr);
        fail("bpf: no program");
    }
    union bpf_attr attach = {.target_fd = sockets, .attach_bpf_fd = loaded, .attach_type = BPF_SK_SKB_STREAM_VERDICT};
    if (bpf(BPF_PROG_ATTACH, &attach) < 0)
        fail("bpf: not attached");
}

static struct sockaddr_in loopback(const char *port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static struct tcp_info info_of(int fd) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length);
    return info;
}

// All that was ever queued for sending: acknowledged, in flight, unsent.
static uint64_t sent(int fd) {
    // In this order what is acknowledged meanwhile is missed, and not counted twice.
    uint64_t acknowledged = info_of(fd).tcpi_bytes_acked;
    int waiting = 0;
    ioctl(fd, SIOCOUTQ, &waiting);
    return acknowledged + waiting;
}

static void end(struct tunnel *tunnel) {
    if (tunnel->over)
        return;
    tunnel->over = true;
    struct side *sides[] = {&tunnel->client, &tunnel->origin};
    for (int i = 0; i < 2; i++) {
        if (tunnel->joined) {
            take_out(peers, &sides[i]->cookie);
            take_out(sockets, &sides[i]->place);
            take_out(targets, &sides[i]->place);
        }
        close(sides[i]->fd);
        free(sides[i]->held);
    }
    free_places[free_count++] = tunnel->client.place;
    // Events of it may still be waiting in this batch.
    tunnel->next_over = over;
    over = tunnel;
}

// Hands the end of one direction on, once all before it was queued. The end itself counts as a byte received.
static bool hand_on(struct side *from, struct side *to) {
    if (!from->at_end || from->told)
        return true;
    if (sent(to->fd) - to->before < info_of(from->fd).tcpi_bytes_received - 1)
        return false;
    shutdown(to->fd, SHUT_WR);
    from->told = true;
    return true;
}

// `true`: nothing of it is left to be looked at.
static bool end_when_over(struct tunnel *tunnel) {
    if (tunnel->over)
        return true;
    bool settled = hand_on(&tunnel->client, &tunnel->origin) & hand_on(&tunnel->origin, &tunnel->client);
    if (tunnel->client.told && tunnel->origin.told)
        end(tunnel);
    return settled;
}

static void look_at_endings(void) {
    struct tunnel *left = NULL;
    while (ending) {
        struct tunnel *tunnel = ending;
        ending = tunnel->next_ending;
        tunnel->ending = !end_when_over(tunnel);
        if (tunnel->ending) {
            tunnel->next_ending = left;
            left = tunnel;
        }
    }
    ending = left;
}

// Carries on whatever can be carried on in one direction.
static void copy(struct side *from, struct side *to) {
    while (!from->tunnel->over && !from->told) {
        if (from->length == 0 && !from->at_end) {
            ssize_t came = read(from->fd, from->held, PIECE);
            if (came < 0) {
                if (errno != EAGAIN)
                    end(from->tunnel);
                return;
            }
            from->begin = 0;
            from->length = came;
            from->at_end = came == 0;
        } else if (from->length > 0) {
            ssize_t went = write(to->fd, from->held + from->begin, from->length);
            if (went < 0) {
                if (errno != EAGAIN)
                    end(from->tunnel);
                return;
            }
            from->begin += went;
            from->length -= went;
        } else {
            shutdown(to->fd, SHUT_WR);
            from->told = true;
        }
    }
}

static void copy_both(struct tunnel *tunnel) {
    copy(&tunnel->client, &tunnel->origin);
    copy(&tunnel->origin, &tunnel->client);
    if (tunnel->client.told && tunnel->origin.told)
        end(tunnel);
}

static bool watch(struct side *side, int operation, uint32_t events) {
    struct epoll_event event = {.events = events | EPOLLET, .data.ptr = side};
    return epoll_ctl(epoll, operation, side->fd, &event) == 0;
}

// Both sides leave their maps, before anything was handed over.
static bool begin_copying(struct tunnel *tunnel) {
    struct side *sides[] = {&tunnel->client, &tunnel->origin};
    tunnel->copied = true;
    for (int i = 0; i < 2; i++) {
        take_out(peers, &sides[i]->cookie);
        take_out(targets, &sides[i]->place);
        sides[i]->at_end = false; // it is read to its end
        sides[i]->held = malloc(PIECE);
        if (!sides[i]->held || !watch(sides[i], EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT | EPOLLRDHUP))
            return false;
    }
    copy_both(tunnel);
    return true;
}

// From here on the kernel carries everything.
static bool join(struct tunnel *tunnel) {
    struct side *sides[] = {&tunnel->client, &tunnel->origin};
    for (int i = 0; i < 2; i++) {
        socklen_t length = sizeof sides[i]->cookie;
        if (getsockopt(sides[i]->fd, SOL_SOCKET, SO_COOKIE, &sides[i]->cookie, &length) < 0)
            return false;
        sides[i]->before = sent(sides[i]->fd);
    }
    tunnel->joined = true;
    // First where to, of both, then whose: nothing is handed to a place that is not there yet.
    for (int i = 0; i < 2; i++) {
        uint32_t fd = sides[i]->fd;
        if (put(targets, &sides[i]->place, &fd) < 0)
            return errno == EOPNOTSUPP && begin_copying(tunnel);
    }
    for (int i = 0; i < 2; i++)
        if (put(peers, &sides[i]->cookie, &sides[1 - i]->place) < 0)
            return false;
    // The client first: where it has ended meanwhile, nothing was handed over yet. (An origin that has is broken off.)
    for (int i = 0; i < 2; i++) {
        uint32_t fd = sides[i]->fd;
        if (put(sockets, &sides[i]->place, &fd) < 0)
            return i == 0 && errno == EOPNOTSUPP && begin_copying(tunnel);
    }
    int one = 1;
    for (int i = 0; i < 2; i++)
        setsockopt(sides[i]->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
    return true;
}

static void begin(int client, const struct sockaddr_in *to) {
    struct tunnel *tunnel = free_count > 0 ? calloc(1, sizeof *tunnel) : NULL;
    int origin = tunnel ? socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
    if (origin < 0) {
        free(tunnel);
        close(client);
        return;
    }
    uint32_t place = free_places[--free_count];
    tunnel->client = (struct side){.fd = client, .place = place, .tunnel = tunnel};
    tunnel->origin = (struct side){.fd = origin, .place = place + 1, .tunnel = tunnel};
    int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(origin, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bool good = connect(origin, (const struct sockaddr *)to, sizeof *to) == 0 || errno == EINPROGRESS;
    if (!good || !watch(&tunnel->client, EPOLL_CTL_ADD, EPOLLRDHUP) ||
        !watch(&tunnel->origin, EPOLL_CTL_ADD, EPOLLOUT | EPOLLRDHUP))
        end(tunnel);
}

static void accept_all(int listener, const struct sockaddr_in *to) {
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0) {
            begin(client, to);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            usleep(10 * 1000);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static void ready(struct side *side, uint32_t events) {
    struct tunnel *tunnel = side->tunnel;
    if (events & EPOLLERR) {
        end(tunnel);
        return;
    }
    if (tunnel->copied) {
        copy_both(tunnel);
        return;
    }
    if (side == &tunnel->origin && !tunnel->joined && (events & EPOLLOUT) && !join(tunnel)) {
        end(tunnel);
        return;
    }
    if (tunnel->copied)
        return;
    side->at_end |= (events & EPOLLRDHUP) != 0;
    if (tunnel->joined && !tunnel->over && !tunnel->ending && !end_when_over(tunnel)) {
        tunnel->ending = true;
        tunnel->next_ending = ending;
        ending = tunnel;
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: tunnel-sockmap PORT ORIGIN_PORT\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    targets = map(BPF_MAP_TYPE_SOCKMAP, 4, 4);
    sockets = map(BPF_MAP_TYPE_SOCKMAP, 4, 4);
    peers = map(BPF_MAP_TYPE_HASH, 8, 4);
    load_program();
    for (uint32_t place = 0; place < SOCKETS; place += 2)
        free_places[free_count++] = place;
    struct sockaddr_in bind_to = loopback(argv[1]), to = loopback(argv[2]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&bind_to, sizeof bind_to) < 0 || listen(listener, 4096) < 0)
        fail("listen");
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0)
        fail("epoll");
    for (;;) {
        struct epoll_event events[EVENTS];
        int count = epoll_wait(epoll, events, EVENTS, ending ? ENDING_MS : -1);
        if (count < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < count; i++) {
            struct side *side = events[i].data.ptr;
            if (!side)
                accept_all(listener, &to);
            else if (!side->tunnel->over)
                ready(side, events[i].events);
        }
        look_at_endings();
        while (over) {
            struct tunnel *next = over->next_over;
            free(over);
            over = next;
        }
    }
}
