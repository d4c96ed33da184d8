// Package person says what a valid person is.
package person

import (
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
	apelido, nome, nascimento *string
	stack                     []*string
}

// field is where the value of a key goes.
func (w *written) field(key string) any {
	switch key {
	case "apelido":
		return &w.apelido
	case "nome":
		return &w.nome
	case "nascimento":
		return &w.nascimento
	case "stack":
		return &w.stack
	}
	return nil
}

// Read takes a person from the body of a creation, and gives it a new id, ordered by time.
func Read(body []byte) (Person, error) {
	var read written
	if readObject(body, read.field) != nil {
		return Person{}, ErrMalformed
	}
	if !fits(read.apelido, apelidoCharsMax) || !fits(read.nome, nomeCharsMax) || !isDate(read.nascimento) {
		return Person{}, ErrInvalid
	}
	var stack []string
	if read.stack != nil {
		stack = make([]string, 0, len(read.stack))
	}
	for _, technology := range read.stack {
		if !fits(technology, technologyCharsMax) {
			return Person{}, ErrInvalid
		}
		stack = append(stack, *technology)
	}
	id, err := uuid.NewV7()
	return Person{id, *read.apelido, *read.nome, *read.nascimento, stack}, err
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
