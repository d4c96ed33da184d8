"""One statement for each request, on a pool of connections."""

import asyncio
import os
import re
import sys
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg

# Connections to the database, for each instance, where `POOL` says nothing else.
POOL = 6
START_WAIT_S = 30
# How long a request waits for a connection and for its statement: together less than the 10 s that nginx waits.
ACQUIRE_WAIT_S = 5
STATEMENT_WAIT_S = 4

# What fails when the database is gone or too slow; `TimeoutError` is an `OSError`.
ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)


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

    async def create(self, person):
        """Keeps a person, and returns the new id; None where somebody has that `apelido`."""
        new = uuid4()
        async with self.connection() as connection:
            done = await connection.execute(
                "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)"
                " ON CONFLICT (apelido) DO NOTHING",
                new,
                person.apelido,
                person.nome,
                person.nascimento,
                person.stack,
            )
        return new if done == "INSERT 0 1" else None

    async def find(self, person_id):
        async with self.connection() as connection:
            row = await connection.fetchrow(
                "SELECT id::text, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1", person_id
            )
        return row and dict(row)

    async def search(self, term):
        """People in whom a term is contained, whatever the letter case, 50 at most."""
        if "\0" in term:
            return []  # nobody has it, and PostgreSQL cannot be asked for it
        async with self.connection() as connection:
            rows = await connection.fetch(
                "SELECT id::text, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50",
                pattern(term),
            )
        return [dict(row) for row in rows]

    async def count(self):
        async with self.connection() as connection:
            return await connection.fetchval("SELECT count(*) FROM pessoas")


def pattern(term):
    """A pattern of LIKE in which every character of the term stands for itself."""
    return "%" + re.sub(r"([%_\\])", r"\\\1", term) + "%"
