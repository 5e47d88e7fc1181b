package daikon_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain fails if goroutines of the client or of gRPC remain after all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	stopCasesServer()
	if left := findLeaks(10 * time.Second); code == 0 && left != "" {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
		code = 1
	}
	os.Exit(code)
}

func findLeaks(patience time.Duration) string {
	var left []string
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = nil
		for index, stack := range strings.Split(string(stacks), "\n\n") {
			isOurs := strings.Contains(stack, "daikon-auth/daikon") || strings.Contains(stack, "google.golang.org/grpc")
			if index > 0 && isOurs {
				left = append(left, stack)
			}
		}
		if left == nil {
			return ""
		}
	}
	return strings.Join(left, "\n\n")
}

// casesServer is a server from this repository with the world of clients/cases.json.
type casesServer struct {
	Address    string
	ServiceKey string
	Values     map[string]string

	stop func()
}

var (
	startOnce   sync.Once
	running     *casesServer
	errStarting error
)

// startCasesServer starts the server once for all tests. It skips the test if Node.js or its packages are
// missing.
func startCasesServer(t *testing.T) *casesServer {
	t.Helper()
	startOnce.Do(func() { running, errStarting = runCasesServer() })
	if errors.Is(errStarting, errNoServer) {
		t.Skip(errStarting)
	}
	if errStarting != nil {
		t.Fatal(errStarting)
	}
	return running
}

var errNoServer = errors.New("skipped: the server needs `npm ci` in the repository")

func runCasesServer() (*casesServer, error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return nil, err
	}
	// The version of Node.js that npm installs.
	node := filepath.Join(root, "node_modules/.bin/node")
	if _, err := os.Stat(node); err != nil {
		return nil, errNoServer
	}
	command := exec.Command(node, "test/support/client-cases-server.ts")
	command.Dir = root
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	server := &casesServer{stop: func() {
		_ = input.Close()
		_ = command.Wait()
	}}
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, server)
	}
	if err != nil {
		server.stop()
		return nil, fmt.Errorf("the server does not start: %w", err)
	}
	return server, nil
}

func stopCasesServer() {
	if running != nil {
		running.stop()
	}
}
