## JSON as RFC 8259 has it. The standard library's reader also takes comments, leading zeros and line breaks within texts, and
## gives a number that is too long as a text.

import std/[json, strutils, unicode]

const depthMax = 200

type Reader = object
  text: string
  at: int

proc fail() =
  raise newException(ValueError, "no JSON")

## The next letter; NUL at the end, which stands nowhere in JSON.
func peek(reader: Reader): char =
  if reader.at < reader.text.len: reader.text[reader.at] else: '\0'

proc next(reader: var Reader): char =
  result = reader.peek
  inc reader.at

proc skipSpace(reader: var Reader) =
  while reader.peek in {' ', '\t', '\n', '\r'}:
    inc reader.at

proc word(reader: var Reader, word: string) =
  if not reader.text.continuesWith(word, reader.at):
    fail()
  inc reader.at, word.len

proc digits(reader: var Reader) =
  if reader.peek notin Digits:
    fail()
  while reader.peek in Digits:
    inc reader.at

## Nobody asks for its value.
proc number(reader: var Reader): JsonNode =
  if reader.peek == '-':
    inc reader.at
  if reader.peek == '0':
    inc reader.at
  else:
    reader.digits()
  if reader.peek == '.':
    inc reader.at
    reader.digits()
  if reader.peek in {'e', 'E'}:
    inc reader.at
    if reader.peek in {'+', '-'}:
      inc reader.at
    reader.digits()
  newJInt(0)

proc hexDigits(reader: var Reader): int =
  for _ in 1..4:
    let letter = reader.next
    if letter notin HexDigits:
      fail()
    result = result * 16 + fromHex[int]($letter)

proc escape(reader: var Reader): string =
  case reader.next
  of '"': "\""
  of '\\': "\\"
  of '/': "/"
  of 'b': "\b"
  of 'f': "\f"
  of 'n': "\n"
  of 'r': "\r"
  of 't': "\t"
  of 'u':
    var code = reader.hexDigits
    # A pair of surrogates is one character; half of a pair is none.
    if code in 0xD800..0xDBFF:
      reader.word("\\u")
      let low = reader.hexDigits
      if low notin 0xDC00..0xDFFF:
        fail()
      code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)
    elif code in 0xDC00..0xDFFF:
      fail()
    Rune(code).toUTF8
  else:
    raise newException(ValueError, "no JSON")

proc quoted(reader: var Reader): string =
  reader.word("\"")
  while true:
    let letter = reader.next
    case letter
    of '"': return
    of '\\': result.add reader.escape
    of '\0'..'\x1f': fail()
    else: result.add letter

proc value(reader: var Reader, depth: int): JsonNode

## What stands between brackets, separated by commas.
template elements(reader: var Reader, first, last: char, element: untyped) =
  inc reader.at
  reader.skipSpace()
  if reader.peek == last:
    inc reader.at
  else:
    while true:
      element
      reader.skipSpace()
      let letter = reader.next
      if letter == last:
        break
      if letter != ',':
        fail()
      reader.skipSpace()

proc value(reader: var Reader, depth: int): JsonNode =
  if depth > depthMax:
    fail()
  case reader.peek
  of '{':
    let members = newJObject()
    reader.elements('{', '}'):
      let key = reader.quoted
      reader.skipSpace()
      reader.word(":")
      reader.skipSpace()
      members[key] = reader.value(depth + 1)
    result = members
  of '[':
    let list = newJArray()
    reader.elements('[', ']'):
      list.add reader.value(depth + 1)
    result = list
  of '"':
    result = newJString(reader.quoted)
  of 't':
    reader.word("true")
    result = newJBool(true)
  of 'f':
    reader.word("false")
    result = newJBool(false)
  of 'n':
    reader.word("null")
    result = newJNull()
  else:
    result = reader.number

## Raises `ValueError` for what is no JSON.
proc parseStrictJson*(text: string): JsonNode =
  var reader = Reader(text: text)
  reader.skipSpace()
  result = reader.value(0)
  reader.skipSpace()
  if reader.at != text.len:
    fail()
