package daikontest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The decisions of src/permissions/access.ts for every combination of role, action and grant bits.
const decideAll = `
import { isAllowed } from './src/permissions/access.ts'
const table = {}
for (const role of ['', 'viewer', 'editor', 'admin', 'owner'])
  for (const action of ['view', 'edit', 'manage', 'publish'])
    table[role + ' ' + action] = Array.from({ length: 1024 }, (_, facts) => isAllowed(role, action, facts))
console.log(JSON.stringify(table))
`

func TestRulesMatchTheServer(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(root, "node_modules/.bin/node")
	if _, err := os.Stat(node); err != nil {
		t.Skip("skipped: the rules of the server need `npm ci` in the repository")
	}
	command := exec.Command(node, "--input-type=module", "--eval", decideAll)
	command.Dir, command.Stderr = root, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var table map[string][]bool
	if err := json.Unmarshal(output, &table); err != nil {
		t.Fatal(err)
	}
	for _, role := range []Role{"", RoleViewer, RoleEditor, RoleAdmin, RoleOwner} {
		for _, action := range []string{"view", "edit", "manage", "publish"} {
			decisions := table[string(role)+" "+action]
			if len(decisions) != 1024 {
				t.Fatalf("%q has %d decisions", role, len(decisions))
			}
			for facts, expected := range decisions {
				if isAllowed(role, action, facts) != expected {
					t.Errorf("role %q, action %s, facts %d: not %v", role, action, facts, expected)
				}
			}
		}
	}
}
