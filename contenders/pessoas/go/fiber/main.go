// The API on Fiber.
package main

import (
	"errors"
	"log"
	"strconv"

	"github.com/gofiber/fiber/v3"
	"github.com/google/uuid"

	"pessoas/person"
	"pessoas/start"
	"pessoas/store"
)

func main() {
	start.Run(func(people *store.Store) start.Server {
		app := app(people)
		listen := func(address string) error {
			return app.Listen(address, fiber.ListenConfig{DisableStartupMessage: true})
		}
		return start.Server{Listen: listen, Shutdown: app.ShutdownWithContext}
	})
}

type api struct {
	people *store.Store
}

func app(people *store.Store) *fiber.App {
	api := api{people}
	app := fiber.New(fiber.Config{
		BodyLimit:   start.BodyBytesMax,
		ReadTimeout: start.ReadTimeout,
		IdleTimeout: start.IdleTimeout,
	})
	app.Post("/pessoas", api.create)
	app.Get("/pessoas", api.search)
	app.Get("/pessoas/:id", api.find)
	app.Get("/contagem-pessoas", api.count)
	return app
}

func (a api) create(c fiber.Ctx) error {
	new, err := person.Read(c.BodyRaw())
	switch {
	case errors.Is(err, person.ErrMalformed):
		return c.SendStatus(fiber.StatusBadRequest)
	case err != nil:
		return c.SendStatus(fiber.StatusUnprocessableEntity)
	}
	created, err := a.people.Create(c.Context(), new)
	switch {
	case err != nil:
		return unavailable(c, err)
	case created:
		c.Location("/pessoas/" + new.ID.String())
		return c.SendStatus(fiber.StatusCreated)
	default:
		return c.SendStatus(fiber.StatusUnprocessableEntity)
	}
}

func (a api) find(c fiber.Ctx) error {
	id, err := uuid.Parse(c.Params("id"))
	if err != nil {
		return c.SendStatus(fiber.StatusNotFound)
	}
	found, err := a.people.Find(c.Context(), id)
	switch {
	case err != nil:
		return unavailable(c, err)
	case len(found) == 0:
		return c.SendStatus(fiber.StatusNotFound)
	default:
		return c.JSON(found[0])
	}
}

func (a api) search(c fiber.Ctx) error {
	term := c.Query("t")
	if term == "" {
		return c.SendStatus(fiber.StatusBadRequest)
	}
	found, err := a.people.Search(c.Context(), term)
	if err != nil {
		return unavailable(c, err)
	}
	return c.JSON(found)
}

func (a api) count(c fiber.Ctx) error {
	count, err := a.people.Count(c.Context())
	if err != nil {
		return unavailable(c, err)
	}
	return c.SendString(strconv.FormatInt(count, 10))
}

func unavailable(c fiber.Ctx, err error) error {
	log.Print("database: ", err)
	return c.SendStatus(fiber.StatusServiceUnavailable)
}
