// go build hello.go && ./hello PORT
package main

import (
	"net/http"
	"os"
)

func main() {
	body, err := os.ReadFile("hello.json")
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		response.Write(body)
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
