"""The `crebitos` API in FastAPI on uvicorn."""

import os
import signal
import sys
from datetime import UTC, datetime
from typing import Annotated, Literal

import uvicorn
import uvloop
from fastapi import FastAPI, Path, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StringConstraints

from store import ERRORS, Refused, Store

# No client has an id of more digits, and PostgreSQL's `int` would not hold it.
ClientId = Annotated[str, Path(pattern="^[0-9]{1,9}$")]
Amount = Annotated[int, Field(strict=True, gt=0, le=2**63 - 1)]
# Lengths are counted in characters. PostgreSQL keeps no NUL in a text.
Text = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=10, pattern=r"^[^\x00]*$")]


class Move(BaseModel):
    """Field names are the contest's."""

    valor: Amount
    tipo: Literal["c", "d"]
    descricao: Text


# A body without a `Content-Type` is JSON too.
app = FastAPI(openapi_url=None, redirect_slashes=False, strict_content_type=False)


@app.post("/clientes/{client}/transacoes")
async def move(client: ClientId, sent: Move) -> Response:
    limit, balance = await app.state.store.move(int(client), sent)
    return JSONResponse({"limite": limit, "saldo": balance})


@app.get("/clientes/{client}/extrato")
async def statement(client: ClientId) -> Response:
    rows = await app.state.store.statement(int(client))
    return JSONResponse(
        {
            "saldo": {
                "total": rows[0]["saldo"],
                "data_extrato": timestamp(datetime.now(UTC)),
                "limite": rows[0]["limite"],
            },
            "ultimas_transacoes": [
                {
                    "valor": row["valor"],
                    "tipo": row["tipo"],
                    "descricao": row["descricao"],
                    "realizada_em": timestamp(row["realizada_em"]),
                }
                for row in rows
                if row["valor"] is not None
            ],
        }
    )


def timestamp(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@app.exception_handler(Refused)
async def refused(_request, error):
    return Response(status_code=error.status)


@app.exception_handler(RequestValidationError)
async def invalid(_request, error):
    """What is no id, or a body that breaks a rule. FastAPI's own answer repeats the value, and JSON has
    no way to write some of them."""
    return Response(status_code=404 if error.errors()[0]["loc"][0] == "path" else 422)


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
