// Follows the activity log, as test/support/follower.ts asks.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"strconv"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

func main() {
	var arguments struct {
		Address, Key, Cursor, WorkspaceID string
		Actions                           []string
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &arguments); err != nil {
		log.Fatal(err)
	}
	client, err := daikon.New(arguments.Address, daikon.WithService("docs"), daikon.WithServiceKey(arguments.Key))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	output := json.NewEncoder(os.Stdout)
	write := func(line map[string]any) {
		if err := output.Encode(line); err != nil {
			log.Fatal(err)
		}
	}

	commands := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if lines.Text() == "close" {
				_ = client.Close()
			} else {
				commands <- lines.Text()
			}
		}
	}()

	options := daikon.WatchOptions{
		Cursor:      arguments.Cursor,
		WorkspaceID: arguments.WorkspaceID,
		Actions:     arguments.Actions,
		OnDisconnect: func(err error) {
			var failure *daikon.Error
			errors.As(err, &failure)
			write(map[string]any{"disconnected": failure.Reason})
		},
	}
	credit, _ := strconv.Atoi(<-commands)
	var failure *daikon.Error
	for message, err := range client.Watch(context.Background(), options) {
		if err != nil {
			errors.As(err, &failure)
			break
		}
		line := map[string]any{"cursor": message.Cursor}
		if event := message.Event; event != nil {
			line["id"], line["action"], line["detail"] = event.ID, event.Action, event.Detail
		}
		write(line)
		credit--
		if credit > 0 {
			continue
		}
		command := <-commands
		if command == "leave" {
			break
		}
		credit, _ = strconv.Atoi(command)
	}
	switch {
	case failure == nil || errors.Is(failure, daikon.ErrCanceled):
		write(map[string]any{"ended": true})
	default:
		fields := []string{}
		for _, field := range failure.Fields {
			fields = append(fields, field.Field)
		}
		name := "Error"
		for sentinel, sentinelName := range map[error]string{
			daikon.ErrCursorGone:      "CursorGoneError",
			daikon.ErrInvalidArgument: "InvalidArgumentError",
			daikon.ErrUnauthenticated: "UnauthenticatedError",
		} {
			if errors.Is(failure, sentinel) {
				name = sentinelName
			}
		}
		write(map[string]any{"failed": map[string]any{
			"name": name, "code": failure.Code, "reason": failure.Reason, "fields": fields,
		}})
	}
	<-ended
}
