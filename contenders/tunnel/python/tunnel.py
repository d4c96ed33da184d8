"""A TCP proxy as most would write it in Python: asyncio on uvloop, a stream for each side."""

import asyncio
import socket
import sys

try:
    import uvloop
except ImportError:
    sys.exit("uvloop is missing\nhint: apt-get install python3-uvloop")

BUFFER = 64 * 1024


async def copy(reader, writer):
    """One direction to its end, which is handed on."""
    while data := await reader.read(BUFFER):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def carry(reader, writer, port):
    try:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port, limit=BUFFER)
    except OSError as error:
        print(error, file=sys.stderr)
        writer.close()
        return
    both = [asyncio.ensure_future(copy(reader, up_writer)), asyncio.ensure_future(copy(up_reader, writer))]
    try:
        await asyncio.gather(*both)
    except (OSError, RuntimeError):  # uvloop raises the latter where a transport is closed
        up_writer.transport.abort()
        writer.transport.abort()
    finally:
        for one in both:
            one.cancel()
        up_writer.close()
        writer.close()


async def main(bind, to):
    server = await asyncio.start_server(
        lambda reader, writer: carry(reader, writer, to), "127.0.0.1", bind, limit=BUFFER, backlog=4096, family=socket.AF_INET
    )
    await server.serve_forever()


if len(sys.argv) != 3:
    sys.exit("usage: tunnel.py PORT ORIGIN_PORT")
uvloop.install()
asyncio.run(main(*map(int, sys.argv[1:])))
