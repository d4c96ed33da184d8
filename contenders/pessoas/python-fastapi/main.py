"""The `pessoas` API in FastAPI on uvicorn."""

import os
import signal
import sys
from typing import Annotated
from uuid import UUID

import orjson
import uvicorn
import uvloop
from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError

import person
from store import ERRORS, Store

# What can be read is answered to HEAD too.
READ = ["GET", "HEAD"]

app = FastAPI(openapi_url=None, redirect_slashes=False)


# The body is read by hand, since a rule of the contest that FastAPI does not know decides between 400 and 422.
@app.post("/pessoas")
async def create(request: Request) -> Response:
    new = person.read(await request.body())
    created = await app.state.store.create(new)
    if created is None:
        return Response(status_code=422)
    return Response(status_code=201, headers={"Location": f"/pessoas/{created}"})


@app.api_route("/pessoas/{person_id}", methods=READ)
async def find(person_id: UUID) -> Response:
    found = await app.state.store.find(person_id)
    return json(found) if found else Response(status_code=404)


@app.api_route("/pessoas", methods=READ)
async def search(t: Annotated[str, Query(min_length=1)]) -> Response:
    return json(await app.state.store.search(t))


@app.api_route("/contagem-pessoas", methods=READ)
async def count() -> Response:
    return Response(str(await app.state.store.count()), media_type="text/plain")


def json(value):
    """The rows were checked on their way in; a response model would check them again."""
    return Response(orjson.dumps(value), media_type="application/json")


@app.exception_handler(person.Refused)
async def refused(_request, error):
    return Response(status_code=error.status)


@app.exception_handler(RequestValidationError)
async def wrong_address(_request, _error):
    """An id that is no UUID, or a search without a term."""
    return Response(status_code=400)


async def unavailable(_request, error):
    print(f"database: {error!r}", file=sys.stderr)
    return Response(status_code=503)


for kind in ERRORS:
    app.add_exception_handler(kind, unavailable)


async def main():
    app.state.store = await Store.open()
    # uvicorn ends in order on SIGTERM, and then raises it once more.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=int(os.environ.get("HTTP_PORT", "8081")),
        http="httptools",
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_keep_alive=75,  # longer than nginx keeps its connections
        timeout_graceful_shutdown=5,
    )
    await uvicorn.Server(config).serve()
    await app.state.store.close()


uvloop.run(main())
