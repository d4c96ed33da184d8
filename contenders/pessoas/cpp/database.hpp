// A pool of connections to PostgreSQL. libpq never waits here: asio says when it has something to read.
#pragma once

#include <utility> // Boost 1.74 uses std::exchange without it

#include <cerrno>
#include <chrono>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio.hpp>
#include <postgresql/libpq-fe.h>
#include <sys/socket.h>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

// No connection became free in time.
struct Busy {};

// PostgreSQL cannot be reached, or says no.
struct DatabaseError : std::runtime_error {
    using std::runtime_error::runtime_error;
    std::string state = {}; // five characters; empty where there was no answer
};

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

// A null pointer is NULL. What they point at lives until the answer has come.
using Parameters = std::vector<const char*>;

struct Statement {
    const char* name;
    const char* text;
};

inline constexpr Statement INSERT{"insert", "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) "
                                            "VALUES (gen_random_uuid(), $1, $2, $3, $4::text[]) "
                                            "ON CONFLICT (apelido) DO NOTHING RETURNING id"};
// `to_json` is the whole answer, so nothing is written twice.
inline constexpr Statement FIND{"find", "SELECT to_json(p) FROM (SELECT id, apelido, nome, nascimento, stack "
                                        "FROM pessoas WHERE id = $1) p"};
inline constexpr Statement SEARCH{"search", "SELECT to_json(p) FROM (SELECT id, apelido, nome, nascimento, stack "
                                            "FROM pessoas WHERE busca LIKE lower($1) LIMIT 50) p"};
inline constexpr Statement COUNT{"count", "SELECT count(*) FROM pessoas"};
inline constexpr Statement STATEMENTS[]{INSERT, FIND, SEARCH, COUNT};

class Connection {
public:
    explicit Connection(asio::any_io_executor executor) : socket(executor) {}
    ~Connection() { close(); }

    // One that is idle has nothing to read, unless the server has ended it.
    bool is_open() const {
        char byte;
        return PQstatus(session) == CONNECTION_OK && recv(PQsocket(session), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
               errno == EAGAIN;
    }

    awaitable<void> open(const std::string& url) {
        close();
        session = PQconnectStart(url.c_str());
        auto polling = PGRES_POLLING_WRITING;
        while (polling != PGRES_POLLING_OK) {
            if (polling == PGRES_POLLING_FAILED || PQstatus(session) == CONNECTION_BAD) fail();
            // It may be another one after each step.
            socket.assign(PQsocket(session));
            auto event = polling == PGRES_POLLING_READING ? socket.wait_read : socket.wait_write;
            co_await socket.async_wait(event, use_awaitable);
            socket.release();
            polling = PQconnectPoll(session);
        }
        socket.assign(PQsocket(session));
        for (const Statement& statement : STATEMENTS) {
            if (!PQsendPrepare(session, statement.name, statement.text, 0, nullptr)) fail();
            co_await answer();
        }
    }

    awaitable<Result> query(const Statement& statement, const Parameters& parameters) {
        int count = static_cast<int>(parameters.size());
        if (!PQsendQueryPrepared(session, statement.name, count, parameters.data(), nullptr, nullptr, 0)) fail();
        co_return co_await answer();
    }

private:
    // The last result, when there is nothing more to come: only then is a statement committed.
    awaitable<Result> answer() {
        Result last;
        for (;;) {
            while (PQisBusy(session)) {
                co_await socket.async_wait(socket.wait_read, use_awaitable);
                if (!PQconsumeInput(session)) fail();
            }
            Result next(PQgetResult(session));
            if (!next) break;
            last = std::move(next);
        }
        if (PQresultStatus(last.get()) == PGRES_FATAL_ERROR) {
            forget_if_closed();
            DatabaseError error(PQresultErrorMessage(last.get()));
            if (const char* state = PQresultErrorField(last.get(), PG_DIAG_SQLSTATE)) error.state = state;
            throw error;
        }
        co_return last;
    }

    [[noreturn]] void fail() {
        forget_if_closed();
        throw DatabaseError(PQerrorMessage(session));
    }

    // Of a session that broke, libpq has closed the descriptor, and the next socket of all gets its number: released later than that,
    // asio would no longer watch the other one.
    void forget_if_closed() {
        if (socket.is_open() && PQsocket(session) < 0) socket.release();
    }

    // The descriptor is libpq's, which closes it.
    void close() {
        if (socket.is_open()) socket.release();
        PQfinish(session);
        session = nullptr;
    }

    asio::posix::stream_descriptor socket;
    PGconn* session = nullptr;
};

class Pool {
public:
    Pool(asio::any_io_executor executor, std::string url, std::size_t size) : executor(executor), url(url) {
        for (std::size_t n = 0; n < size; ++n) idle.push_back(std::make_unique<Connection>(executor));
    }

    awaitable<Result> query(const Statement& statement, const Parameters& parameters) {
        auto connection = co_await take();
        Lease lease{*this, std::move(connection)};
        if (!lease.connection->is_open()) co_await lease.connection->open(url);
        co_return co_await lease.connection->query(statement, parameters);
    }

private:
    struct Lease {
        Pool& pool;
        std::unique_ptr<Connection> connection;
        ~Lease() { pool.give(std::move(connection)); }
    };

    struct Waiting {
        asio::steady_timer timer;
        std::unique_ptr<Connection> connection;
    };

    awaitable<std::unique_ptr<Connection>> take() {
        if (!idle.empty()) {
            auto connection = std::move(idle.back());
            idle.pop_back();
            co_return connection;
        }
        Waiting waiting{asio::steady_timer(executor, std::chrono::seconds(5)), nullptr};
        auto place = queue.insert(queue.end(), &waiting);
        boost::system::error_code ended;
        co_await waiting.timer.async_wait(asio::redirect_error(use_awaitable, ended));
        if (!waiting.connection) {
            queue.erase(place);
            throw Busy{};
        }
        co_return std::move(waiting.connection);
    }

    void give(std::unique_ptr<Connection> connection) {
        if (queue.empty()) {
            idle.push_back(std::move(connection));
            return;
        }
        Waiting& first = *queue.front();
        queue.pop_front();
        first.connection = std::move(connection);
        first.timer.cancel();
    }

    asio::any_io_executor executor;
    std::string url;
    std::vector<std::unique_ptr<Connection>> idle;
    std::list<Waiting*> queue;
};
