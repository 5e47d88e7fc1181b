package daikon

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// requireError checks the reason of an error, and that its message describes what to do.
func requireError(t *testing.T, name string, err, sentinel error, reason, hint string) {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) || !errors.Is(err, sentinel) || failure.Reason != reason {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !strings.Contains(err.Error(), hint) {
		t.Errorf("%s: the message does not contain %q: %v", name, hint, err)
	}
}

func checkOnce(t *testing.T, client *Client) error {
	t.Helper()
	_, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(2))
	return err
}

func TestInvalidOptionsFailInNew(t *testing.T) {
	tests := []struct {
		address string
		options []Option
		field   string
	}{
		{"http://localhost:8000", nil, "address"},
		{"localhost", nil, "address"},
		{"", nil, "address"},
		{"localhost:50051", []Option{WithService("")}, "service"},
		{"localhost:50051", []Option{WithServiceKey("dk_key\n")}, "serviceKey"},
		{"localhost:50051", []Option{WithServiceKey("")}, "serviceKey"},
		{"localhost:50051", []Option{WithTimeout(0)}, "timeout"},
		{"localhost:50051", []Option{WithMaxInFlight(0)}, "maxInFlight"},
		{"localhost:50051", []Option{WithPlaintext(), WithTLS(&tls.Config{MinVersion: tls.VersionTLS12})}, "tls"},
	}
	for _, test := range tests {
		_, err := New(test.address, append([]Option{WithService("docs"), WithServiceKey("dk_key")}, test.options...)...)
		var failure *Error
		if !errors.As(err, &failure) || len(failure.Fields) != 1 || failure.Fields[0].Field != test.field {
			t.Errorf("%s, %s: %v", test.address, test.field, err)
		}
	}
}

func TestInvalidArgumentsAreNotSent(t *testing.T) {
	client, server := startStub(t, evenIDs)
	user, resource := Subject{UserID: "u"}, document(1)
	check := func(subject Subject, action string, resource Resource) error {
		_, err := client.Check(t.Context(), subject, action, resource)
		return err
	}
	share := func(resource Resource, grantee Grantee, options ...ShareOption) error {
		_, err := client.Share(t.Context(), resource, grantee, PermissionView, options...)
		return err
	}
	long := strings.Repeat("x", 256)
	tests := map[string]error{
		"subject":       check(Subject{}, "view", resource),
		"subject ":      check(Subject{UserID: "u", Email: "e"}, "view", resource),
		"subject  ":     check(Subject{UserID: "u", Token: "t"}, "view", resource),
		"subject   ":    check(Subject{UserID: "\xff"}, "view", resource),
		"subject    ":   check(Subject{ExternalID: long}, "view", resource),
		"action":        check(user, "", resource),
		"action ":       check(user, "\xff", resource),
		"resource.type": check(user, "view", Resource{ID: "1"}),
		"resource.id":   check(user, "view", Resource{Type: "document", ID: long}),
		"resource.id ":  check(user, "view", Resource{Type: "document", ID: "\xff"}),
		"grantee":       share(resource, Grantee{}),
		"grantee ":      share(resource, Grantee{UserID: "u", GroupID: "g"}),
		"as":            share(resource, Grantee{UserID: "u"}, As("a\nb")),
		"request":       share(resource, Grantee{UserID: "\xff"}, As("token")),
	}
	for name, err := range tests {
		var failure *Error
		field := strings.TrimSpace(name)
		if !errors.As(err, &failure) || !errors.Is(err, ErrInvalidArgument) || failure.Fields[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for id, err := range client.Accessible(t.Context(), Subject{}, "view", "document") {
		if id != "" || !errors.Is(err, ErrInvalidArgument) {
			t.Error(id, err)
		}
	}
	if results, err := client.CheckMany(t.Context(), nil); len(results) != 0 || err != nil {
		t.Error(results, err)
	}
	if count := server.count(); count != 0 {
		t.Errorf("%d calls were sent", count)
	}
}

func TestAnAddressWithoutAServerIsReported(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	rest := httptest.NewServer(http.NotFoundHandler())
	defer rest.Close()
	addresses := map[string]string{
		"nothing listens":   closed.Addr().String(),
		"no such host":      "daikon.invalid:50051",
		"the port for HTTP": rest.Listener.Addr().String(),
	}
	for name, address := range addresses {
		client := connectTo(t, address, WithPlaintext())
		requireError(t, name, checkOnce(t, client), ErrUnavailable, "UNREACHABLE", "Check the address")
		_, err := client.VerifyAccessToken(t.Context(), signedToken(t, nil))
		requireError(t, name, err, ErrUnavailable, "UNREACHABLE", "Check the address")
	}
}

func TestAServerThatGoesAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	daikonv1.RegisterAccessServiceServer(server, &stub{evaluate: evenIDs})
	go func() { _ = server.Serve(listener) }()
	client := connectTo(t, listener.Addr().String())
	if err := checkOnce(t, client); err != nil {
		t.Error(err)
	}
	server.Stop()
	requireError(t, "away", checkOnce(t, client), ErrUnavailable, "UNREACHABLE", "whether daikon is running")

	listener, err = net.Listen("tcp", listener.Addr().String())
	if err != nil {
		t.Skip("the port was taken: ", err)
	}
	server = grpc.NewServer()
	defer server.Stop()
	daikonv1.RegisterAccessServiceServer(server, &stub{evaluate: evenIDs})
	go func() { _ = server.Serve(listener) }()
	waitUntil(t, func() bool { return checkOnce(t, client) == nil })
}

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	folder      string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	created := &authority{folder: t.TempDir()}
	created.certificate = &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "authority"},
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	created.issue(t, "ca", created.certificate)
	return created
}

// issue writes name.pem and name.key.
func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if a.key == nil {
		a.key = key
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	privateKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name + ".pem": {Type: "CERTIFICATE", Bytes: certificate},
		name + ".key": {Type: "PRIVATE KEY", Bytes: privateKey},
	} {
		if err := os.WriteFile(a.path(file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (a *authority) path(file string) string { return filepath.Join(a.folder, file) }

// load returns the TLS configuration of a peer with a certificate for 127.0.0.1.
func (a *authority) load(t *testing.T, name string) *tls.Config {
	t.Helper()
	a.issue(t, name, &x509.Certificate{
		SerialNumber: big.NewInt(2),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	config, err := LoadTLS(a.path("ca.pem"), a.path(name+".pem"), a.path(name+".key"))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestCertificates(t *testing.T) {
	right, wrong := newAuthority(t), newAuthority(t)
	serverTLS := right.load(t, "server")
	serverTLS.ClientCAs, serverTLS.ClientAuth = serverTLS.RootCAs, tls.RequireAndVerifyClientCert
	register := func(registrar *grpc.Server) {
		daikonv1.RegisterAccessServiceServer(registrar, &stub{evaluate: evenIDs})
	}
	address := serve(t, credentials.NewTLS(serverTLS), register)

	mutual := right.load(t, "client")
	if err := checkOnce(t, connectTo(t, address, WithTLS(mutual))); err != nil {
		t.Error(err)
	}
	otherName := mutual.Clone()
	otherName.ServerName = "example.com"
	withoutCertificate := mutual.Clone()
	withoutCertificate.Certificates = nil
	tests := map[string]struct {
		option Option
		hint   string
	}{
		"an unknown authority": {WithTLS(wrong.load(t, "client")), "RootCAs"},
		"no authority":         {WithTLS(&tls.Config{MinVersion: tls.VersionTLS12}), "RootCAs"},
		"another name":         {WithTLS(otherName), "ServerName"},
	}
	for name, test := range tests {
		client := connectTo(t, address, test.option)
		requireError(t, name, checkOnce(t, client), ErrUnavailable, "TLS_FAILED", test.hint)
	}
	// The server may close the connection before the client reads the reason.
	err := checkOnce(t, connectTo(t, address, WithTLS(withoutCertificate)))
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "Certificates") {
		t.Errorf("no client certificate: %v", err)
	}
	plain := connectTo(t, address)
	requireError(t, "plaintext", checkOnce(t, plain), ErrUnavailable, "UNREACHABLE", "WithTLS")
	plainServer := serve(t, nil, register)
	client := connectTo(t, plainServer, WithTLS(mutual))
	requireError(t, "no TLS", checkOnce(t, client), ErrUnavailable, "TLS_FAILED", "WithPlaintext")
}

func TestLoadTLS(t *testing.T) {
	authority := newAuthority(t)
	key := authority.path("ca.key")
	for name, files := range map[string][3]string{
		"no such file":       {authority.path("none.pem"), "", ""},
		"no certificate":     {key, "", ""},
		"only a certificate": {"", authority.path("ca.pem"), ""},
		"only a key":         {"", "", key},
		"not a key":          {"", authority.path("ca.pem"), authority.path("ca.pem")},
	} {
		if _, err := LoadTLS(files[0], files[1], files[2]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if config, err := LoadTLS("", "", ""); err != nil || config.RootCAs != nil {
		t.Error(config, err)
	}
}

func TestOnlyLoopbackAddressesUsePlaintextByDefault(t *testing.T) {
	for address, isPlain := range map[string]bool{
		"localhost:50051":           true,
		"127.0.0.1:50051":           true,
		"127.1.2.3:50051":           true,
		"[::1]:50051":               true,
		"unix:/run/daikon.sock":     true,
		"dns:///localhost:50051":    true,
		"daikon:50051":              false,
		"10.0.0.1:50051":            false,
		"localhost.example.com:443": false,
		"dns:///daikon:50051":       false,
	} {
		if protocol := (&options{}).credentials(address).Info().SecurityProtocol; (protocol == "insecure") != isPlain {
			t.Errorf("%s uses %s", address, protocol)
		}
	}
}

func TestContextErrorsRetainTheirCause(t *testing.T) {
	client, _ := startStub(t, evenIDs)
	reason := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	_, err := client.Explain(ctx, Subject{UserID: "u"}, "view", document(1))
	if !errors.Is(err, reason) || !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
	ctx, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if err := client.Unregister(ctx, document(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
