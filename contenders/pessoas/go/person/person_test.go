package person

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestADateIsOfOneFormAndExists(t *testing.T) {
	for _, good := range []string{"2000-02-29", "2001-02-28", "1999-12-31"} {
		if !isDate(&good) {
			t.Error(good)
		}
	}
	for _, bad := range []string{"2001-02-29", "1900-02-29", "2000-13-01", "2000-04-31", "2000-1-001", "+200-01-01", " 2000-1-1", ""} {
		if isDate(&bad) {
			t.Error(bad)
		}
	}
}

func TestTypesAreToldFromValues(t *testing.T) {
	person := `{"apelido":"a","nome":"b","nascimento":"2000-01-01"`
	for body, expected := range map[string]error{
		person + `}`:                         nil,
		person + `,"stack":[]}`:              nil,
		person + `,"stack":[null]}`:          ErrInvalid,
		person + `,"stack":[""]}`:            ErrInvalid,
		person + `,"stack":[1]}`:             ErrMalformed,
		person + `} x`:                       ErrMalformed,
		person + `,"mais":"` + "\xff" + `"}`: ErrMalformed,
		`{"apelido":null,"nome":"b","nascimento":"2000-01-01"}`:     ErrInvalid,
		`{"apelido":"\u0000","nome":"b","nascimento":"2000-01-01"}`: ErrInvalid,
		`{"apelido":null,"nome":1,"nascimento":"2000-01-01"}`:       ErrMalformed,
		`["a","b","2000-01-01",null]`:                               ErrMalformed,
		`null`:                                                      ErrMalformed,
		``:                                                          ErrMalformed,
		person:                                                      ErrMalformed,
		person + `,}`:                                               ErrMalformed,
		person + `,"mais":{"a":[1,null]}}`:                          nil,
	} {
		if _, err := Read([]byte(body)); !errors.Is(err, expected) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestKeysAreTakenAsTheyAreWritten(t *testing.T) {
	for body, expected := range map[string]error{
		`{"Apelido":"a","nome":"b","nascimento":"2000-01-01"}`:             ErrInvalid,
		`{"apelido":"a","nome":"b","nascimento":"2000-01-01","STACK":1}`:   nil,
		`{"\u0061pelido":"a","nome":"b","nascimento":"2000-01-01"}`:        nil,
		`{"apelido":1,"apelido":"a","nome":"b","nascimento":"2000-01-01"}`: ErrMalformed,
	} {
		if _, err := Read([]byte(body)); !errors.Is(err, expected) {
			t.Errorf("%s: %v", body, err)
		}
	}
	twice := `{"apelido":"a","apelido":"z","APELIDO":"x","nome":"b","nascimento":"2000-01-01","stack":["a","b"],"stack":["c"]}`
	if read, err := Read([]byte(twice)); err != nil || read.Apelido != "z" || len(read.Stack) != 1 {
		t.Errorf("%v: %v", read, err)
	}
}

func TestHalfACharacterIsRefused(t *testing.T) {
	for text, expected := range map[string]error{
		`\ud83d\ude00`:          nil,
		`\uD83D\uDE00\u00e9`:    nil,
		`\\ud800`:               nil,
		`\\\ud83d\ude00`:        nil,
		`\ufffd`:                nil,
		`\ud83d`:                ErrMalformed,
		`\ude00`:                ErrMalformed,
		`\ude00\ud83d`:          ErrMalformed,
		`\ud83d\ud83d\ude00`:    ErrMalformed,
		`\ud83d \ude00`:         ErrMalformed,
		`\ud83d\n`:              ErrMalformed,
		`\\\uDBFF`:              ErrMalformed,
		`\ud83d\\ude00 half`:    ErrMalformed,
		`a backslash \`:         ErrMalformed,
		`a digit is missing \u`: ErrMalformed,
	} {
		body := fmt.Sprintf(`{"apelido":"%s","nome":"b","nascimento":"2000-01-01"}`, text)
		if _, err := Read([]byte(body)); !errors.Is(err, expected) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestCharactersAreCounted(t *testing.T) {
	for chars, expected := range map[int]error{32: nil, 33: ErrInvalid} {
		body := fmt.Sprintf(`{"apelido":"%s","nome":"b","nascimento":"2000-01-01"}`, strings.Repeat("é", chars))
		if _, err := Read([]byte(body)); !errors.Is(err, expected) {
			t.Errorf("%d characters: %v", chars, err)
		}
	}
}
