// Command caller makes the checks of client.ts with the Go client and with the generated code alone. It reads jobs
// from standard input, one per line, and writes one line with the result of each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

type job struct {
	Port       int    `json:"port"`
	File       string `json:"file"`
	Caller     string `json:"caller"`
	Service    string `json:"service"`
	Type       string `json:"type"`
	ServiceKey string `json:"serviceKey"`
}

type item struct {
	Token      string `json:"token"`
	ResourceID string `json:"resource_id"`
	Action     string `json:"action"`
	Allowed    bool   `json:"allowed"`
}

// result has the elapsed seconds and the microseconds of CPU for all checks. Total also counts the checks that opened
// the connection before.
type result struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`
	Total   int     `json:"total"`
	Wrong   int64   `json:"wrong"`
}

const batchSize = 1000

type decide func(context.Context, item) (bool, error)

func main() {
	if path := os.Getenv("BENCH_GO_PROFILE"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	var items []item
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var next job
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			log.Fatal(err)
		}
		if items == nil {
			content, err := os.ReadFile(next.File)
			if err != nil {
				log.Fatal(err)
			}
			if err := json.Unmarshal(content, &items); err != nil {
				log.Fatal(err)
			}
		}
		measured, err := run(next, items)
		if err != nil {
			log.Fatal(err)
		}
		line, _ := json.Marshal(measured)
		fmt.Println(string(line))
	}
}

func run(next job, items []item) (result, error) {
	decideAll, closeClient, err := open(next)
	if err != nil {
		return result{}, err
	}
	defer closeClient()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	first := items[:min(200, len(items))]
	decideAll(ctx, first)
	cpu, started := cpuTime(), time.Now()
	wrong := decideAll(ctx, items)
	seconds, used := time.Since(started).Seconds(), cpuTime()-cpu
	return result{seconds, float64(used.Microseconds()), len(first) + len(items), wrong}, nil
}

// open returns how a caller makes all checks. It returns how many results are wrong or missing.
func open(next job) (func(context.Context, []item) int64, func(), error) {
	if next.Caller == "batches" {
		return openBatches(next)
	}
	openOne := openClient
	if next.Caller == "plain" {
		openOne = openPlain
	}
	check, closeClient, err := openOne(next)
	decideAll := func(ctx context.Context, items []item) int64 { return checkAll(ctx, check, items) }
	return decideAll, closeClient, err
}

func openBatches(next job) (func(context.Context, []item) int64, func(), error) {
	connection, err := grpc.NewClient(next.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	client := daikonv1.NewAccessServiceClient(connection)
	send := func(ctx context.Context, items []item) int64 {
		request := &daikonv1.EvaluateBatchRequest{}
		for _, each := range items {
			request.Evaluations = append(request.Evaluations, &daikonv1.EvaluationItem{
				Subject:  &daikonv1.AccessSubject{Type: "access_token", Id: each.Token},
				Action:   &daikonv1.AccessAction{Name: each.Action},
				Resource: &daikonv1.AccessResource{Type: next.Service + ":" + next.Type, Id: each.ResourceID},
			})
		}
		ctx = metadata.AppendToOutgoingContext(ctx, "x-service-key", next.ServiceKey)
		response, err := client.EvaluateBatch(ctx, request)
		if err != nil || len(response.GetEvaluations()) != len(items) {
			return int64(len(items))
		}
		wrong := int64(0)
		for index, each := range items {
			if response.GetEvaluations()[index].GetDecision() != each.Allowed {
				wrong++
			}
		}
		return wrong
	}
	sendAll := func(ctx context.Context, items []item) int64 {
		var wrong atomic.Int64
		var group sync.WaitGroup
		for batch := range slices.Chunk(items, batchSize) {
			group.Add(1)
			go func() {
				defer group.Done()
				wrong.Add(send(ctx, batch))
			}()
		}
		group.Wait()
		return wrong.Load()
	}
	return sendAll, func() { _ = connection.Close() }, nil
}

// checkAll makes all checks in goroutines that start together, and returns how many results are wrong or missing.
func checkAll(ctx context.Context, check decide, items []item) int64 {
	var wrong atomic.Int64
	var group sync.WaitGroup
	for _, each := range items {
		group.Add(1)
		go func() {
			defer group.Done()
			allowed, err := check(ctx, each)
			if err != nil || allowed != each.Allowed {
				wrong.Add(1)
			}
		}()
	}
	group.Wait()
	return wrong.Load()
}

func openClient(next job) (decide, func(), error) {
	client, err := daikon.New(next.address(), daikon.WithService(next.Service), daikon.WithServiceKey(next.ServiceKey))
	if err != nil {
		return nil, nil, err
	}
	check := func(ctx context.Context, each item) (bool, error) {
		resource := daikon.Resource{Type: next.Type, ID: each.ResourceID}
		return client.Check(ctx, daikon.Subject{Token: each.Token}, each.Action, resource)
	}
	return check, func() { _ = client.Close() }, nil
}

func openPlain(next job) (decide, func(), error) {
	connection, err := grpc.NewClient(next.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	client := daikonv1.NewPermissionServiceClient(connection)
	check := func(ctx context.Context, each item) (bool, error) {
		ctx = metadata.AppendToOutgoingContext(ctx,
			"x-service-key", next.ServiceKey, "authorization", "Bearer "+each.Token)
		response, err := client.Check(ctx, &daikonv1.PermissionCheckRequest{Checks: []*daikonv1.PermissionCheck{{
			ServiceName: next.Service, ResourceType: next.Type, ResourceId: each.ResourceID, Action: each.Action,
		}}})
		if err != nil {
			return false, err
		}
		return response.GetResults()[0].GetAllowed(), nil
	}
	return check, func() { _ = connection.Close() }, nil
}

func (j job) address() string { return fmt.Sprintf("127.0.0.1:%d", j.Port) }

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
