package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var errNoObject = errors.New("not a JSON object of whole characters")

// readObject decodes an object, each key into what field gives for it; nil skips its value.
// json.Unmarshal into a struct would take keys in any letter case, and texts with half a character.
func readObject(body []byte, field func(key string) any) error {
	if !utf8.Valid(body) || hasHalfPair(body) {
		return errNoObject
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return errNoObject
	}
	var skipped json.RawMessage
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		into := field(key.(string))
		if into == nil {
			into = &skipped
		}
		if err := decoder.Decode(into); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errNoObject
	}
	return nil
}

// hasHalfPair tells whether half of a surrogate pair is escaped without its other half, as in "\ud800".
func hasHalfPair(body []byte) bool {
	for {
		at := bytes.IndexByte(body, '\\')
		if at < 0 {
			return false
		}
		body = body[at:]
		taken := min(2, len(body))
		if half := escaped(body); utf16.IsSurrogate(half) {
			if taken = 12; utf16.DecodeRune(half, escaped(body[6:])) == utf8.RuneError {
				return true
			}
		}
		body = body[taken:]
	}
}

// escaped is the UTF-16 unit of an escape such as \u00e9 at the start of a text; 0 where there is none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit)
}
