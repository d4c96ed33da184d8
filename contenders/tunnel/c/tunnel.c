// A TCP proxy as most would write it in C: one thread, epoll, and splice, so that no byte is copied into this process.
// Each direction has a pipe, which is all that is ever held of it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, PIECE = 64 * 1024 };

// One end of a tunnel, and what it sends to the other one.
struct side {
    int fd;
    int pipe[2];
    size_t held; // bytes in the pipe
    bool at_end; // it sends nothing more
    bool told;   // ... and the other side was told so
    struct tunnel *tunnel;
};

struct tunnel {
    struct side client, origin;
    bool over;
    struct tunnel *next; // in the list of those to be freed
};

static int epoll;
static struct tunnel *over;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static struct sockaddr_in loopback(const char *port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static void end(struct tunnel *tunnel) {
    if (tunnel->over)
        return;
    tunnel->over = true;
    struct side *sides[] = {&tunnel->client, &tunnel->origin};
    for (int i = 0; i < 2; i++) {
        close(sides[i]->fd);
        close(sides[i]->pipe[0]);
        close(sides[i]->pipe[1]);
    }
    // Events of it may still be waiting in this batch.
    tunnel->next = over;
    over = tunnel;
}

// Carries on whatever can be carried on in one direction.
static void pump(struct side *from, struct side *to) {
    while (!from->tunnel->over && !from->told) {
        if (from->held == 0 && !from->at_end) {
            ssize_t came = splice(from->fd, NULL, from->pipe[1], NULL, PIECE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
            if (came < 0) {
                if (errno != EAGAIN)
                    end(from->tunnel);
                return;
            }
            from->held = came;
            from->at_end = came == 0;
        }
        if (from->held > 0) {
            ssize_t went = splice(from->pipe[0], NULL, to->fd, NULL, from->held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
            if (went < 0) {
                if (errno != EAGAIN)
                    end(from->tunnel);
                return;
            }
            from->held -= went;
        } else if (from->at_end) {
            // Not connected yet: it is told once it is. (Shut down now, it would give up connecting.)
            struct sockaddr_in peer;
            socklen_t length = sizeof peer;
            if (getpeername(to->fd, (struct sockaddr *)&peer, &length) < 0)
                return;
            shutdown(to->fd, SHUT_WR);
            from->told = true;
        }
    }
    if (from->told && to->told)
        end(from->tunnel);
}

static bool watch(struct side *side) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = side};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, side->fd, &event) == 0;
}

static void begin(int client, const struct sockaddr_in *to) {
    struct tunnel *tunnel = calloc(1, sizeof *tunnel);
    if (!tunnel) {
        close(client);
        return;
    }
    struct side *sides[] = {&tunnel->client, &tunnel->origin};
    for (int i = 0; i < 2; i++)
        *sides[i] = (struct side){.fd = -1, .pipe = {-1, -1}, .tunnel = tunnel};
    tunnel->client.fd = client;
    tunnel->origin.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    bool good = tunnel->origin.fd >= 0;
    for (int i = 0; i < 2 && good; i++) {
        setsockopt(sides[i]->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        good = pipe2(sides[i]->pipe, O_NONBLOCK | O_CLOEXEC) == 0;
    }
    good = good && (connect(tunnel->origin.fd, (const struct sockaddr *)to, sizeof *to) == 0 || errno == EINPROGRESS);
    if (!good || !watch(&tunnel->client) || !watch(&tunnel->origin)) {
        perror("tunnel");
        end(tunnel);
    }
}

static void accept_all(int listener, const struct sockaddr_in *to) {
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0) {
            begin(client, to);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            usleep(10 * 1000); // the others go on; the listener is asked again
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: tunnel-c PORT ORIGIN_PORT\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
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
        int count = epoll_wait(epoll, events, EVENTS, -1);
        if (count < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < count; i++) {
            struct side *side = events[i].data.ptr;
            if (!side) {
                accept_all(listener, &to);
                continue;
            }
            struct tunnel *tunnel = side->tunnel;
            struct side *other = side == &tunnel->client ? &tunnel->origin : &tunnel->client;
            pump(side, other);
            pump(other, side);
            // What came before it has been carried on; a side that is not read any more tells in no other way.
            if (events[i].events & EPOLLERR)
                end(tunnel);
        }
        while (over) {
            struct tunnel *next = over->next;
            free(over);
            over = next;
        }
    }
}
