package daikon

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	defaultTimeout     = 2 * time.Second
	defaultMaxInFlight = 16
)

// Option configures a [Client].
type Option func(*options)

type options struct {
	service     string
	serviceKey  string
	tls         *tls.Config
	isPlaintext bool
	// isDevelopment is whether the key may be missing.
	isDevelopment bool
	timeout       time.Duration
	maxInFlight   int
	issuer        string
	agent         *AgentCredentials
	dialOptions   []grpc.DialOption
}

// WithService sets the service that your resources belong to: the service_name of your service key. Required.
func WithService(name string) Option { return func(o *options) { o.service = name } }

// WithServiceKey sets the service key. It is required without [WithDevelopmentMode] and [WithAgent].
func WithServiceKey(key string) Option { return func(o *options) { o.serviceKey = key } }

// WithDevelopmentMode allows a client without a service key, for a server in development mode, which accepts calls
// without a key.
func WithDevelopmentMode() Option { return func(o *options) { o.isDevelopment = true } }

// WithTLS sets the TLS configuration; [LoadTLS] reads it from files. By default, the client uses plaintext for
// loopback addresses, and TLS with the system's CAs for all others.
func WithTLS(config *tls.Config) Option { return func(o *options) { o.tls = config } }

// WithPlaintext turns TLS off for an address that is not a loopback address.
func WithPlaintext() Option { return func(o *options) { o.isPlaintext = true } }

// WithTimeout sets how long an operation may take, including waiting and retries, if its context has no deadline. The
// default is 2 seconds.
func WithTimeout(timeout time.Duration) Option { return func(o *options) { o.timeout = timeout } }

// WithMaxInFlight sets how many calls may run concurrently; further calls wait. The default is 16.
func WithMaxInFlight(calls int) Option { return func(o *options) { o.maxInFlight = calls } }

// WithIssuer sets the only iss that [Client.VerifyAccessToken] accepts. The default is the issuer that the server
// publishes.
func WithIssuer(issuer string) Option { return func(o *options) { o.issuer = issuer } }

// WithAgent sets for whom [Client.Exchange] obtains tokens. A client with an agent needs no service key for it.
func WithAgent(agent AgentCredentials) Option { return func(o *options) { o.agent = &agent } }

// WithDialOptions adds gRPC options, for example for tracing. They override the client's own options.
func WithDialOptions(dialOptions ...grpc.DialOption) Option {
	return func(o *options) { o.dialOptions = append(o.dialOptions, dialOptions...) }
}

// LoadTLS reads PEM files for [WithTLS]. caFile contains the CA of the server; if empty, the system's CAs are used.
// certFile and keyFile contain the client's certificate and private key if the server requires mutual TLS, and are
// empty otherwise. Set ServerName of the result if the server's certificate is for a name other than the host in the
// address.
func LoadTLS(caFile, certFile, keyFile string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("daikon: the certificate authority cannot be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("daikon: %s contains no PEM certificate", caFile)
		}
	}
	if certFile == "" && keyFile == "" {
		return config, nil
	}
	if certFile == "" || keyFile == "" {
		return nil, fmt.Errorf("daikon: LoadTLS needs both certFile and keyFile, or neither")
	}
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("daikon: the certificate %s and key %s cannot be used: %w", certFile, keyFile, err)
	}
	config.Certificates = []tls.Certificate{certificate}
	return config, nil
}

var (
	urlPattern  = regexp.MustCompile(`^https?://`)
	portPattern = regexp.MustCompile(`:\d+$|^unix:|^passthrough:`)
)

func (o *options) validate(address string) error {
	var field Field
	switch {
	case address == "":
		field = Field{"address", "must be host:port"}
	case urlPattern.MatchString(address):
		field = Field{"address", "must be host:port of the gRPC server, not a URL"}
	case !portPattern.MatchString(address):
		field = Field{"address", "must have a port, such as localhost:50051"}
	case !isText(o.service, maxTypeLength):
		field = Field{"service", "is required: pass WithService with the service_name of your service key"}
	case o.serviceKey == "" && !o.isDevelopment && o.agent == nil:
		field = Field{"serviceKey", "is required. " + advice["SERVICE_KEY_MISSING"] +
			" A server in development mode needs none: pass WithDevelopmentMode"}
	case o.serviceKey != "" && !isPrintable(o.serviceKey):
		field = Field{"serviceKey", "must be a key of daikon (dk_…), without spaces or line breaks"}
	case o.agent != nil && !o.agent.isValid():
		field = Field{"agent", "must have either APIKey, or ClientID and ClientSecret"}
	case o.timeout <= 0:
		field = Field{"timeout", "must be positive"}
	case o.maxInFlight <= 0:
		field = Field{"maxInFlight", "must be positive"}
	case o.tls != nil && o.isPlaintext:
		field = Field{"tls", "must not be combined with WithPlaintext"}
	default:
		return nil
	}
	return invalidArgument(field)
}

func (o *options) credentials(address string) credentials.TransportCredentials {
	switch {
	case o.tls != nil:
		return credentials.NewTLS(o.tls)
	case o.isPlaintext || isLoopback(address):
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
}

var schemePattern = regexp.MustCompile(`^(dns|passthrough):(//[^/]*/)?`)

func isLoopback(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(schemePattern.ReplaceAllString(address, ""))
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
