// Command machine obtains a token with the credentials of a client, and prints it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	log.SetFlags(0)
	config := clientcredentials.Config{ClientID: os.Args[2], ClientSecret: os.Args[3], TokenURL: os.Args[1]}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(token.AccessToken)
}
