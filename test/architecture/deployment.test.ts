import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import test from 'ava'
import { parse, parseAllDocuments } from 'yaml'
import { maxHeaderSize } from '../../src/http/listener.ts'
import { securityHeaders } from '../../src/http/security.ts'
import { readConfig, settings } from '../../src/server/config.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The settings that the operator must provide. */
const requiredSettings: Record<string, string> = {
  BASE_URL: 'https://auth.example.com',
  ADMIN_URL: 'https://admin.example.com',
  SESSION_SECRET_KEY: 'a secret of at least thirty-two bytes',
  POSTGRES_PASSWORD: 'password',
  REDIS_PASSWORD: 'password',
}

type Service = {
  image?: string
  build?: string
  environment?: Record<string, string>
  command?: string[]
  volumes?: string[]
  networks?: string[]
  ports?: string[]
  user?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  networks: Record<string, { internal?: boolean } | null>
}
const { services } = compose
const nodes = Object.entries(services).filter(([name]) => /^(daikon-|prepare)/.test(name))

/** Interpolates `${NAME:-default}` and `${NAME:?error}` as Docker Compose does. */
function interpolate({ environment = {} }: Service): Record<string, string> {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_, name, fallback = '') => {
      return requiredSettings[name] ?? fallback
    })
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]))
}

test('the nodes in docker-compose.yml have identical configurations with known settings', (t) => {
  t.deepEqual(
    nodes.map(([name]) => name),
    ['prepare', 'daikon-1', 'daikon-2'],
  )
  for (const [name, service] of nodes) {
    const environment = interpolate(service)
    t.deepEqual(
      Object.keys(environment).filter((setting) => !(setting in settings)),
      [],
      name,
    )
    const config = readConfig(environment)
    t.like(config, { DEBUG: false, TRUSTED_PROXIES: 1, SERVICE_KEYS_REQUIRED: true })
    t.deepEqual(config.REDIS_URL, ['redis://:password@redis:6379'])
    t.is(new URL(config.DATABASE_URL).hostname, 'postgres')
  }
})

test('only the proxy publishes ports, and it publishes gRPC only on loopback', (t) => {
  for (const [name, { ports }] of Object.entries(services))
    t.deepEqual(
      ports,
      name === 'proxy' ? ['8000:8000', '9004:9004', '127.0.0.1:50051:50051'] : undefined,
      name,
    )
})

test('storage runs in a separate network without internet access, which the proxy cannot reach', (t) => {
  t.deepEqual(compose.networks, { front: null, back: { internal: true } })
  const networks = Object.fromEntries(
    Object.entries(services).map(([name, { networks }]) => [name, networks]),
  )
  t.deepEqual(networks, {
    prepare: ['front', 'back'],
    'daikon-1': ['front', 'back'],
    'daikon-2': ['front', 'back'],
    proxy: ['front'],
    postgres: ['back'],
    redis: ['back'],
  })
})

test('Redis and PostgreSQL require passwords that the operator sets', (t) => {
  const { command = [] } = services.redis ?? {}
  t.regex(command[command.indexOf('--requirepass') + 1] ?? '', /^\$\{REDIS_PASSWORD:\?[^}]+\}$/)
  t.regex(services.postgres?.environment?.POSTGRES_PASSWORD ?? '', /^\$\{POSTGRES_PASSWORD:\?/)
})

test('every service runs unprivileged and read-only, and images have exact versions', (t) => {
  for (const [name, service] of Object.entries(services)) {
    t.like(
      service,
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      name,
    )
    // The image of daikon is built from this repository and sets its own user.
    if (service.build) continue
    t.regex(service.image ?? '', /:\d+\.\d+(\.\d+)?-alpine$/, name)
    t.regex(service.user ?? '', /^(nginx|postgres|redis)$/, name)
  }
})

test('the proxy limits requests and connections and accepts the headers that daikon accepts', (t) => {
  const proxy = read('deploy/nginx.conf')
  for (const directive of ['limit_req zone=', 'limit_conn connections', 'send_timeout'])
    t.true(proxy.includes(directive), directive)
  const [, kilobytes] = /large_client_header_buffers \d+ (\d+)k;/.exec(proxy) ?? []
  t.is(Number(kilobytes) * 1024, maxHeaderSize)
  for (const protocol of ['proxy', 'grpc'])
    for (const phase of ['connect', 'send', 'read'])
      t.true(proxy.includes(`${protocol}_${phase}_timeout `), `${protocol} ${phase}`)
})

test('the Dockerfile sets only known settings', (t) => {
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile')) ?? []
  const names = [...block.matchAll(/(\w+)=/g)].map(([, name = '']) => name)
  t.true(names.includes('DEBUG'))
  t.deepEqual(
    names.filter((name) => name !== 'PATH' && !(name in settings)),
    [],
  )
})

test('the image installs the packed server and runs it as an unprivileged user', (t) => {
  const file = read('Dockerfile')
  const lines = [
    /npm run build && npm pack \.\/dist/,
    /npm install --prefix .*--omit=optional/,
    /^USER 10001/m,
    /^HEALTHCHECK /m,
    /^CMD \["daikon", "start"\]$/m,
  ]
  for (const line of lines) t.regex(file, line)
  for (const path of ['**/node_modules', 'keys/*.pem', '.daikon'])
    t.true(read('.dockerignore').split('\n').includes(path), path)
})

test('the dashboard and the alerts query metrics that the server exposes', (t) => {
  const documented = new Set(read('docs/operations.md').match(/`daikon_\w+`/g))
  const queries = [read('deploy/grafana/daikon.json'), read('deploy/prometheus/alerts.yaml')]
  for (const query of queries) {
    const names = new Set(query.match(/\bdaikon_[a-z_]+\b/g))
    t.true(names.size > 5)
    for (const name of names) {
      const metric = name.replace(/_(bucket|sum|count)$/, '')
      t.true(documented.has(`\`${metric}\``) || documented.has(`\`${name}\``), name)
    }
  }
})

test('every alert describes what to do', (t) => {
  type Rule = { alert: string; expr: string; annotations: Record<string, string> }
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  t.true(rules.length >= 8)
  for (const { alert, annotations } of rules) {
    t.truthy(annotations.summary, alert)
    t.truthy(annotations.runbook, alert)
    t.true(read('docs/operations.md').includes(`| \`${alert}\` |`), `${alert} is not documented`)
  }
})

test('the systemd units are sandboxed', (t) => {
  for (const [name, threshold] of Object.entries({ daikon: 20, 'daikon-keys': 20 })) {
    const unit = join(root, `deploy/systemd/${name}.service`)
    const { status, stdout, error } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', `--threshold=${threshold}`, unit],
      { encoding: 'utf8' },
    )
    if (error) return t.log('systemd-analyze is not installed') ?? t.pass()
    t.is(status, 0, stdout)
  }
})

/** Who may call which ports, by the example of the values. */
const ingressRules: Record<string, unknown> = {
  minimal: [
    {
      from: [{ podSelector: { matchLabels: { 'daikon.dev/client': 'true' } } }],
      ports: [{ port: 'grpc' }],
    },
  ],
  full: [
    {
      from: [{ podSelector: { matchLabels: { 'daikon.dev/client': 'true' } } }],
      ports: [{ port: 'grpc' }],
    },
    {
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
      ],
      ports: [{ port: 'rest' }, { port: 'console' }],
    },
    {
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
      ],
      ports: [{ port: 'metrics' }],
    },
  ],
}

test('by default, the chart opens REST and metrics to no namespace', (t) => {
  const { networkPolicy } = parse(read('deploy/helm/daikon/values.yaml'))
  const { restNamespaces, restFrom, metricsNamespaces, metricsFrom } = networkPolicy
  t.deepEqual([restNamespaces, restFrom, metricsNamespaces, metricsFrom], [[], [], [], []])
})

test('the image is built without the install scripts of packages', (t) => {
  const commands = read('Dockerfile').match(/npm (?:ci|install).*/g) ?? []
  t.is(commands.length, 2)
  for (const command of commands) t.true(command.includes('--ignore-scripts'), command)
})

test('neither an installation of the repository nor of its package runs @scarf/scarf', (t) => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { name?: string; version?: string }>
  }
  const scarf = Object.entries(packages).filter(([path]) => path.endsWith('@scarf/scarf'))
  t.true(scarf.length > 0)
  for (const [path, { name }] of scarf) t.is(name, 'empty-npm-package', path)
  t.regex(read('deploy/package/build.ts'), /^ {2}'swagger-ui-dist': \[/m)
})

test('services have a rate limit of their own in every deployment', (t) => {
  const { settings: chart } = parse(read('deploy/helm/daikon/values.yaml'))
  t.is(chart.SERVICE_RATE_LIMIT_PER_MINUTE, '6000')
  for (const [name, service] of nodes)
    t.is(interpolate(service).SERVICE_RATE_LIMIT_PER_MINUTE, '6000', name)
})

test('Helm renders the chart with every example of its values, with only known settings', (t) => {
  const chart = join(root, 'deploy/helm/daikon')
  const helm = (...args: string[]) => spawnSync('helm', args, { encoding: 'utf8' })
  if (helm('version').error) {
    t.log('helm is not installed; the chart is not rendered')
    t.regex(read('deploy/helm/daikon/Chart.yaml'), /^name: daikon$/m)
    t.regex(read('deploy/helm/daikon/templates/deployment.yaml'), /include "daikon.resources"/)
    return
  }
  const version = ['--kube-version', '1.33.0']
  for (const name of ['minimal', 'full', 'plain']) {
    const values = join(chart, 'ci', `${name}.yaml`)
    const lint = helm('lint', '--strict', chart, '--values', values)
    t.is(lint.status, 0, lint.stdout)
    const { status, stdout, stderr } = helm(
      'template',
      'auth',
      chart,
      ...version,
      '--values',
      values,
    )
    t.is(status, 0, stderr)
    for (const document of parseAllDocuments(stdout)) {
      t.deepEqual(document.errors, [])
      const { kind, spec } = document.toJS() ?? {}
      if (kind === 'NetworkPolicy') t.deepEqual(spec.ingress, ingressRules[name])
      if (kind !== 'Deployment') continue
      const { containers, securityContext } = spec.template.spec
      const workers: number = parse(readFileSync(values, 'utf8')).workers ?? 1
      t.deepEqual(containers[0].resources, {
        requests: { cpu: '500m', memory: `${256 * workers}Mi` },
        limits: { memory: `${768 * workers}Mi` },
      })
      t.true(securityContext.runAsNonRoot)
      t.true(containers[0].securityContext.readOnlyRootFilesystem)
      const names: string[] = containers[0].env.map((entry: { name: string }) => entry.name)
      t.deepEqual(
        names.filter((setting) => !(setting in settings)),
        [],
      )
    }
  }
  const { status, stderr } = helm('template', 'auth', chart, ...version)
  t.is(status, 1)
  t.regex(stderr, /baseUrl is required/)
  const minimal = ['--values', join(chart, 'ci/minimal.yaml')]
  const own = ['--set', 'workers=4', '--set', 'resources.limits.memory=1Gi']
  const limited = helm('template', 'auth', chart, ...version, ...minimal, ...own)
  t.is(limited.status, 0, limited.stderr)
  const deployment = parseAllDocuments(limited.stdout)
    .map((document) => document.toJS())
    .find((manifest) => manifest?.kind === 'Deployment')
  const { resources } = deployment.spec.template.spec.containers[0]
  t.deepEqual(resources.limits, { memory: '1Gi' })
  t.is(resources.requests.memory, '1024Mi')
  const misspelt = helm(
    'template',
    'auth',
    chart,
    ...version,
    ...minimal,
    '--set',
    'replicacount=3',
  )
  t.is(misspelt.status, 1)
  t.regex(misspelt.stderr, /replicacount/)
})

test('the chart rejects misspelt values and values of the wrong type', (t) => {
  const schema = JSON.parse(read('deploy/helm/daikon/values.schema.json'))
  const validate = new Ajv({ strict: false }).compile(schema)
  const defaults: object = parse(read('deploy/helm/daikon/values.yaml'))
  t.true(validate(defaults), JSON.stringify(validate.errors))
  for (const name of ['minimal', 'full', 'plain'])
    t.true(validate(parse(read(`deploy/helm/daikon/ci/${name}.yaml`))), name)
  // Every default has a property, also inside objects.
  for (const [key, value] of Object.entries(defaults)) {
    t.true(key in schema.properties, key)
    const { additionalProperties, properties } = schema.properties[key]
    if (additionalProperties === false && properties)
      t.deepEqual(
        Object.keys(value).filter((name) => !(name in properties)),
        [],
        key,
      )
  }
  for (const wrong of [
    { replicacount: 3 },
    { ingress: { enable: true } },
    { networkPolicy: { restNamespace: ['ingress-nginx'] } },
    { service: { grpc: { prot: 1 } } },
    { settings: { USER_RATE_LIMIT_PER_MINUTE: 5 } },
    { settings: { log_level: 'debug' } },
    { workers: '2' },
    { memoryPerWorker: { limit: '768Mi' } },
    { baseUrl: 'http://auth.example.com' },
  ])
    t.false(validate(wrong), JSON.stringify(wrong))
})

test('the Kubernetes guide installs the chart with an ingress to REST and to the console', (t) => {
  const [install = ''] = /^helm install (.*\\\n)*.*$/m.exec(read('docs/kubernetes.md')) ?? []
  const values: Record<string, unknown> = {}
  for (const [, path = '', value = ''] of install.matchAll(/--set '?([\w.]+)=([^\s']+)/g)) {
    const names = path.split('.')
    const last = names.pop() as string
    const place = names.reduce((object, name) => {
      object[name] ??= {}
      return object[name] as Record<string, unknown>
    }, values)
    place[last] = parse(value.replace(/^\{(.*)\}$/, '[$1]'))
  }
  const schema = JSON.parse(read('deploy/helm/daikon/values.schema.json'))
  const validate = new Ajv({ strict: false }).compile(schema)
  t.true(validate(values), JSON.stringify(validate.errors))
  for (const each of [values, parse(read('deploy/helm/daikon/ci/full.yaml'))])
    t.like(each.ingress, {
      enabled: true,
      host: new URL(each.baseUrl).host,
      consoleHost: new URL(each.adminUrl).host,
    })
})

test('the proxy reaches every node over both transports and overwrites X-Forwarded-For', (t) => {
  const proxy = read('deploy/nginx.conf')
  for (const name of ['daikon-1', 'daikon-2'])
    for (const { fallback: port } of [
      settings.HTTP_PORT,
      settings.CONSOLE_PORT,
      settings.GRPC_PORT,
    ])
      t.true(proxy.includes(`server ${name}:${port} `))
  t.regex(proxy, /proxy_set_header X-Forwarded-For \$remote_addr;/)
  // nginx also adds the security headers to its own responses, but sets Server and Cache-Control
  // itself.
  const { Server: _, 'Cache-Control': __, ...security } = securityHeaders(false)
  for (const [name, value] of Object.entries(security)) {
    const own = `$own_${name.toLowerCase().replaceAll('-', '_')}`
    t.true(proxy.includes(`add_header ${name} ${own} always;`), name)
    t.true(proxy.includes(value), name)
  }
  t.regex(proxy, /proxy_pass_header Server;/)
  t.true(services.proxy?.volumes?.[0]?.startsWith('./deploy/nginx.conf:'))
})

test('docker compose accepts docker-compose.yml', (t) => {
  const options = {
    cwd: root,
    env: { ...process.env, ...requiredSettings },
    encoding: 'utf8',
  } as const
  const installed = [['docker', 'compose'], ['docker-compose']].find(
    ([name = '', ...rest]) => spawnSync(name, [...rest, 'version'], options).status === 0,
  )
  if (!installed) {
    t.log('docker compose is not installed; only the tests above cover docker-compose.yml')
    t.true('daikon-1' in services)
    return
  }
  const [name = '', ...rest] = installed
  const { status, stdout, stderr } = spawnSync(name, [...rest, 'config', '--services'], options)
  t.is(status, 0, stderr)
  t.deepEqual(stdout.trim().split('\n').toSorted(), Object.keys(services).toSorted())
})

test('nginx accepts deploy/nginx.conf', (t) => {
  // nginx resolves upstream names at startup, but they exist only in Docker Compose.
  const resolvable = read('deploy/nginx.conf').replaceAll(/server daikon-\d:/g, 'server 127.0.0.1:')
  const folder = mkdtempSync(join(tmpdir(), 'daikon-nginx-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, resolvable.replaceAll('/var/log/nginx', folder))
  const rest = ['-t', '-q', '-c', file, '-g', `pid ${folder}/pid; error_log stderr;`]
  const { status, stderr, error } = spawnSync('nginx', rest, { encoding: 'utf8' })
  if (error) return t.log('nginx is not installed') ?? t.pass()
  t.is(status, 0, stderr)
})
