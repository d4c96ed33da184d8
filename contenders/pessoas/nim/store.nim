## One statement for each request, on a pool of connections. libpq sends it, and the thread goes on with others until the answer comes.

import std/[asyncdispatch, deques, json, monotimes, options, os, strutils, times, uri]
from std/posix import EAGAIN, MSG_PEEK, SocketHandle, recv
import postgres
import person

const
  patience = initDuration(seconds = 30)
  waitMs = 8000
  sqlstate = 67'i32 # PG_DIAG_SQLSTATE, the letter C
  columns = "id, apelido, nome, nascimento, to_json(stack)"
  statements = {
    "create": "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5) " &
      "ON CONFLICT (apelido) DO NOTHING",
    "find": "SELECT " & columns & " FROM pessoas WHERE id = $1",
    "search": "SELECT " & columns & " FROM pessoas WHERE busca LIKE lower($1) LIMIT 50",
    "count": "SELECT count(*) FROM pessoas",
  }

type
  StoreError* = object of CatchableError
  ## No connection became free in time.
  PoolTimeout* = object of StoreError
  ## Bytes that are no UTF-8.
  BadText* = object of StoreError

  Connection = ref object
    pq: PPGconn
    ## Of the socket while it is watched; a connection that is made anew has another.
    socket: Option[AsyncFD]

  Store* = ref object
    idle: seq[Connection]
    waiting: Deque[Future[Connection]]

proc message(connection: Connection): string =
  ($pqerrorMessage(connection.pq)).splitLines[0]

## Watches its socket no longer.
proc forget(connection: Connection) =
  if connection.socket.isSome:
    unregister(connection.socket.get)
    connection.socket = none(AsyncFD)

## Of a connection that was just made, or made again: watches its socket and prepares all statements. This blocks, but only on the way
## to a database that is there.
proc prepare(connection: Connection): bool =
  if pqstatus(connection.pq) != CONNECTION_OK:
    return false
  let socket = AsyncFD(pqsocket(connection.pq))
  register(socket)
  connection.socket = some(socket)
  for (name, text) in statements:
    let prepared = pqprepare(connection.pq, cstring(name), cstring(text), 0, nil)
    let isPrepared = pqresultStatus(prepared) == PGRES_COMMAND_OK
    pqclear(prepared)
    if not isPrepared:
      return false
  true

## Whether it stands with nothing to read: to one that is idle only a server that ends says something, and libpq's own check takes that
## farewell for input, as its end comes later.
proc isOpen(connection: Connection): bool =
  var peeked: char
  pqstatus(connection.pq) == CONNECTION_OK and
    recv(SocketHandle(pqsocket(connection.pq)), addr peeked, 1, MSG_PEEK) < 0 and osLastError().int32 == EAGAIN

## Whether it works; one that broke is made again.
proc revive(connection: Connection): bool =
  if connection.isOpen:
    return true
  connection.forget()
  pqreset(connection.pq)
  connection.prepare()

## Waits for the database, for 30 s at most.
proc openStore*(url: string, size: int): Store =
  putEnv("PGCONNECT_TIMEOUT", "5")
  result = Store()
  let deadline = getMonoTime() + patience
  while result.idle.len < size:
    let connection = Connection(pq: pqconnectdb(url))
    if connection.prepare():
      result.idle.add connection
      continue
    let reason = connection.message
    connection.forget()
    pqfinish(connection.pq)
    if getMonoTime() > deadline:
      let address = parseUri(url)
      raise newException(StoreError, "database: nobody answers at " & address.hostname & ":" & address.port & " for " &
        $patience.inSeconds & " s (" & reason & ")\nhint: start PostgreSQL there, or set DATABASE_URL to where it is")
    sleep(200)

proc acquire(store: Store): Future[Connection] {.async.} =
  if store.idle.len > 0:
    return store.idle.pop()
  let turn = newFuture[Connection]("acquire")
  store.waiting.addLast turn
  discard await turn.withTimeout(waitMs)
  # Its turn may have come just as the time ran out.
  if turn.finished:
    return turn.read
  var others: Deque[Future[Connection]]
  for other in store.waiting:
    if other != turn:
      others.addLast other
  store.waiting = others
  raise newException(PoolTimeout, "no connection became free")

proc release(store: Store, connection: Connection) =
  if store.waiting.len > 0:
    store.waiting.popFirst().complete(connection)
  else:
    store.idle.add connection

proc readable(connection: Connection): Future[void] =
  let ready = newFuture[void]("readable")
  addRead(connection.socket.get, proc (_: AsyncFD): bool =
    ready.complete()
    true) # watch no longer
  ready

proc checked(answer: PPGresult): PPGresult =
  if pqresultStatus(answer) in {PGRES_COMMAND_OK, PGRES_TUPLES_OK}:
    return answer
  let error =
    if pqresultErrorField(answer, sqlstate) == "22021": newException(BadText, "no UTF-8")
    else: newException(StoreError, ($pqresultErrorMessage(answer)).splitLines[0])
  pqclear(answer)
  raise error

proc exchange(connection: Connection, statement: string, texts: seq[string], isNull: seq[bool]): Future[PPGresult] {.async.} =
  try:
    if not connection.revive():
      raise newException(StoreError, connection.message)
    var values: array[5, cstring]
    for at in 0 .. texts.high:
      values[at] = if isNull[at]: nil else: cstring(texts[at])
    let sent = pqsendQueryPrepared(connection.pq, statement, texts.len.int32, cast[cstringArray](addr values), nil, nil, 0)
    if sent == 0:
      raise newException(StoreError, connection.message)
    while pqisBusy(connection.pq) == 1:
      await connection.readable()
      if pqconsumeInput(connection.pq) == 0:
        raise newException(StoreError, connection.message)
    let answer = pqgetResult(connection.pq)
    if answer == nil:
      raise newException(StoreError, connection.message)
    # The end of the answer, which is there already or comes at once.
    while (let more = pqgetResult(connection.pq); more != nil):
      pqclear(more)
    return checked(answer)
  finally:
    if pqstatus(connection.pq) != CONNECTION_OK:
      # libpq has closed the socket, and the next that is opened, for whatever purpose, may get its number.
      connection.forget()

proc ask(store: Store, statement: string, texts: seq[string] = @[], isNull: seq[bool] = @[]): Future[PPGresult] {.async.} =
  let connection = await store.acquire()
  try:
    return await connection.exchange(statement, texts, if isNull.len > 0: isNull else: newSeq[bool](texts.len))
  finally:
    store.release(connection)

func text(answer: PPGresult, row, column: int32): string =
  $pqgetvalue(answer, row, column)

## A row as JSON.
func person(answer: PPGresult, row: int32): string =
  result = "{\"id\":\"" & answer.text(row, 0) & "\",\"apelido\":" & answer.text(row, 1).escapeJson &
    ",\"nome\":" & answer.text(row, 2).escapeJson & ",\"nascimento\":\"" & answer.text(row, 3) & "\",\"stack\":"
  # `stack` is JSON already.
  result.add(if pqgetisnull(answer, row, 4) == 1: "null" else: answer.text(row, 4))
  result.add '}'

## As PostgreSQL writes an array of texts.
func arrayLiteral(texts: seq[string]): string =
  result = "{"
  for at, text in texts:
    if at > 0:
      result.add ','
    result.add '"'
    result.add text.multiReplace(("\\", "\\\\"), ("\"", "\\\""))
    result.add '"'
  result.add '}'

## Keeps a person; `false` where somebody has that `apelido`.
proc create*(store: Store, person: Person): Future[bool] {.async.} =
  let stack = if person.stack.isSome: arrayLiteral(person.stack.get) else: ""
  let texts = @[person.id, person.apelido, person.nome, person.nascimento, stack]
  let answer = await store.ask("create", texts, @[false, false, false, false, person.stack.isNone])
  result = $pqcmdTuples(answer) == "1"
  pqclear(answer)

## A person as JSON.
proc find*(store: Store, id: string): Future[Option[string]] {.async.} =
  let answer = await store.ask("find", @[id])
  if pqntuples(answer) == 1:
    result = some(answer.person(0))
  pqclear(answer)

## People in whom a term is contained, whatever the letter case, 50 at most: a list as JSON.
proc search*(store: Store, term: string): Future[string] {.async.} =
  if '\0' in term:
    # Nobody has it, and PostgreSQL cannot be asked for it.
    return "[]"
  let pattern = "%" & term.multiReplace(("\\", "\\\\"), ("%", "\\%"), ("_", "\\_")) & "%"
  let answer = await store.ask("search", @[pattern])
  result = "["
  for row in 0'i32 ..< pqntuples(answer):
    if row > 0:
      result.add ','
    result.add answer.person(row)
  result.add ']'
  pqclear(answer)

proc count*(store: Store): Future[string] {.async.} =
  let answer = await store.ask("count")
  result = answer.text(0, 0)
  pqclear(answer)
