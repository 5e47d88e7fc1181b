package daikon_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikonhttp"
)

func TestRecentSignInsOnServer(t *testing.T) {
	server := startCasesServer(t)
	guard := daikonhttp.New(connect(t, server))
	recent, strong := daikonhttp.SignIn{MaxAge: 5 * time.Minute}, daikonhttp.SignIn{MaxAge: 5 * time.Minute, ACR: "phr"}
	const begin = `Bearer error="insufficient_user_authentication", error_description="The user must sign in again"`
	tests := []struct {
		token     string
		required  daikonhttp.SignIn
		challenge string
	}{
		{"by-passkey", recent, ""},
		{"by-passkey", strong, ""},
		{"by-account", recent, ""},
		{"by-account", strong, begin + `, max_age="300", acr_values="phr"`},
		{"by-passkey-before", strong, begin + `, max_age="300", acr_values="phr"`},
		{"by-passkey-before", daikonhttp.SignIn{ACR: "phr"}, ""},
		{"unconfirmed", recent, begin + `, max_age="300"`},
		{"unconfirmed", daikonhttp.SignIn{MaxAge: time.Hour}, ""},
		{"alice", recent, begin + `, max_age="300"`},
	}
	for _, test := range tests {
		app := guard.RequireRecent(test.required)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		request := httptest.NewRequest(http.MethodDelete, "/account", nil)
		request.Header.Set("Authorization", "Bearer "+server.Values[test.token+".token"])
		response := httptest.NewRecorder()
		app.ServeHTTP(response, request)
		status := http.StatusOK
		if test.challenge != "" {
			status = http.StatusUnauthorized
		}
		if response.Code != status || response.Header().Get("WWW-Authenticate") != test.challenge {
			t.Errorf("%s, %+v: %d %q", test.token, test.required, response.Code, response.Header())
		}
	}
}
