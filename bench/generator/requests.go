package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"sync/atomic"
)

// request is a prepared request with its expected response message, without its prefix. If no
// fields are selected, an empty expectation matches any response message.
type request struct {
	head     []byte
	body     []byte
	expected []byte
	digest   uint64
}

// source repeats the requests of a file. Several connections may take requests from it.
type source struct {
	file     string
	requests []request
	once     bool
	taken    atomic.Int64
}

func (s *source) take() (*request, error) {
	index := int(s.taken.Add(1) - 1)
	if s.once && index >= len(s.requests) {
		return nil, fmt.Errorf("%s has too few requests", s.file)
	}
	return &s.requests[index%len(s.requests)], nil
}

// readRequests reads a file written by writePreparedRequests (../prepared-requests.ts).
func readRequests(file string, fields []uint64) ([]request, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(text, []byte("\n"))
	requests := make([]request, 0, len(lines))
	var head []byte
	for _, line := range lines {
		var parts [3][]byte
		for i, part := range bytes.SplitN(line, []byte(" "), 3) {
			if parts[i], err = base64.StdEncoding.AppendDecode(nil, part); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		if len(parts[0]) > 0 {
			head = parts[0]
		}
		next := request{head: head, body: parts[1], expected: parts[2]}
		if len(fields) > 0 {
			next.digest = digest(next.expected, fields)
		}
		requests = append(requests, next)
	}
	return requests, nil
}

// matches compares the messages of a response, each of which has a prefix of five bytes.
func (r *request) matches(response []byte, fields []uint64) bool {
	if len(response) < 5 {
		return false
	}
	if len(fields) == 0 {
		return len(r.expected) == 0 || bytes.Equal(response[5:], r.expected)
	}
	// Fields may be spread over several messages.
	var sum uint64
	for len(response) >= 5 {
		length := int(binary.BigEndian.Uint32(response[1:]))
		if len(response) < 5+length {
			return false
		}
		sum += digest(response[5:5+length], fields)
		response = response[5+length:]
	}
	return sum == r.digest
}

var seed = maphash.MakeSeed()

// digest returns a value that does not depend on the order of the selected fields, because servers
// in Go write maps in random order.
func digest(message []byte, fields []uint64) uint64 {
	var sum uint64
	for len(message) > 0 {
		key, keyLength := binary.Uvarint(message)
		if keyLength <= 0 {
			return 0
		}
		end := keyLength
		switch key & 7 {
		case 0:
			_, length := binary.Uvarint(message[keyLength:])
			end += length
		case 1:
			end += 8
		case 2:
			size, length := binary.Uvarint(message[keyLength:])
			end += length + int(size)
		case 5:
			end += 4
		}
		if end <= keyLength || end > len(message) {
			return 0
		}
		if slices.Contains(fields, key>>3) {
			sum += maphash.Bytes(seed, message[:end])
		}
		message = message[end:]
	}
	return sum
}
