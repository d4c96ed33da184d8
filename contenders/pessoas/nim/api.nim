## Routes and statuses.

import std/[asyncdispatch, httpcore, options, strutils, uri]
import http, person, store

const
  jsonType = "application/json"
  textType = "text/plain"

proc toCreation(people: Store, body: string): Future[Answer] {.async.} =
  var person: Person
  case read(body, person)
  of wrongType: return empty(Http400)
  of invalid: return empty(Http422)
  of valid: discard
  if not await people.create(person):
    return empty(Http422)
  return Answer(status: Http201, mediaType: textType, location: "/pessoas/" & person.id)

proc toRead(people: Store, id: string): Future[Answer] {.async.} =
  if not isId(id):
    return empty(Http404)
  let found = await people.find(id)
  return if found.isSome: Answer(status: Http200, mediaType: jsonType, body: found.get) else: empty(Http404)

## The first `t`; empty where there is none.
proc term(query: string): string =
  for pair in query.split('&'):
    let parts = pair.split('=', maxsplit = 1)
    if parts[0] == "t":
      return if parts.len == 2: decodeUrl(parts[1]) else: ""

proc toSearch(people: Store, query: string): Future[Answer] {.async.} =
  let term = term(query)
  if term == "":
    return empty(Http400)
  return Answer(status: Http200, mediaType: jsonType, body: await people.search(term))

proc toCount(people: Store): Future[Answer] {.async.} =
  return Answer(status: Http200, mediaType: textType, body: await people.count())

proc route(people: Store, request: Request): Future[Answer] {.async.} =
  let parts = request.target.split('?', maxsplit = 1)
  let path = parts[0]
  let isRead = request.verb in ["GET", "HEAD"]
  if path == "/pessoas" and request.verb == "POST":
    return await people.toCreation(request.body)
  if not isRead:
    return empty(Http405)
  if path == "/pessoas":
    return await people.toSearch(if parts.len == 2: parts[1] else: "")
  if path == "/contagem-pessoas":
    return await people.toCount()
  if path.startsWith("/pessoas/"):
    return await people.toRead(path["/pessoas/".len .. ^1])
  return empty(Http404)

proc answer*(people: Store, request: Request): Future[Answer] {.async.} =
  try:
    return await people.route(request)
  except BadText:
    return empty(Http400)
  except PoolTimeout:
    return empty(Http503)
  except StoreError as error:
    stderr.writeLine("database: " & error.msg)
    return empty(Http500)
