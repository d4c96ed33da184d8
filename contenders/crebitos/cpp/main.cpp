// The `crebitos` API in C++: Beast, asio's coroutines on one thread, and libpq.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "api.hpp"

#include <boost/beast/core.hpp>

using asio::ip::tcp;
using namespace std::chrono_literals;
namespace beast = boost::beast;

// Longer than the balancer's 60 s, which would send requests to a connection that is closed.
constexpr auto IDLE_WAIT = 75s;
constexpr auto START_WAIT = 30s;
constexpr auto STOP_WAIT = 5s;
// As the balancer has it.
constexpr std::uint64_t BODY_BYTES_MAX = 64 << 10;

struct Requests {
    int under_way = 0;
    bool are_last = false;
};

// Answers the requests of one connection in turn. A client that hangs up ends it by an exception, which needs no answer.
awaitable<void> serve(tcp::socket socket, Pool& pool, Requests& requests) {
    socket.set_option(tcp::no_delay(true));
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    for (bool is_kept = true; is_kept;) {
        http::request_parser<http::string_body> parser;
        parser.body_limit(BODY_BYTES_MAX);
        stream.expires_after(IDLE_WAIT);
        co_await http::async_read(stream, buffer, parser, use_awaitable);

        struct Counted {
            int& count;
            ~Counted() { --count; }
        } counted{++requests.under_way};
        Response response = co_await answer(parser.get(), pool);
        is_kept = parser.get().keep_alive() && !requests.are_last;
        response.keep_alive(is_kept);
        response.prepare_payload();
        stream.expires_after(IDLE_WAIT);
        co_await http::async_write(stream, response, use_awaitable);
    }
    stream.socket().shutdown(tcp::socket::shutdown_send);
}

awaitable<void> listen(tcp::acceptor& acceptor, Pool& pool, Requests& requests) {
    auto executor = co_await asio::this_coro::executor;
    while (acceptor.is_open()) {
        boost::system::error_code error;
        tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, error));
        if (!error) asio::co_spawn(executor, serve(std::move(socket), pool, requests), asio::detached);
        // Other connections that are closed give descriptors back.
        if (error == boost::system::errc::too_many_files_open) {
            asio::steady_timer pause(executor, 100ms);
            co_await pause.async_wait(use_awaitable);
        }
    }
}

// On SIGTERM no connection is taken any more, and the requests under way are answered.
awaitable<void> stop(asio::io_context& io, tcp::acceptor& acceptor, Requests& requests) {
    asio::signal_set signals(io, SIGTERM, SIGINT);
    co_await signals.async_wait(use_awaitable);
    acceptor.close();
    requests.are_last = true;
    asio::steady_timer pause(io);
    for (auto waited = 0ms; requests.under_way > 0 && waited < STOP_WAIT; waited += 20ms) {
        pause.expires_after(20ms);
        co_await pause.async_wait(use_awaitable);
    }
    io.stop();
}

void wait_for_database(const std::string& url) {
    for (auto deadline = std::chrono::steady_clock::now() + START_WAIT; PQping(url.c_str()) != PQPING_OK;) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("PostgreSQL takes no connection");
        std::this_thread::sleep_for(200ms);
    }
}

std::string setting(const char* name, const char* otherwise) {
    const char* written = std::getenv(name);
    return written ? written : otherwise;
}

int main() {
    try {
        auto port = static_cast<unsigned short>(std::stoi(setting("HTTP_PORT", "8081")));
        int size = std::stoi(setting("POOL", "4"));
        std::string url = setting("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres");
        // A server that accepts and says nothing else must not hold this up.
        setenv("PGCONNECT_TIMEOUT", "2", 0);
        wait_for_database(url);
        asio::io_context io(1);
        Pool pool(io.get_executor(), url, size);
        Requests requests;
        tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), port});
        asio::co_spawn(io, listen(acceptor, pool, requests), asio::detached);
        asio::co_spawn(io, stop(io, acceptor, requests), asio::detached);
        io.run();
        // Connections that are still open are left to the system.
        std::_Exit(0);
    } catch (const std::exception& error) {
        std::cerr << "cannot start: " << error.what() << "\nhint: see HTTP_PORT, POOL and DATABASE_URL" << std::endl;
        return 1;
    }
}
