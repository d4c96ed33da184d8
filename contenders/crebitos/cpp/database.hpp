// A pool of connections to PostgreSQL. No query waits here: asio says when there is something to read.
#pragma once

#include <utility> // Boost 1.74 uses std::exchange without it

#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio.hpp>
#include <postgresql/libpq-fe.h>
#include <sys/socket.h>
#include <unistd.h>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

// No connection became free in time.
struct Busy {};

struct DatabaseError : std::runtime_error {
    using std::runtime_error::runtime_error;
    std::string state = {}; // five characters; empty where there was no answer
};

struct Free {
    void operator()(PGresult* result) const { PQclear(result); }
    void operator()(PGconn* session) const { PQfinish(session); }
};
using Result = std::unique_ptr<PGresult, Free>;

// What they point at lives until the answer has come.
using Parameters = std::vector<const char*>;

struct Statement {
    const char* name;
    const char* text;
};

// The INSERT reads what the UPDATE returns, so it happens under the lock of the client's row, and the order of ids is the order of
// changes. No row: there is no such client. No balance: the limit forbids it.
inline constexpr Statement TRANSACT{"transact", R"(
    WITH moved AS (
        UPDATE clientes SET saldo = saldo + $2::bigint
        WHERE id = $1::int AND saldo + $2::bigint >= -limite RETURNING id, saldo
    ), kept AS (
        INSERT INTO transacoes (cliente_id, valor, tipo, descricao)
        SELECT id, abs($2::bigint), $3::text, $4::text FROM moved
    )
    SELECT limite, moved.saldo FROM clientes LEFT JOIN moved USING (id) WHERE id = $1::int)"};
// The whole answer in one snapshot. `clock_timestamp` is later than the snapshot, and so than every transaction in it.
inline constexpr Statement EXTRACT{"extract", R"(
    SELECT json_build_object(
        'saldo', json_build_object(
            'total', saldo,
            'data_extrato', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'limite', limite),
        'ultimas_transacoes', ARRAY(
            SELECT json_build_object(
                'valor', valor, 'tipo', tipo, 'descricao', descricao,
                'realizada_em', to_char(realizada_em AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            FROM transacoes WHERE cliente_id = clientes.id ORDER BY id DESC LIMIT 10))
    FROM clientes WHERE id = $1::int)"};

class Connection {
public:
    Connection(asio::any_io_executor executor, const std::string& url) : socket(executor), url(url) { open(); }

    awaitable<Result> query(const Statement& statement, const Parameters& parameters) {
        if (!is_open()) open();
        int count = static_cast<int>(parameters.size());
        check(PQsendQueryPrepared(session.get(), statement.name, count, parameters.data(), nullptr, nullptr, 0));
        // Only when nothing more comes is the statement committed.
        Result last;
        for (;;) {
            while (PQisBusy(session.get())) {
                co_await socket.async_wait(socket.wait_read, use_awaitable);
                check(PQconsumeInput(session.get()));
            }
            Result next(PQgetResult(session.get()));
            if (!next) break;
            last = std::move(next);
        }
        check(last);
        co_return last;
    }

private:
    // Waits, but only at the start and after PostgreSQL has ended the connection.
    void open() {
        socket.close();
        session.reset(PQconnectdb(url.c_str()));
        check(PQstatus(session.get()) == CONNECTION_OK);
        for (const Statement& statement : {TRANSACT, EXTRACT}) {
            check(Result(PQprepare(session.get(), statement.name, statement.text, 0, nullptr)));
        }
        // A descriptor of its own: libpq closes the other one as soon as the connection breaks.
        socket.assign(dup(PQsocket(session.get())));
    }

    // An idle connection has nothing to read, unless the server has ended it.
    bool is_open() const {
        char byte;
        return PQstatus(session.get()) == CONNECTION_OK &&
               recv(PQsocket(session.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }

    void check(bool is_done) const {
        if (!is_done) throw DatabaseError(PQerrorMessage(session.get()));
    }

    void check(const Result& result) const {
        ExecStatusType status = PQresultStatus(result.get());
        if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return;
        DatabaseError error(PQresultErrorMessage(result.get()));
        if (const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE)) error.state = state;
        throw error;
    }

    asio::posix::stream_descriptor socket;
    std::string url;
    std::unique_ptr<PGconn, Free> session;
};

class Pool {
public:
    Pool(asio::any_io_executor executor, const std::string& url, int size) : freed(executor, asio::steady_timer::time_point::max()) {
        for (int n = 0; n < size; ++n) idle.push_back(std::make_unique<Connection>(executor, url));
    }

    awaitable<Result> query(const Statement& statement, const Parameters& parameters) {
        auto begun = std::chrono::steady_clock::now();
        while (idle.empty()) {
            boost::system::error_code woken;
            co_await freed.async_wait(asio::redirect_error(use_awaitable, woken));
            if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(5)) {
                freed.cancel_one(); // another request may have it
                throw Busy{};
            }
        }
        Lease lease{*this, std::move(idle.back())};
        idle.pop_back();
        co_return co_await lease.connection->query(statement, parameters);
    }

private:
    struct Lease {
        Pool& pool;
        std::unique_ptr<Connection> connection;
        ~Lease() {
            pool.idle.push_back(std::move(connection));
            pool.freed.cancel_one();
        }
    };

    asio::steady_timer freed; // never expires: a connection that comes back ends one wait
    std::vector<std::unique_ptr<Connection>> idle;
};
