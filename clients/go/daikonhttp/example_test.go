package daikonhttp_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonhttp"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

func ExampleGuard_RequirePermission() {
	fake, err := daikontest.Start(daikontest.World{
		Members:   []daikontest.Member{{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleViewer}},
		Resources: []daikontest.Resource{{Type: "note", ID: "1", WorkspaceID: "acme", OwnerID: "alice"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Stop()

	guard := daikonhttp.New(fake.Client)
	mux := http.NewServeMux()
	mayEdit := guard.RequirePermission("edit", daikonhttp.PathValue("note", "id"))
	mux.Handle("PUT /notes/{id}", mayEdit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "saved by", daikonhttp.UserOf(r).Claims.Subject)
	})))

	for _, path := range []string{"/notes/1", "/notes/2"} {
		request := httptest.NewRequest(http.MethodPut, path, nil)
		request.Header.Set("Authorization", "Bearer "+fake.Token("alice", "acme"))
		response := httptest.NewRecorder()
		mux.ServeHTTP(response, request)
		fmt.Println(response.Code)
	}
	// Output:
	// 200
	// 403
}

func ExampleFilter() {
	var guard *daikonhttp.Guard
	toResource := func(id string) daikon.Resource { return daikon.Resource{Type: "note", ID: id} }
	list := func(w http.ResponseWriter, r *http.Request) {
		visible, err := daikonhttp.Filter(r, "view", []string{"1", "2"}, toResource)
		if err != nil {
			guard.Error(w, r, err)
			return
		}
		fmt.Fprintln(w, visible)
	}
	http.Handle("GET /notes", guard.RequireUser(http.HandlerFunc(list)))
}
