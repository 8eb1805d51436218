// Calls functions in both of Go's conventions. One request per line of stdin, one answer per line of stdout:
//
//	words      inRegisters("hello", 42, []byte("slice"), -7), byPointer(&request{9, "/users/9"}), onStack("assembly", 11)
//	say TEXT   inRegisters(TEXT, length of TEXT, nil, 0)
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

type request struct {
	id  int64
	url string
}

//go:noinline
func inRegisters(text string, number int64, bytes []byte, small int8) int {
	return len(text) + int(number) + len(bytes) + int(small)
}

//go:noinline
func byPointer(r *request) int {
	return len(r.url)
}

// In assembly: ABI0.
func onStack(text string, number int64) int64

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line := in.Text()
		if line == "words" {
			sum := inRegisters("hello", 42, []byte("slice"), -7)
			sum += byPointer(&request{id: 9, url: "/users/9"})
			sum += int(onStack("assembly", 11))
			fmt.Println(sum)
		} else if strings.HasPrefix(line, "say ") {
			text := line[4:]
			fmt.Println(inRegisters(text, int64(len(text)), nil, 0))
		} else {
			fmt.Println("what?")
		}
	}
}
