package main

import (
	"encoding/binary"
	"testing"
)

// field returns an encoded field with the number 1, 2 or 3 and a text of fewer than 128 bytes.
func field(number byte, text string) []byte {
	return append([]byte{number<<3 | 2, byte(len(text))}, text...)
}

func messages(list ...[]byte) []byte {
	var response []byte
	for _, message := range list {
		response = binary.BigEndian.AppendUint32(append(response, 0), uint32(len(message)))
		response = append(response, message...)
	}
	return response
}

func join(fields ...[]byte) []byte {
	var message []byte
	for _, each := range fields {
		message = append(message, each...)
	}
	return message
}

func TestMatches(t *testing.T) {
	ab := join(field(1, "a"), field(1, "b"))
	cases := []struct {
		name     string
		expected []byte
		fields   []uint64
		response []byte
		want     bool
	}{
		{"equal", ab, nil, messages(ab), true},
		{"another order", ab, nil, messages(join(field(1, "b"), field(1, "a"))), false},
		{"any message", nil, nil, messages(ab), true},
		{"any message, without one", nil, nil, nil, false},
		{"fields in another order", ab, []uint64{1}, messages(join(field(1, "b"), field(1, "a"))), true},
		{"fields of two messages", ab, []uint64{1}, messages(field(1, "b"), field(1, "a")), true},
		{"fields not compared", ab, []uint64{1}, messages(join(ab, field(2, "c"))), true},
		{"a missing field", ab, []uint64{1}, messages(field(1, "a")), false},
		{"a repeated field", ab, []uint64{1}, messages(join(ab, field(1, "b"))), false},
		{"no field", nil, []uint64{1}, messages(field(2, "c")), true},
		{"no field, without a message", nil, []uint64{1}, nil, false},
		{"an unexpected field", nil, []uint64{1}, messages(field(1, "a")), false},
		{"a truncated message", ab, []uint64{1}, messages(ab)[:8], false},
	}
	for _, each := range cases {
		r := request{expected: each.expected, digest: digest(each.expected, each.fields)}
		if got := r.matches(each.response, each.fields); got != each.want {
			t.Errorf("%s: %v", each.name, got)
		}
	}
}
