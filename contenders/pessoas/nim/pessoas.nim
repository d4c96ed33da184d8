## The `pessoas` API: the standard library's asynchronous sockets, and libpq without blocking, in one thread.

import std/[asyncdispatch, monotimes, os, posix, strutils, times]
import api, http, store

const stopFor = initDuration(seconds = 5)

proc main() =
  let port = getEnv("HTTP_PORT", "8081").parseInt
  let url = getEnv("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")
  var people: Store
  try:
    people = openStore(url, getEnv("POOL", "6").parseInt)
  except StoreError as error:
    quit(error.msg)
  var server: Server
  try:
    server = newServer(port, proc (request: Request): Future[Answer] = people.answer(request))
  except OSError as error:
    quit("port " & $port & ": " & error.msg.splitLines[0] & "; end who has it, or set HTTP_PORT")

  var deadline = high(MonoTime)
  addSignal(SIGTERM, proc (_: AsyncFD): bool =
    server.stop()
    deadline = getMonoTime() + stopFor)
  asyncCheck server.run()
  while deadline == high(MonoTime) or (server.underWay > 0 and getMonoTime() < deadline):
    poll()

main()
