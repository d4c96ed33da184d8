"""The `pessoas` API in Sanic."""

import os
import sys
from uuid import UUID

import orjson
from sanic import Request, Sanic, empty, json, text

import person
from store import ERRORS, Store

# What can be read is answered to HEAD too.
READ = ["GET", "HEAD"]

app = Sanic("pessoas", dumps=orjson.dumps, configure_logging=False)
app.config.KEEP_ALIVE_TIMEOUT = 75  # longer than nginx keeps its connections
app.config.GRACEFUL_SHUTDOWN_TIMEOUT = 5


@app.before_server_start
async def open_store(app):
    app.ctx.store = await Store.open()


@app.after_server_stop
async def close_store(app):
    await app.ctx.store.close()


@app.post("/pessoas")
async def create(request: Request):
    new = person.read(request.body)
    created = await app.ctx.store.create(new)
    if created is None:
        return empty(422)
    return empty(201, {"Location": f"/pessoas/{created}"})


@app.route("/pessoas/<person_id:uuid>", methods=READ)
async def find(request: Request, person_id: UUID):
    found = await app.ctx.store.find(person_id)
    return json(found) if found else empty(404)


@app.route("/pessoas", methods=READ)
async def search(request: Request):
    term = request.args.get("t")
    return json(await app.ctx.store.search(term)) if term else empty(400)


@app.route("/contagem-pessoas", methods=READ)
async def count(request: Request):
    return text(str(await app.ctx.store.count()))


@app.exception(person.Refused)
async def refused(request: Request, error):
    return empty(error.status)


@app.exception(*ERRORS)
async def unavailable(request: Request, error):
    print(f"database: {error!r}", file=sys.stderr)
    return empty(503)


app.run(
    host="127.0.0.1",
    port=int(os.environ.get("HTTP_PORT", "8081")),
    single_process=True,
    access_log=False,
    motd=False,
)
