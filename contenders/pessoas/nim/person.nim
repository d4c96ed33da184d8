## What a valid person is.

import std/[json, options, strutils, sysrand, times, unicode]
import strictjson

type
  Person* = object
    id*, apelido*, nome*, nascimento*: string
    stack*: Option[seq[string]]
  Verdict* = enum
    wrongType, invalid, valid

## Counted in characters. PostgreSQL keeps no NUL in a text.
func fits(text: string, charsMax: int): bool =
  text != "" and text.runeLen <= charsMax and '\0' notin text

## Whether a text is `YYYY-MM-DD`, and that day exists.
func isDate(text: string): bool =
  if text.len != 10:
    return false
  for at, letter in text:
    if (if at in {4, 7}: letter != '-' else: letter notin Digits):
      return false
  let (year, month, day) = (text[0..3].parseInt, text[5..6].parseInt, text[8..9].parseInt)
  year > 0 and month in 1..12 and day in 1..getDaysInMonth(Month(month), year)

## A random UUID (version 4).
proc newId(): string =
  var bytes = urandom(16)
  bytes[6] = bytes[6] and 0x0f or 0x40
  bytes[8] = bytes[8] and 0x3f or 0x80
  for at, value in bytes:
    if at in {4, 6, 8, 10}:
      result.add '-'
    result.add value.toHex.toLowerAscii

func isId*(text: string): bool =
  if text.len != 36:
    return false
  for at, letter in text:
    if (if at in {8, 13, 18, 23}: letter != '-' else: letter notin HexDigits):
      return false
  true

func isTextOrNull(value: JsonNode): bool =
  value == nil or value.kind in {JString, JNull}

## A text that is missing or null is empty, and so is refused as well.
func text(value: JsonNode): string =
  if value == nil: "" else: value.getStr

## Reads a body; `person` is set where it is valid.
proc read*(body: string, person: var Person): Verdict =
  var new: JsonNode
  try:
    new = parseStrictJson(body)
  except ValueError:
    return wrongType
  if new.kind != JObject:
    return wrongType
  let (apelido, nome, nascimento) = (new.getOrDefault("apelido"), new.getOrDefault("nome"), new.getOrDefault("nascimento"))
  if not (apelido.isTextOrNull and nome.isTextOrNull and nascimento.isTextOrNull):
    return wrongType
  person = Person(id: newId(), apelido: apelido.text, nome: nome.text, nascimento: nascimento.text)

  let stack = new.getOrDefault("stack")
  if stack != nil and stack.kind != JNull:
    if stack.kind != JArray:
      return wrongType
    var texts: seq[string]
    for element in stack:
      if not element.isTextOrNull:
        return wrongType
      texts.add element.text
    person.stack = some(texts)
    for text in texts:
      if not text.fits(32):
        return invalid

  if person.apelido.fits(32) and person.nome.fits(100) and person.nascimento.isDate: valid else: invalid
