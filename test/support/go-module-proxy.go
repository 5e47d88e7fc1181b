// go run test/support/go-module-proxy.go <folder> packs clients/go like the Go module proxy, into a folder for
// GOPROXY=file://<folder>. It prints the version, which depends on the content, and the size of the zip file.
package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
)

const (
	module = "github.com/daikon-auth/daikon/clients/go"
	source = "clients/go"
	time   = "2026-01-01T00:00:00Z"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run test/support/go-module-proxy.go <folder>")
	}
	names, contents := readModule()
	hash := sha256.New()
	for _, name := range names {
		fmt.Fprintf(hash, "%s %d\n", name, len(contents[name]))
		hash.Write(contents[name])
	}
	version := fmt.Sprintf("v0.0.0-20260101000000-%x", hash.Sum(nil)[:6])

	folder := filepath.Join(os.Args[1], module, "@v")
	check(os.MkdirAll(folder, 0o755))
	info, err := json.Marshal(map[string]string{"Version": version, "Time": time})
	check(err)
	path := filepath.Join(folder, version)
	check(os.WriteFile(path+".info", info, 0o644))
	check(os.WriteFile(path+".mod", contents["go.mod"], 0o644))
	check(os.WriteFile(filepath.Join(folder, "list"), nil, 0o644))
	output, err := os.Create(path + ".zip")
	check(err)
	archive := zip.NewWriter(output)
	for _, name := range names {
		entry, err := archive.Create(module + "@" + version + "/" + name)
		check(err)
		_, err = entry.Write(contents[name])
		check(err)
	}
	check(archive.Close())
	check(output.Close())
	packed, err := os.Stat(path + ".zip")
	check(err)
	fmt.Println(version, packed.Size())
}

// readModule reads the files of the module and the LICENSE of the repository, which go adds to modules in subfolders.
func readModule() (names []string, contents map[string][]byte) {
	contents = map[string][]byte{}
	add := func(name, path string) {
		text, err := os.ReadFile(path)
		check(err)
		names = append(names, name)
		contents[name] = text
	}
	check(filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(source, path)
		add(filepath.ToSlash(name), path)
		return err
	}))
	add("LICENSE", "LICENSE")
	return names, contents
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
