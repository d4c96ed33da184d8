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
	} {
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
