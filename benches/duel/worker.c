// A server of which every start is like every other: worker PORT ROUNDS
//
// One thread, no heap, no collector, nothing compiled while it runs: each answer takes so many rounds of a fixed
// calculation, and two starts of it differ by little more than where their pages lie. It serves `benches/duel/truth`,
// knows no paths, and takes every read that ends with an empty line for one request.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"ok\": true}";

static volatile uint64_t sink;

static void work(long rounds) {
    uint64_t x = 88172645463325252u;
    for (long round = 0; round < rounds; round++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    sink = x;
}

static void check(int result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: worker PORT ROUNDS\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    long rounds = atol(arguments[2]);
    int listener = socket(AF_INET, SOCK_STREAM, 0), queue = epoll_create1(0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    check(listen(listener, 4096), "listen");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    check(epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
    static char request[1 << 16];
    for (;;) {
        int ready = epoll_wait(queue, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int client = events[i].data.fd;
            if (client == listener) {
                client = accept(listener, NULL, NULL);
                if (client < 0) continue;
                setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = client};
                check(epoll_ctl(queue, EPOLL_CTL_ADD, client, &event), "epoll_ctl");
                continue;
            }
            ssize_t length = read(client, request, sizeof request);
            if (length < 4 || memcmp(request + length - 4, "\r\n\r\n", 4) != 0) {
                close(client);
                continue;
            }
            work(rounds);
            if (write(client, ANSWER, sizeof ANSWER - 1) < 0) close(client);
        }
    }
}
