// Command client signs in with go-oidc and golang.org/x/oauth2, and prints the claims as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	log.SetFlags(0)
	issuer, clientID, secret, redirectURI, email := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	check(err)
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: secret,
		RedirectURL:  redirectURI,
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := oauth2.GenerateVerifier()
	url := config.AuthCodeURL("state", oidc.Nonce("nonce"), oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("login_hint", email))
	jar, err := cookiejar.New(nil)
	check(err)
	response, err := (&http.Client{Jar: jar}).Get(url)
	check(err)
	if !strings.HasPrefix(response.Request.URL.String(), redirectURI) {
		log.Fatalf("redirected to %s", response.Request.URL)
	}
	token, err := config.Exchange(ctx, response.Request.URL.Query().Get("code"), oauth2.VerifierOption(verifier))
	check(err)
	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, raw)
	check(err)
	check(idToken.VerifyAccessToken(token.AccessToken))
	if idToken.Nonce != "nonce" {
		log.Fatalf("nonce is %q", idToken.Nonce)
	}
	var claims, userInfo map[string]any
	check(idToken.Claims(&claims))
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	check(err)
	check(info.Claims(&userInfo))
	token.Expiry = time.Now().Add(-time.Minute)
	refreshed, err := config.TokenSource(ctx, token).Token()
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"id_token": claims, "userinfo": userInfo, "refreshed": refreshed.AccessToken,
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
