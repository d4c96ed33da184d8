"""Accounts in PostgreSQL: one statement for each request, on a pool of connections."""

import asyncio
import os
import sys
from urllib.parse import urlsplit

import asyncpg

# Connections to the database, for each instance, where `POOL` says nothing else.
POOL = 5
START_WAIT_S = 30
# How long a request waits for a connection and for its statement: together less than the 10 s that nginx waits.
ACQUIRE_WAIT_S = 5
STATEMENT_WAIT_S = 4

# What fails when the database is gone or too slow; `TimeoutError` is an `OSError`.
ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)

# The new balance, or null where the limit forbids the move; no row for an unknown client. The move is inserted under the lock
# of the client's row, so the order of ids is the order of balances.
MOVE = """
    WITH moved AS (
        UPDATE clientes SET saldo = saldo + $2 WHERE id = $1 AND saldo + $2 >= -limite RETURNING saldo
    ), kept AS (
        INSERT INTO transacoes (cliente_id, valor, tipo, descricao) SELECT $1, $3, $4, $5 FROM moved
    )
    SELECT limite, moved.saldo FROM clientes LEFT JOIN moved ON true WHERE id = $1"""

# A row for each of the last moves, and one for a client without a move: one statement, so one snapshot.
STATEMENT = """
    SELECT limite, saldo, valor, tipo, descricao, realizada_em
    FROM clientes c LEFT JOIN LATERAL (
        SELECT id, valor, tipo, descricao, realizada_em FROM transacoes
        WHERE cliente_id = c.id ORDER BY id DESC LIMIT 10
    ) t ON true
    WHERE c.id = $1 ORDER BY t.id DESC"""


class Refused(Exception):
    """A request that is refused, and the status that says why."""

    def __init__(self, status):
        self.status = status


async def keep(_connection):
    """In place of asyncpg's reset of a connection on its way back, which asks the database once more for each request.
    Nothing here changes a session."""


class Store:
    def __init__(self, pool):
        self.pool = pool

    @classmethod
    async def open(cls):
        """Waits for the database at `DATABASE_URL`, and ends the program if it does not come."""
        url = os.environ.get("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")
        loop = asyncio.get_running_loop()
        end = loop.time() + START_WAIT_S
        while True:
            try:
                return cls(
                    await asyncpg.create_pool(
                        url,
                        min_size=1,
                        max_size=int(os.environ.get("POOL", POOL)),
                        max_inactive_connection_lifetime=0,
                        reset=keep,
                        timeout=ACQUIRE_WAIT_S,
                        command_timeout=STATEMENT_WAIT_S,
                    )
                )
            except ERRORS as error:
                if loop.time() > end:
                    where = urlsplit(url).netloc.rpartition("@")[2]
                    sys.exit(
                        f"database: {where} was not ready after {START_WAIT_S} s ({str(error) or 'no answer'})\n"
                        "hint: start PostgreSQL there, or set DATABASE_URL to where it is"
                    )
            await asyncio.sleep(0.2)

    async def close(self):
        await self.pool.close()

    def connection(self):
        return self.pool.acquire(timeout=ACQUIRE_WAIT_S)

    async def move(self, client, move):
        """Keeps a move, and gives the client's limit and the balance after it."""
        change = move.valor if move.tipo == "c" else -move.valor
        try:
            async with self.connection() as connection:
                row = await connection.fetchrow(MOVE, client, change, move.valor, move.tipo, move.descricao)
        except asyncpg.NumericValueOutOfRangeError:
            raise Refused(422) from None  # a balance beyond 64 bits
        if row is None:
            raise Refused(404)
        if row["saldo"] is None:
            raise Refused(422)
        return row["limite"], row["saldo"]

    async def statement(self, client):
        """The last moves, newest first, each with the balance of now."""
        async with self.connection() as connection:
            rows = await connection.fetch(STATEMENT, client)
        if not rows:
            raise Refused(404)
        return rows
