// A server and a client of net/http in one program. One request per line of stdin, one answer per line of stdout:
//
//	get PATH   fetches http://SERVER/PATH on a goroutine of its own, whose stack is small at first; answers the status
//	address    answers HOST:PORT of the server
//	grow N     calls grow and growMore on N new goroutines, whose stacks are too small for them
//
// Paths that begin with /missing are answered 404. Ends at the end of its input.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
)

func serve(writer http.ResponseWriter, request *http.Request) {
	if strings.HasPrefix(request.URL.Path, "/missing") {
		writer.WriteHeader(http.StatusNotFound)
	}
	fmt.Fprint(writer, "content")
}

//go:noinline
func grow(n int) byte {
	var frame [3000]byte
	frame[n] = byte(n)
	return frame[n/2]
}

//go:noinline
func growMore(n int) byte {
	var frame [60000]byte
	frame[n] = byte(n)
	return frame[n/2]
}

func growOften(count string) string {
	times, _ := strconv.Atoi(count)
	done := make(chan byte)
	for i := 0; i < times; i++ {
		go func(n int) { done <- grow(n) + growMore(n) }(i)
		<-done
	}
	return count
}

func get(url string) string {
	response, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body)
	return fmt.Sprint(response.StatusCode)
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(serve))
	defer server.Close()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, path, _ := strings.Cut(lines.Text(), " ")
		if word == "address" {
			fmt.Println(server.Listener.Addr())
			continue
		}
		if word == "grow" {
			fmt.Println(growOften(path))
			continue
		}
		answer := make(chan string)
		go func() { answer <- get(server.URL + path) }()
		fmt.Println(<-answer)
	}
}
