import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { docker } from '../support/compose.ts'

const root = join(import.meta.dirname, '../..')

const readSize = async (image: string) =>
  Number(await docker('image', 'inspect', '--format', '{{.Size}}', image))

test('the image adds at most 200 MB to its base', async (t) => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const [, base = ''] = /.*^FROM (\S+)/ms.exec(dockerfile) ?? []
  const added = ((await readSize('daikon')) - (await readSize(base))) / 1e6
  t.log(`${added.toFixed(0)} MB`)
  t.true(added <= 200)
})

test('the image runs read-only, as its own user, without capabilities or a network', async (t) => {
  const confinement = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges']
  const settings = ['--env=COOKIE_SECURE=true', `--env=SESSION_SECRET_KEY=${'x'.repeat(32)}`]
  const options = [...confinement, ...settings, '--tmpfs=/tmp', '--network=none', '--rm']
  const script = `
    id -u
    grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status
    touch /opt/daikon/x 2>/dev/null || echo read-only
    daikon keys make >/dev/null && ls /keys`
  const output = await docker('run', ...options, '--volume=/keys', 'daikon', 'sh', '-euc', script)
  t.deepEqual(output.split(/\s+/), [
    ...['10001', 'CapEff:', '0000000000000000', 'CapBnd:', '0000000000000000', 'NoNewPrivs:', '1'],
    ...['read-only', 'private.pem', 'public.pem'],
  ])
})
