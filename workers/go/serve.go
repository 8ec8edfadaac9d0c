package main

// Implements the protocol: cases, requests and messages.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

const (
	mostBytes  = 16 << 20
	mostFields = 1 << 16
	mostSets   = 4096
)

// A prepared case, and the range of its last visit.
type prepared struct {
	operations []operation
	first, n   uint64
}

func (p *prepared) visit(first, n uint64) (int64, error) {
	operations, at := p.operations, int(first%uint64(len(p.operations)))
	started := time.Now()
	for range n {
		if err := operations[at].run(); err != nil {
			return 0, err
		}
		if at++; at == len(operations) {
			at = 0
		}
	}
	elapsed := time.Since(started).Nanoseconds()
	p.first, p.n = first, n
	return elapsed, nil
}

func number(field []byte) (uint64, error) {
	value, err := strconv.ParseUint(string(field), 10, 63)
	if err != nil || strconv.FormatUint(value, 10) != string(field) {
		return 0, errArguments
	}
	return value, nil
}

func text(values ...string) (fields [][]byte) {
	for _, value := range values {
		fields = append(fields, []byte(value))
	}
	return
}

var cases = map[string]*prepared{}

func answer(verb string, in [][]byte) ([][]byte, error) {
	switch verb {
	case "hello":
		if len(in) != 1 {
			return nil, errArguments
		}
		version, err := number(in[0])
		if err != nil || version < 1 {
			return nil, errArguments
		}
		return text("1", "go", runtime.Version(), libraries(), "crypto/rand"), nil
	case "list":
		if len(in) != 0 {
			return nil, errArguments
		}
		var all []string
		for _, offer := range offers {
			all = append(all, offer.text)
		}
		return text(all...), nil
	case "call":
		if len(in) < 2 {
			return nil, errArguments
		}
		ready, err := find(string(in[0]), string(in[1]))
		if err != nil {
			return nil, err
		}
		operation, err := ready(in[2:])
		if err == nil {
			err = operation.run()
		}
		if err != nil {
			return nil, err
		}
		return operation.outputs(), nil
	case "prepare":
		return nil, prepare(in)
	case "visit", "answers", "release":
		if len(in) != map[string]int{"visit": 3, "answers": 1, "release": 1}[verb] {
			return nil, errArguments
		}
		known, ok := cases[string(in[0])]
		if !ok {
			return nil, errors.New("unknown handle")
		}
		switch verb {
		case "release":
			delete(cases, string(in[0]))
			return nil, nil
		case "answers":
			return known.answers(), nil
		}
		first, err := number(in[1])
		n, err2 := number(in[2])
		if err != nil || err2 != nil || n < 1 || n > 1<<32 {
			return nil, errArguments
		}
		elapsed, err := known.visit(first, n)
		return text(strconv.FormatInt(elapsed, 10)), err
	case "goodbye":
		if len(in) != 0 {
			return nil, errArguments
		}
		return nil, nil
	}
	return nil, unsupported("unknown request: " + verb)
}

func prepare(in [][]byte) error {
	if len(in) < 4 {
		return errArguments
	}
	if _, err := number(in[0]); err != nil || cases[string(in[0])] != nil {
		return errors.New("the handle is invalid or already in use")
	}
	count, err := number(in[3])
	sets := in[4:]
	if err != nil || count < 1 || count > mostSets || uint64(len(sets))%count != 0 {
		return errArguments
	}
	ready, err := find(string(in[1]), string(in[2]))
	if err != nil {
		return err
	}
	each := len(sets) / int(count)
	made := &prepared{}
	for set := range int(count) {
		operation, err := ready(sets[set*each : (set+1)*each])
		if err != nil {
			return err
		}
		made.operations = append(made.operations, operation)
	}
	cases[string(in[0])] = made
	return nil
}

func (p *prepared) answers() (fields [][]byte) {
	count := uint64(len(p.operations))
	for i := range min(p.n, count) {
		set := (p.first%count + i) % count
		fields = append(fields, []byte(strconv.FormatUint(set, 10)))
		fields = append(fields, p.operations[set].outputs()...)
	}
	return
}

func libraries() string {
	text := "the standard library"
	// With the argument `standard`, CIRCL is linked, but not offered.
	if len(os.Args) > 1 {
		return text
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if strings.HasSuffix(module.Path, "/circl") {
				text += ", CIRCL " + strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return text
}

// Reads a message and returns its fields, or io.EOF if there are no more messages.
func receive(in io.Reader) ([][]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || size > mostBytes {
		return nil, fmt.Errorf("invalid message length: %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, errors.New("the input ends inside a message")
	}
	var fields [][]byte
	for len(body) > 0 {
		if len(body) < 4 || uint64(binary.BigEndian.Uint32(body)) > uint64(len(body)-4) || len(fields) == mostFields {
			return nil, errors.New("the fields do not match the message length")
		}
		end := 4 + int(binary.BigEndian.Uint32(body))
		fields = append(fields, body[4:end:end])
		body = body[end:]
	}
	if len(fields[0]) == 0 || len(bytes.Trim(fields[0], "abcdefghijklmnopqrstuvwxyz-")) > 0 {
		return nil, errors.New("the message contains no valid verb")
	}
	return fields, nil
}

func send(out io.Writer, verb string, fields [][]byte) error {
	body := make([]byte, 4, 256)
	for _, field := range append(text(verb), fields...) {
		body = binary.BigEndian.AppendUint32(body, uint32(len(field)))
		body = append(body, field...)
	}
	binary.BigEndian.PutUint32(body, uint32(len(body)-4))
	_, err := out.Write(body)
	return err
}

// Answers a request. Converts a panic in a library into an error, so that the worker continues.
func guarded(verb string, in [][]byte) (fields [][]byte, err error) {
	defer func() {
		if panic := recover(); panic != nil {
			err = fmt.Errorf("panicked: %v", panic)
		}
	}()
	return answer(verb, in)
}

func serve() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		message, err := receive(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		verb := string(message[0])
		fields, err := guarded(verb, message[1:])
		var lacks unsupported
		reason := func() [][]byte { return text(strings.ReplaceAll(err.Error(), "\n", " ")) }
		switch {
		case err == nil:
			err = send(os.Stdout, "ok", fields)
		case errors.As(err, &lacks):
			err = send(os.Stdout, "unsupported", reason())
		default:
			err = send(os.Stdout, "error", reason())
		}
		if err != nil || verb == "goodbye" && len(message) == 1 {
			return err
		}
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	var err error
	if offers, err = choose(os.Args[1:]); err == nil {
		err = serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pqlab worker in Go:", err)
		os.Exit(1)
	}
}
