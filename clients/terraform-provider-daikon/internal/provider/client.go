package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxAttempts = 10
	maxWait     = time.Minute
)

// client calls the REST API with the tokens of a management app. It obtains a token for the first
// call, and another one before that expires.
type client struct {
	baseURL, id, secret string
	http                http.Client

	mutex   sync.Mutex
	token   string
	expires time.Time
}

// newClient requires https, except for loopback hosts: the secret and tokens must not be readable on
// the network.
func newClient(baseURL, id, secret string) (*client, error) {
	parsed, err := url.Parse(baseURL)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "https" && !isLoopback(parsed)) {
		return nil, fmt.Errorf("must be an https URL, or an http URL of this machine: %s", baseURL)
	}
	c := &client{baseURL: strings.TrimRight(baseURL, "/"), id: id, secret: secret}
	c.http.Timeout = time.Minute
	// A redirect would repeat a change as a GET, or send the secret elsewhere.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

func isLoopback(address *url.URL) bool {
	host := address.Hostname()
	return address.Scheme == "http" && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// route builds a path with escaped segments.
func route(format string, segments ...string) string {
	escaped := make([]any, len(segments))
	for i, segment := range segments {
		escaped[i] = url.PathEscape(segment)
	}
	return fmt.Sprintf(format, escaped...)
}

// object is a JSON object.
type object map[string]any

// get reads an object into result and returns its ETag.
func (c *client) get(ctx context.Context, path string, result any) (string, error) {
	return c.call(ctx, http.MethodGet, path, nil, "", result)
}

func (c *client) post(ctx context.Context, path string, body object, result any) error {
	_, err := c.call(ctx, http.MethodPost, path, body, "", result)
	return err
}

func (c *client) put(ctx context.Context, path string, body object) error {
	_, err := c.call(ctx, http.MethodPut, path, body, "", nil)
	return err
}

// patch changes an object if it still has the ETag, or any object without one.
func (c *client) patch(ctx context.Context, path, etag string, body object, result any) error {
	_, err := c.call(ctx, http.MethodPatch, path, body, etag, result)
	return err
}

// delete deletes an object if it still has the ETag, or any object without one.
func (c *client) delete(ctx context.Context, path, etag string) error {
	_, err := c.call(ctx, http.MethodDelete, path, nil, etag, nil)
	return err
}

// readSet reads a field of each item of a list, unless the set is null.
func (c *client) readSet(ctx context.Context, path, field string, set *[]string) error {
	if *set == nil {
		return nil
	}
	var items []map[string]any
	_, err := c.get(ctx, path, &items)
	*set = []string{}
	for _, item := range items {
		id, _ := item[field].(string)
		*set = append(*set, id)
	}
	return err
}

// syncSet changes a set by `DELETE` and `POST` of path/<ID>, unless want is null. If the server adds
// several together, field is the name of that list in `POST` of path.
func (c *client) syncSet(ctx context.Context, path string, have, want []string, field string) error {
	if want == nil {
		return nil
	}
	for _, id := range subtract(have, want) {
		if err := c.delete(ctx, path+route("/%s", id), ""); err != nil && !isGone(err) {
			return err
		}
	}
	added := subtract(want, have)
	if field != "" && len(added) > 0 {
		return c.post(ctx, path, object{field: added}, nil)
	}
	for _, id := range added {
		if err := c.post(ctx, path+route("/%s", id), object{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// findItem returns the first item that matches on the pages of a list, which the server filters by q.
func findItem[T any](ctx context.Context, c *client, path, q string, items func(json.RawMessage) ([]T, error), matches func(T) bool) (*T, error) {
	const size = 100
	for page := 1; ; page++ {
		query := url.Values{"page": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(size)}}
		// The server rejects a longer q.
		if q != "" && len(q) <= 100 {
			query.Set("q", q)
		}
		var response json.RawMessage
		if _, err := c.get(ctx, path+"?"+query.Encode(), &response); err != nil {
			return nil, err
		}
		found, err := items(response)
		if err != nil {
			return nil, err
		}
		for _, item := range found {
			if matches(item) {
				return &item, nil
			}
		}
		if len(found) < size {
			return nil, nil
		}
	}
}

// call sends a request and decodes the response. It waits and repeats what the server has rejected
// because of a limit, and, unless that could create an object twice, what failed with 503.
func (c *client) call(ctx context.Context, method, path string, body object, etag string, result any) (string, error) {
	for attempt := 1; ; attempt++ {
		token, err := c.currentToken(ctx)
		if err != nil {
			return "", err
		}
		header := http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
		if etag != "" {
			header.Set("If-Match", etag)
		}
		var content []byte
		if body != nil {
			if content, err = json.Marshal(body); err != nil {
				return "", err
			}
		}
		response, data, err := c.send(ctx, method, path, header, content)
		if err != nil {
			return "", err
		}
		if response.StatusCode < 300 {
			if result == nil {
				return "", nil
			}
			return response.Header.Get("ETag"), json.Unmarshal(data, result)
		}
		failure := readError(method, path, response, data)
		switch {
		case attempt == maxAttempts:
			return "", failure
		case response.StatusCode == http.StatusUnauthorized && attempt == 1:
			c.forget(token)
		case response.StatusCode == http.StatusTooManyRequests,
			response.StatusCode == http.StatusServiceUnavailable && method != http.MethodPost:
			if err := wait(ctx, response); err != nil {
				return "", failure
			}
		default:
			return "", failure
		}
	}
}

func (c *client) currentToken(ctx context.Context) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for attempt := 1; c.token == "" || time.Now().After(c.expires); attempt++ {
		form := url.Values{"grant_type": {"client_credentials"}}
		header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		credentials := http.Request{Header: header}
		credentials.SetBasicAuth(url.QueryEscape(c.id), url.QueryEscape(c.secret))
		response, data, err := c.send(ctx, http.MethodPost, "/oauth/token", header, []byte(form.Encode()))
		if err != nil {
			return "", err
		}
		isBusy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable
		if isBusy && attempt < maxAttempts && wait(ctx, response) == nil {
			continue
		}
		var issued struct {
			Token            string `json:"access_token"`
			ExpiresIn        int    `json:"expires_in"`
			Error            string `json:"error"`
			ErrorDescription string `json:"error_description"`
		}
		if err := json.Unmarshal(data, &issued); err != nil || issued.Token == "" {
			return "", fmt.Errorf("no token for the management app from %s/oauth/token: status %d %s %s",
				c.baseURL, response.StatusCode, issued.Error, issued.ErrorDescription)
		}
		c.token = issued.Token
		c.expires = time.Now().Add(time.Duration(issued.ExpiresIn)*time.Second - time.Minute)
	}
	return c.token, nil
}

func (c *client) forget(token string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.token == token {
		c.token = ""
	}
}

func (c *client) send(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header = header
	request.Header.Set("User-Agent", "terraform-provider-daikon")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response, data, err
}

// wait waits for the time in Retry-After, a second by default and a minute at most.
func wait(ctx context.Context, response *http.Response) error {
	duration := time.Second
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		duration = min(time.Duration(seconds)*time.Second, maxWait)
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
