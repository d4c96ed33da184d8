// The `pessoas` API in C++: Beast, asio's coroutines on one thread, and libpq.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <unordered_set>

#include "api.hpp"

#include <boost/beast/core.hpp>

using asio::ip::tcp;
using namespace std::chrono_literals;
namespace beast = boost::beast;

// Longer than the balancer's of 60 s, which would send requests to a connection that is closed.
constexpr auto IDLE_WAIT = 75s;
constexpr auto START_WAIT = 30s;
constexpr auto STOP_WAIT = 5s;
// As the balancer has it.
constexpr std::uint64_t BODY_BYTES_MAX = 64 << 10;
constexpr std::uint32_t HEAD_BYTES_MAX = 16 << 10;

struct Sessions {
    std::unordered_set<beast::tcp_stream*> idle;
    std::size_t count = 0;
    bool are_ending = false;
};

// Requests of one connection, in turn. Whoever hangs up ends it by an exception, which nobody needs.
awaitable<void> serve(tcp::socket socket, Pool& pool, Sessions& sessions) {
    socket.set_option(tcp::no_delay(true));
    beast::tcp_stream stream(std::move(socket));
    struct Counted {
        Sessions& sessions;
        beast::tcp_stream& stream;
        ~Counted() {
            sessions.idle.erase(&stream);
            --sessions.count;
        }
    } counted{sessions, stream};
    ++sessions.count;

    beast::flat_buffer buffer;
    for (bool is_kept = true; is_kept;) {
        http::request_parser<http::string_body> parser;
        parser.body_limit(BODY_BYTES_MAX);
        parser.header_limit(HEAD_BYTES_MAX);
        stream.expires_after(IDLE_WAIT);
        sessions.idle.insert(&stream);
        co_await http::async_read(stream, buffer, parser, use_awaitable);
        sessions.idle.erase(&stream);

        Response response = co_await answer(parser.get(), pool);
        is_kept = parser.get().keep_alive() && !sessions.are_ending;
        response.keep_alive(is_kept);
        response.prepare_payload();
        // The length stays that of what a GET would get.
        if (parser.get().method() == http::verb::head) response.body().clear();
        stream.expires_after(IDLE_WAIT);
        co_await http::async_write(stream, response, use_awaitable);
    }
    stream.socket().shutdown(tcp::socket::shutdown_send);
}

awaitable<void> listen(tcp::acceptor& acceptor, Pool& pool, Sessions& sessions) {
    auto executor = co_await asio::this_coro::executor;
    while (!sessions.are_ending) {
        boost::system::error_code error;
        tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, error));
        if (!error) {
            asio::co_spawn(executor, serve(std::move(socket), pool, sessions), asio::detached);
        } else if (!sessions.are_ending) {
            // Descriptors that ran out: others will be closed.
            asio::steady_timer pause(executor, 100ms);
            co_await pause.async_wait(use_awaitable);
        }
    }
}

// On SIGTERM: nobody new, and an end when all requests under way are answered.
awaitable<void> stop(asio::io_context& io, tcp::acceptor& acceptor, Sessions& sessions) {
    asio::signal_set signals(io, SIGTERM, SIGINT);
    co_await signals.async_wait(use_awaitable);
    sessions.are_ending = true;
    acceptor.close();
    for (beast::tcp_stream* stream : sessions.idle) stream->cancel();
    asio::steady_timer pause(io);
    for (auto waited = 0ms; sessions.count > 0 && waited < STOP_WAIT; waited += 20ms) {
        pause.expires_after(20ms);
        co_await pause.async_wait(use_awaitable);
    }
    io.stop();
}

// Whether PostgreSQL can be reached, for which it may take its time.
bool is_reached(const std::string& url) {
    // Whoever accepts and says nothing else must not hold it up.
    setenv("PGCONNECT_TIMEOUT", "5", 0);
    auto deadline = std::chrono::steady_clock::now() + START_WAIT;
    for (;;) {
        PGconn* session = PQconnectdb(url.c_str());
        bool is_open = PQstatus(session) == CONNECTION_OK;
        bool is_late = std::chrono::steady_clock::now() >= deadline;
        if (!is_open && is_late) {
            std::cerr << "database: " << PQerrorMessage(session)
                      << "hint: start PostgreSQL, or say in DATABASE_URL where it is" << std::endl;
        }
        PQfinish(session);
        if (is_open || is_late) return is_open;
        std::this_thread::sleep_for(500ms);
    }
}

std::string setting(const char* name, const char* otherwise) {
    const char* written = std::getenv(name);
    return written ? written : otherwise;
}

int main() {
    try {
        auto port = static_cast<unsigned short>(std::stoi(setting("HTTP_PORT", "8081")));
        auto size = static_cast<std::size_t>(std::stoi(setting("POOL", "6")));
        std::string url = setting("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres");
        if (!is_reached(url)) return 1;
        asio::io_context io(1);
        Pool pool(io.get_executor(), url, size);
        Sessions sessions;
        tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), port});
        asio::co_spawn(io, listen(acceptor, pool, sessions), asio::detached);
        asio::co_spawn(io, stop(io, acceptor, sessions), asio::detached);
        io.run();
        // Without what is left of sessions that did not end in time.
        std::_Exit(0);
    } catch (const std::exception& error) {
        std::cerr << "cannot start: " << error.what() << "\nhint: see HTTP_PORT, POOL and DATABASE_URL" << std::endl;
        return 1;
    }
}
