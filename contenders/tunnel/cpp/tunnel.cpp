// A TCP proxy as most would write it in C++: Asio, a shared session for each connection, a callback for each piece.
// Needs Asio: apt-get install libasio-dev
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#define ASIO_STANDALONE
#include <asio.hpp>

using asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
public:
    explicit Session(tcp::socket client) : client_(std::move(client)), origin_(client_.get_executor()) {}

    void start(const tcp::endpoint &to) {
        origin_.async_connect(to, [self = shared_from_this()](std::error_code error) {
            if (error) {
                return self->close();
            }
            std::error_code ignored;
            self->client_.set_option(tcp::no_delay(true), ignored);
            self->origin_.set_option(tcp::no_delay(true), ignored);
            self->read(self->client_, self->origin_, self->up_);
            self->read(self->origin_, self->client_, self->down_);
        });
    }

private:
    using Buffer = std::array<char, 16 * 1024>;

    void read(tcp::socket &from, tcp::socket &to, Buffer &buffer) {
        from.async_read_some(asio::buffer(buffer),
                             [this, self = shared_from_this(), &from, &to, &buffer](std::error_code error, std::size_t length) {
                                 if (error == asio::error::eof) {
                                     std::error_code ignored;
                                     to.shutdown(tcp::socket::shutdown_send, ignored);
                                 } else if (error) {
                                     close();
                                 } else {
                                     write(from, to, buffer, length);
                                 }
                             });
    }

    void write(tcp::socket &from, tcp::socket &to, Buffer &buffer, std::size_t length) {
        asio::async_write(to, asio::buffer(buffer, length),
                          [this, self = shared_from_this(), &from, &to, &buffer](std::error_code error, std::size_t) {
                              if (error) {
                                  close();
                              } else {
                                  read(from, to, buffer);
                              }
                          });
    }

    // Whoever breaks off ends both sides.
    void close() {
        std::error_code ignored;
        client_.close(ignored);
        origin_.close(ignored);
    }

    tcp::socket client_;
    tcp::socket origin_;
    Buffer up_;
    Buffer down_;
};

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: tunnel-cpp PORT ORIGIN_PORT\n");
        return 2;
    }
    const auto address = asio::ip::address_v4::loopback();
    const auto port = [&](int at) { return static_cast<unsigned short>(std::atoi(argv[at])); };
    const tcp::endpoint to(address, port(2));
    asio::io_context context(1);
    tcp::acceptor acceptor(context, tcp::endpoint(address, port(1)));
    acceptor.listen(4096);
    asio::steady_timer pause(context);
    std::function<void()> accept = [&] {
        acceptor.async_accept([&](std::error_code error, tcp::socket client) {
            if (error) {
                std::fprintf(stderr, "accept: %s\n", error.message().c_str());
                pause.expires_after(std::chrono::milliseconds(10));
                return pause.async_wait([&](std::error_code) { accept(); });
            }
            std::make_shared<Session>(std::move(client))->start(to);
            accept();
        });
    };
    accept();
    context.run();
}
