// The API on net/http alone: the patterns of ServeMux are all the framework that it needs.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/google/uuid"

	"pessoas/person"
	"pessoas/start"
	"pessoas/store"
)

func main() {
	start.Run(func(people *store.Store) start.Server {
		server := &http.Server{
			Handler:     routes(people),
			ReadTimeout: start.ReadTimeout,
			IdleTimeout: start.IdleTimeout,
		}
		listen := func(address string) error {
			server.Addr = address
			if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		}
		return start.Server{Listen: listen, Shutdown: server.Shutdown}
	})
}

type api struct {
	people *store.Store
}

func routes(people *store.Store) http.Handler {
	api := api{people}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pessoas", api.create)
	mux.HandleFunc("GET /pessoas", api.search)
	mux.HandleFunc("GET /pessoas/{id}", api.find)
	mux.HandleFunc("GET /contagem-pessoas", api.count)
	return mux
}

func (a api) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, start.BodyBytesMax))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	new, err := person.Read(body)
	switch {
	case errors.Is(err, person.ErrMalformed):
		w.WriteHeader(http.StatusBadRequest)
		return
	case err != nil:
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	created, err := a.people.Create(r.Context(), new)
	switch {
	case err != nil:
		unavailable(w, err)
	case created:
		w.Header().Set("Location", "/pessoas/"+new.ID.String())
		w.WriteHeader(http.StatusCreated)
	default:
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
}

func (a api) find(w http.ResponseWriter, r *http.Request) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	found, err := a.people.Find(r.Context(), id)
	switch {
	case err != nil:
		unavailable(w, err)
	case len(found) == 0:
		w.WriteHeader(http.StatusNotFound)
	default:
		show(w, found[0])
	}
}

func (a api) search(w http.ResponseWriter, r *http.Request) {
	term := r.URL.Query().Get("t")
	if term == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	found, err := a.people.Search(r.Context(), term)
	if err != nil {
		unavailable(w, err)
		return
	}
	show(w, found)
}

func (a api) count(w http.ResponseWriter, r *http.Request) {
	count, err := a.people.Count(r.Context())
	if err != nil {
		unavailable(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprint(w, count)
}

func show(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	// It fails only where the client has gone.
	_ = json.NewEncoder(w).Encode(what)
}

func unavailable(w http.ResponseWriter, err error) {
	log.Print("database: ", err)
	w.WriteHeader(http.StatusServiceUnavailable)
}
