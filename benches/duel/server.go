// A server for benches/duel/starts: server PORT ROUNDS, each answer takes so many rounds of SHA-256.
package main

import (
	"crypto/sha256"
	"net/http"
	"os"
	"strconv"
)

func main() {
	rounds, _ := strconv.Atoi(os.Args[2])
	body := []byte(`{"ok": true}`)
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		hash := sha256.Sum256(body)
		for round := 1; round < rounds; round++ {
			hash = sha256.Sum256(hash[:])
		}
		answer.Header().Set("Content-Type", "application/json")
		answer.Write(body)
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
