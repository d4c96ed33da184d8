## HTTP/1.1 on asynchronous sockets. The standard library's `asynchttpserver` takes what follows an unknown method for further requests,
## and so answers a connection that is kept too often.

import std/[asyncdispatch, asyncnet, httpcore, nativesockets, strutils]

const
  lineBytesMax = 65536
  headersMax = 200
  bodyBytesMax = 65536

type
  Request* = object
    verb*, target*, body*: string
  Answer* = object
    status*: HttpCode
    mediaType*, location*, body*: string
  Handler* = proc (request: Request): Future[Answer] {.closure, gcsafe.}

  Server* = ref object
    socket: AsyncSocket
    handle: Handler
    ## Requests that are not answered yet.
    underWay*: int
    isStopping: bool

  ## What is no request that can be answered in another way.
  Refused = object of CatchableError
    status: HttpCode
  Closed = object of CatchableError

func empty*(status: HttpCode): Answer =
  Answer(status: status, mediaType: "text/plain")

proc refuse(status: HttpCode) =
  raise (ref Refused)(status: status, msg: $status)

## A line without its end; empty at the end of the headers.
proc line(socket: AsyncSocket): Future[string] {.async.} =
  let line = await socket.recvLine(maxLength = lineBytesMax)
  if line == "":
    raise newException(Closed, "no more")
  if line.len > lineBytesMax:
    refuse(Http431)
  return if line == "\r\L": "" else: line

## Reads what follows the first line. Tells the body, and whether the connection is kept.
proc rest(socket: AsyncSocket, version: string): Future[(string, bool)] {.async.} =
  var (length, isKept) = (0, version == "HTTP/1.1")
  for count in 0 .. headersMax:
    let header = await socket.line()
    if header == "":
      break
    if count == headersMax:
      refuse(Http431)
    let colon = header.find(':')
    if colon < 1:
      refuse(Http400)
    let value = header[colon + 1 .. ^1].strip
    case header[0 ..< colon].toLowerAscii
    of "content-length":
      if value == "" or value.len > 9 or not value.allCharsInSet(Digits):
        refuse(Http400)
      length = value.parseInt
    of "transfer-encoding": refuse(Http411)
    of "connection":
      if value.toLowerAscii == "close":
        isKept = false
    else: discard
  if length > bodyBytesMax:
    refuse(Http413)
  var body = ""
  if length > 0:
    body = await socket.recv(length)
    if body.len < length:
      raise newException(Closed, "half a body")
  return (body, isKept)

proc send(socket: AsyncSocket, answer: Answer, verb: string, isKept: bool): Future[void] =
  var text = "HTTP/1.1 " & $answer.status & "\r\LContent-Type: " & answer.mediaType & "\r\LContent-Length: " & $answer.body.len
  if answer.location != "":
    text.add "\r\LLocation: " & answer.location
  if not isKept:
    text.add "\r\LConnection: close"
  text.add "\r\L\r\L"
  if verb != "HEAD":
    text.add answer.body
  socket.send(text)

## One request after the other.
proc serve(server: Server, socket: AsyncSocket) {.async.} =
  var isKept = true
  try:
    while isKept:
      let first = await socket.line()
      if first == "":
        continue # may stand before a request
      inc server.underWay
      try:
        let parts = first.split(' ')
        var answer: Answer
        try:
          if parts.len != 3:
            refuse(Http400)
          let (body, mayBeKept) = await socket.rest(parts[2])
          isKept = mayBeKept
          answer = await server.handle(Request(verb: parts[0], target: parts[1], body: body))
        except Refused as refused:
          isKept = false
          answer = empty(refused.status)
        isKept = isKept and not server.isStopping
        await socket.send(answer, parts[0], isKept)
      finally:
        dec server.underWay
  except Closed, OSError:
    discard # who asked has gone
  except Refused as refused:
    try:
      await socket.send(empty(refused.status), "", false)
    except OSError:
      discard
  except CatchableError as error:
    # Ends this connection alone.
    stderr.writeLine("connection: " & error.msg)
  finally:
    socket.close()

## Takes connections on 127.0.0.1 until it is stopped.
proc newServer*(port: int, handle: Handler): Server =
  result = Server(socket: newAsyncSocket(), handle: handle)
  result.socket.setSockOpt(OptReuseAddr, true)
  result.socket.bindAddr(Port(port), "127.0.0.1")
  result.socket.listen(1024)

proc run*(server: Server) {.async.} =
  while not server.isStopping:
    var isTired = false
    try:
      asyncCheck server.serve(await server.socket.accept())
    except CatchableError, AssertionDefect: # with the latter the dispatcher says that it knows a number already
      isTired = true
    if isTired:
      # No files left, say: others will end.
      await sleepAsync(50)

proc stop*(server: Server) =
  server.isStopping = true
  server.socket.close()
