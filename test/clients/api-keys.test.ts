import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { createRequestGuard } from '../../clients/typescript/src/http-guard.ts'
import { expectOk } from '../support/outcome.ts'
import { hasPythonPackages, python, pythonFolder } from '../support/python.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

// The clients' guards accept the API keys of service accounts like access tokens.
const environment = await startTestEnvironment()
const [transport] = environment.transports as [Transport]
test.after.always(() => environment.stop())

const address = `127.0.0.1:${environment.grpcPort}`
const url = `http://127.0.0.1:${environment.httpPort}`
const run = promisify(execFile)

async function createKey() {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, workspace: workspace_id, service, kind } = fixture
  const manage = async (method: string, message: object) =>
    expectOk(
      await transport.call(method, { workspace_id, ...message }, { token: people.admin.token }),
    )
  const account = await manage('CreateServiceAccount', { name: 'Robot', role: 'editor' })
  const target = { service_account_id: account.id as string }
  const { key, id: key_id } = await manage('CreateKey', { ...target, name: 'Key' })
  const document = await fixture.register(people.owner, { visibility: 'workspace' })
  return {
    workspace: workspace_id,
    service,
    serviceKey: fixture.key,
    account: account.id as string,
    key: key as string,
    resource: { type: kind.resource_type, id: document.resource_id as string },
    end: () => manage('DeleteKey', { ...target, key_id }),
  }
}

for (const transport of ['gRPC', 'fetch'])
  test(`the guard of the TypeScript client accepts a key until it ends, over ${transport}`, async (t) => {
    const { key, end, account, workspace, resource, service, serviceKey } = await createKey()
    const options = { service, serviceKey, deadlineMs: 30_000 }
    const daikon =
      transport === 'gRPC'
        ? createDaikon({ address, ...options })
        : createFetchDaikon({ url, ...options })
    t.teardown(() => daikon.close())
    const guard = createRequestGuard(daikon, () => `Bearer ${key}`)
    const request = {}
    const { claims } = await guard.authenticate(request)
    t.like(claims, { sub: account, wid: workspace, wrole: 'editor', type: 'api_key' })
    t.is(claims.exp, Number.POSITIVE_INFINITY)
    await guard.authorize(request, 'edit', () => resource, {})
    await t.throwsAsync(() => guard.authorize(request, 'manage', () => resource, {}), {
      code: 'permission_denied',
    })
    await end()
    for (const other of [{}, {}]) {
      const error = await t.throwsAsync(() => guard.authenticate(other))
      t.like(error, { code: 'unauthenticated', reason: 'TOKEN_INVALID' })
    }
    t.false(await daikon.check({ token: key }, 'edit', resource))
  })

const script = `
import sys
from daikon import Client, Resource, Subject
from daikon.errors import InvalidTokenError
address, service, service_key, key, type, id = sys.argv[1:]
with Client(address, service=service, service_key=service_key, timeout=30) as client:
    try:
        claims = client.verify_access_token(key)
        allowed = client.check(Subject(token=key), "edit", Resource(type, id))
        print(claims["sub"], claims["type"], allowed)
    except InvalidTokenError as error:
        print(error.reason)
`
const pythonTest = hasPythonPackages ? test : test.skip

pythonTest('the Python client accepts a key until it ends', async (t) => {
  const { key, end, account, resource, service, serviceKey } = await createKey()
  const args = [address, service, serviceKey, key, resource.type, resource.id]
  const env = { ...process.env, PYTHONPATH: join(pythonFolder, 'src') }
  const verify = async () => (await run(python, ['-c', script, ...args], { env })).stdout.trim()
  t.is(await verify(), `${account} api_key True`)
  await end()
  t.is(await verify(), 'TOKEN_INVALID')
})

const program = `package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

func main() {
	options := []daikon.Option{daikon.WithService(os.Args[2]), daikon.WithServiceKey(os.Args[3])}
	client, err := daikon.New(os.Args[1], append(options, daikon.WithTimeout(30*time.Second))...)
	if err != nil {
		panic(err)
	}
	claims, err := client.VerifyAccessToken(context.Background(), os.Args[4])
	if err != nil {
		fmt.Print(err.(*daikon.Error).Reason)
		return
	}
	resource := daikon.Resource{Type: os.Args[5], ID: os.Args[6]}
	allowed, err := client.Check(context.Background(), daikon.Subject{Token: os.Args[4]}, "edit", resource)
	fmt.Print(claims.Subject, " ", claims.Type, " ", allowed, " ", err)
}
`
const goFolder = join(import.meta.dirname, '../../clients/go')
const goTest = spawnSync('go', ['version']).status === 0 ? test : test.skip

goTest('the Go client accepts a key until it ends', async (t) => {
  t.timeout(600_000)
  const { key, end, account, resource, service, serviceKey } = await createKey()
  // In the module, so that the client is not downloaded.
  const folder = await mkdtemp(join(goFolder, 'api-key-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'main.go'), program)
  const binary = join(folder, 'program')
  await run('go', ['build', '-o', binary, '.'], { cwd: folder })
  const args = [address, service, serviceKey, key, resource.type, resource.id]
  const verify = async () => (await run(binary, args)).stdout
  t.is(await verify(), `${account} api_key true <nil>`)
  await end()
  t.is(await verify(), 'TOKEN_INVALID')
})
