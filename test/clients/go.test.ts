import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

const root = join(import.meta.dirname, '../..')
const module = join(root, 'clients/go')
const hasGo = spawnSync('go', ['version']).status === 0
const goTest = hasGo ? test.serial : test.serial.skip
if (!hasGo) console.info('Go is not installed: clients/go is not tested')

/** The race detector needs a C compiler. */
const hasCompiler = hasGo && spawnSync('sh', ['-c', '$(go env CC) --version']).status === 0
if (hasGo && !hasCompiler) console.info('No C compiler: clients/go is tested without -race')

// go test starts test/support/client-cases-server.ts on the database server of `npm test`.
goTest('clients/go passes go vet, gofmt and go test -race', (t) => {
  t.timeout(600_000)
  t.is(run(t, module, 'gofmt', '-l', '.'), '')
  run(t, module, 'go', 'vet', './...')
  const output = run(t, module, 'go', 'test', ...(hasCompiler ? ['-race'] : []), '-v', './...')
  t.regex(output, /^ +--- PASS: TestCasesOnServer\//m, 'the cases run against a server')
  t.notRegex(output, /--- SKIP/)
})

goTest('the packed Go module can be installed and used in an empty folder', async (t) => {
  t.timeout(600_000)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-go-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'main.go'), consumer)
  run(t, folder, 'go', 'mod', 'init', 'example.com/consumer')
  const install = join(root, 'test/support/install-go-client.ts')
  for (const name of ['daikonhttp', 'daikontest']) run(t, folder, process.execPath, install, name)
  t.is(run(t, folder, 'go', 'run', '.'), 'the client works\n')
})

function run(t: ExecutionContext, cwd: string, command: string, ...args: string[]): string {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 })
  t.is(result.status, 0, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`)
  return result.stdout
}

const consumer = `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonhttp"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
	"github.com/daikon-auth/daikon/clients/go/daikonv1/adminv1"
	"github.com/daikon-auth/daikon/clients/go/daikonv1/oauthv1"
)

func main() {
	fake, err := daikontest.Start(daikontest.World{
		Members: []daikontest.Member{{WorkspaceID: "w", UserID: "alice", Role: daikontest.RoleEditor}},
		Resources: []daikontest.Resource{{Type: "document", ID: "roadmap", WorkspaceID: "w", OwnerID: "alice"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Stop()
	_ = daikonhttp.New(fake.Client).RequireUser
	_ = daikonv1.NewGroupServiceClient(fake.Conn())
	_ = adminv1.NewAdminServiceClient(fake.Conn())
	_ = oauthv1.NewOAuthServiceClient(fake.Conn())
	subject := daikon.Subject{Token: fake.Token("alice", "w")}
	allowed, err := fake.Check(context.Background(), subject, "edit", daikon.Resource{Type: "document", ID: "roadmap"})
	if err != nil || !allowed {
		log.Fatal(allowed, err)
	}
	fmt.Println("the client works")
}
`
