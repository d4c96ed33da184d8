"""`posts` with FastAPI and SQLAlchemy: a mapped class, a session for each request, and SQLAlchemy's pool over asyncpg."""

import asyncio
import os
import sys
from datetime import datetime
from typing import Annotated

import asyncpg
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Path, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from sqlalchemy import BigInteger, DateTime
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError, TimeoutError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

START_WAIT_S = 30  # at most, for the database to take connections when this starts
START_PAUSE_S = 0.2
POOL_WAIT_S = 5  # at most, for a request to get a connection
STOP_WAIT_S = 5  # at most, for requests under way when it is told to stop


def variable(name, example):
    try:
        return os.environ[name]
    except KeyError:
        sys.exit(f"environment: `{name}` is not set\nhint: {name}={example}")


PORT = int(variable("HTTP_PORT", "9999"))
URL = make_url(variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")).set(drivername="postgresql+asyncpg")
MAX_OPEN = int(variable("MAX_OPEN", "20"))
# The pool keeps at least one: for it, 0 means no limit.
KEPT = max(int(variable("MIN_IDLE", "0")), 1)


class Base(DeclarativeBase):
    pass


class Post(Base):
    __tablename__ = "posts"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    name: Mapped[str]
    title: Mapped[str]
    text: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class Answer(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    title: str
    text: str
    created_at: datetime


engine = create_async_engine(URL, pool_size=KEPT, max_overflow=MAX_OPEN - KEPT, pool_timeout=POOL_WAIT_S)
open_session = async_sessionmaker(engine)
app = FastAPI(openapi_url=None)


async def session():
    async with open_session() as opened:
        yield opened


@app.get("/api/posts/{id}", response_model=Answer)
async def find(id: Annotated[int, Path(ge=1, lt=2**63)], session: Annotated[AsyncSession, Depends(session)]):
    post = await session.get(Post, id)
    if post is None:
        raise HTTPException(404)
    return post


@app.exception_handler(RequestValidationError)
async def no_key(_request, _error):
    return Response(status_code=404)


@app.exception_handler(SQLAlchemyError)
@app.exception_handler(OSError)
async def database_failed(_request, error):
    print(f"database: {error}", file=sys.stderr)
    return Response(status_code=503 if isinstance(error, TimeoutError) else 500)


async def wait_for_database():
    loop = asyncio.get_running_loop()
    end = loop.time() + START_WAIT_S
    url = URL.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            connection = await asyncpg.connect(url, timeout=end - loop.time())
            await connection.close()
            return
        except (OSError, asyncio.TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            if loop.time() + START_PAUSE_S > end:
                sys.exit(
                    f"database: no connection to {URL.host}:{URL.port} within {START_WAIT_S} s: {error}\n"
                    "hint: start PostgreSQL there, or set DATABASE_URL to where it is"
                )
        await asyncio.sleep(START_PAUSE_S)


if __name__ == "__main__":
    asyncio.run(wait_for_database())
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=PORT,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=75,
        timeout_graceful_shutdown=STOP_WAIT_S,
    )
