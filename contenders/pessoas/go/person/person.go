// Package person says what a valid person is.
package person

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	apelidoCharsMax    = 32
	nomeCharsMax       = 100
	technologyCharsMax = 32
)

var (
	// ErrMalformed is broken JSON, or a value of a wrong type.
	ErrMalformed = errors.New("not the JSON of a person")
	// ErrInvalid is JSON of the right types that breaks a rule.
	ErrInvalid = errors.New("a rule is broken")
)

// Person is as kept and shown, and in the order of the columns. Field names are the contest's.
type Person struct {
	ID         uuid.UUID `json:"id"`
	Apelido    string    `json:"apelido"`
	Nome       string    `json:"nome"`
	Nascimento string    `json:"nascimento"`
	Stack      []string  `json:"stack"` // nil is null
}

// written is a body; what is null or missing is nil.
type written struct {
	Apelido    *string   `json:"apelido"`
	Nome       *string   `json:"nome"`
	Nascimento *string   `json:"nascimento"`
	Stack      []*string `json:"stack"`
}

// Read takes a person from the body of a creation, and gives it a new id, ordered by time.
func Read(body []byte) (Person, error) {
	var read written
	// encoding/json would put a replacement character where a text is no UTF-8.
	if !utf8.Valid(body) || json.Unmarshal(body, &read) != nil {
		return Person{}, ErrMalformed
	}
	if !fits(read.Apelido, apelidoCharsMax) || !fits(read.Nome, nomeCharsMax) || !isDate(read.Nascimento) {
		return Person{}, ErrInvalid
	}
	var stack []string
	if read.Stack != nil {
		stack = make([]string, 0, len(read.Stack))
	}
	for _, technology := range read.Stack {
		if !fits(technology, technologyCharsMax) {
			return Person{}, ErrInvalid
		}
		stack = append(stack, *technology)
	}
	id, err := uuid.NewV7()
	return Person{id, *read.Apelido, *read.Nome, *read.Nascimento, stack}, err
}

// PostgreSQL keeps no NUL in a text.
func fits(text *string, charsMax int) bool {
	return text != nil && *text != "" && utf8.RuneCountInString(*text) <= charsMax && !strings.Contains(*text, "\x00")
}

func isDate(text *string) bool {
	if text == nil {
		return false
	}
	_, err := time.Parse(time.DateOnly, *text)
	return err == nil
}
