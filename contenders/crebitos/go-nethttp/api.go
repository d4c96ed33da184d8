package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	bodyBytesMax      = 64 << 10
	descricaoCharsMax = 10
	// UTC with microseconds.
	timestamp = "2006-01-02T15:04:05.000000Z"
)

// written is a body; what is null or missing is nil.
type written struct {
	valor           *int64
	tipo, descricao *string
}

// field is where the value of a key goes. Keys are the contest's.
func (w *written) field(key string) any {
	switch key {
	case "valor":
		return &w.valor
	case "tipo":
		return &w.tipo
	case "descricao":
		return &w.descricao
	}
	return nil
}

type result struct {
	Limite int64 `json:"limite"`
	Saldo  int64 `json:"saldo"`
}

type statement struct {
	Saldo      total   `json:"saldo"`
	Transacoes []entry `json:"ultimas_transacoes"`
}

type total struct {
	Total       int64  `json:"total"`
	DataExtrato string `json:"data_extrato"`
	Limite      int64  `json:"limite"`
}

type entry struct {
	Valor       int64  `json:"valor"`
	Tipo        string `json:"tipo"`
	Descricao   string `json:"descricao"`
	RealizadaEm string `json:"realizada_em"`
}

type api struct {
	accounts *store
}

func routes(accounts *store) http.Handler {
	api := api{accounts}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /clientes/{id}/transacoes", api.move)
	mux.HandleFunc("GET /clientes/{id}/extrato", api.statement)
	return mux
}

func (a api) move(w http.ResponseWriter, r *http.Request) {
	id, isNumber := clientID(r)
	if !isNumber {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	move, isValid := readMove(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	if !isValid {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	balance, err := a.accounts.move(r.Context(), id, move)
	if err != nil {
		refuse(w, err)
		return
	}
	show(w, result{balance.limite, balance.saldo})
}

func (a api) statement(w http.ResponseWriter, r *http.Request) {
	id, isNumber := clientID(r)
	if !isNumber {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	balance, moves, err := a.accounts.statement(r.Context(), id)
	if err != nil {
		refuse(w, err)
		return
	}
	entries := make([]entry, len(moves))
	for i, move := range moves {
		entries[i] = entry{move.valor, move.tipo, move.descricao, move.at.UTC().Format(timestamp)}
	}
	show(w, statement{total{balance.saldo, time.Now().UTC().Format(timestamp), balance.limite}, entries})
}

func clientID(r *http.Request) (int32, bool) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 31)
	return int32(id), err == nil
}

// readMove takes a move from a body; false where a rule is broken.
func readMove(body io.Reader) (move, bool) {
	bytes, err := io.ReadAll(body)
	var read written
	if err != nil || readObject(bytes, read.field) != nil {
		return move{}, false
	}
	if read.valor == nil || read.tipo == nil || read.descricao == nil {
		return move{}, false
	}
	made := move{valor: *read.valor, tipo: *read.tipo, descricao: *read.descricao}
	return made, made.valor > 0 && (made.tipo == "c" || made.tipo == "d") && fits(made.descricao)
}

// fits counts characters, not bytes. PostgreSQL keeps no NUL in a text.
func fits(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= descricaoCharsMax && !strings.Contains(text, "\x00")
}

func show(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	// It fails only where the client has gone.
	_ = json.NewEncoder(w).Encode(what)
}

func refuse(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errUnknown):
		w.WriteHeader(http.StatusNotFound)
	case errors.Is(err, errBeyond):
		w.WriteHeader(http.StatusUnprocessableEntity)
	default:
		log.Print("database: ", err)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
