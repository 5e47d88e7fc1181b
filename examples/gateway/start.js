// Starts an application that knows nothing of daikon, and each installed gateway in front of it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')
const daikon = 'http://localhost:8000'
const demoWorkspace = '0d000000-0000-7000-8000-000000000001'
const bob = '0d000000-0000-7000-8000-00000000000b'

await startDaikon()
const service_name = `wiki-${randomUUID().slice(0, 8)}`
const key = createKey()
await call('POST', '/permissions/register', { external_id: 'handbook', visibility: 'workspace' })
await call('POST', '/permissions/register', { external_id: 'salaries' })
const routes = JSON.parse(readFileSync(join(import.meta.dirname, 'routes.json'), 'utf8'))
await call('PUT', '/permissions/routes', { routes })
createServer(showPage).listen(3000, '127.0.0.1')

const folder = mkdtempSync(join(tmpdir(), 'daikon-gateway-'))
// Packages of nginx name folders that only root may write.
const nginxPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
  .concat('access_log off;')
  .join('\n')
startGateway(8080, 'nginx', 'nginx.conf', (file) => {
  return ['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`]
})
startGateway(8081, 'caddy', 'Caddyfile', (file) => {
  return ['run', '--adapter', 'caddyfile', '--config', file]
})
startGateway(8082, 'envoy', 'envoy.yaml', (file) => ['-c', file, '-l', 'error'])
process.stdout.write(`
TOKEN=$(npm run --silent daikon -- token --email carol@example.com)
curl -i localhost:8080/                                                     # 200: open to anyone
curl -i localhost:8080/pages/handbook                                       # 401: requires a user
curl -i localhost:8080/pages/handbook -H "authorization: Bearer $TOKEN"     # 200: Carol may view it
curl -i localhost:8080/pages/salaries -H "authorization: Bearer $TOKEN"     # 403: Carol may not

Press Ctrl-C to stop.
`)

/** The application: every page shows who asked for it. */
function showPage({ url, headers }, response) {
  response.end(`This is ${url}, for ${headers['x-auth-email'] || 'everyone'}\n`)
}

/** Starts daikon with demo data, unless it is running. */
async function startDaikon() {
  if (await isRunning()) return
  const env = { ...process.env, SERVICE_RATE_LIMIT_PER_MINUTE: '0' }
  const child = spawn('npm', ['run', '--silent', 'dev'], { cwd: root, env, stdio: 'ignore' })
  child.once('exit', () => process.exit(1))
  process.once('exit', () => child.kill())
  while (!(await isRunning())) await sleep(200)
}

async function isRunning() {
  return fetch(`${daikon}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function createKey() {
  const command = ['run', '--silent', 'daikon', '--', '--json', 'service-app', 'create']
  const options = ['--name', 'Wiki', '--service', service_name]
  const app = execFileSync('npm', [...command, ...options], { cwd: root, encoding: 'utf8' })
  return JSON.parse(app).key
}

async function call(method, path, fields) {
  const page = { resource_type: 'page', workspace_id: demoWorkspace, owner_id: bob }
  const body = JSON.stringify({ service_name, ...(method === 'POST' && page), ...fields })
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const response = await fetch(daikon + path, { method, headers, body })
  if (!response.ok) throw new Error(await response.text())
}

function startGateway(port, command, name, args) {
  if (spawnSync(command, ['--help']).error) {
    process.stdout.write(`${command} is not installed\n`)
    return
  }
  const file = join(folder, name)
  const text = readFileSync(join(import.meta.dirname, name), 'utf8')
  writeFileSync(file, text.replaceAll('dk_key', key).replace(/^http \{$/m, `http {\n${nginxPaths}`))
  const child = spawn(command, args(file), { stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill())
  process.stdout.write(`${command}: http://localhost:${port}\n`)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit())
