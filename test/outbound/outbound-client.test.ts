// Threat: URLs that others choose, as a way into the server's network.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import test from 'ava'
import { type HostPattern, readHostPattern } from '../../src/core/host-pattern.ts'
import { createOutboundClient, OutboundHostError } from '../../src/outbound/outbound-client.ts'
import { createOutboundHosts } from '../../src/outbound/outbound-hosts.ts'
import { keepConnections } from '../support/keep-connections.ts'

/** The local addresses of the connections to an HTTP server on loopback. */
const connections: string[] = []
const server = createServer(keepConnections, (request, response) => {
  if (request.url === '/redirect') response.writeHead(302, { location: '/' }).end()
  else if (request.url === '/large') response.end(Buffer.alloc(2000))
  else if (request.url !== '/silent') response.end(request.method)
})
server.on('connection', ({ localAddress = '' }) => {
  connections.push(localAddress.replace('::ffff:', ''))
})
server.listen(0, '::')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

/**
 * A DNS server on loopback. It returns the next of `answers` for each request of an IPv4 address,
 * and no IPv6 address. Without answers, it does not respond.
 */
let answers: string[][] = []
let isSilent = false
const dns = createSocket('udp4')
dns.on('message', (query, { port, address }) => {
  if (isSilent) return
  const end = query.indexOf(0, 12) + 5
  const isIpv4 = query.readUInt16BE(end - 4) === 1
  const addresses = isIpv4 ? (answers.shift() ?? []) : []
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  const header = Buffer.from([
    ...query.subarray(0, 2),
    0x81,
    0x80,
    0,
    1,
    0,
    records.length,
    0,
    0,
    0,
    0,
  ])
  dns.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address)
})
dns.bind(0, '127.0.0.1')
await once(dns, 'listening')
const dnsServers = [`127.0.0.1:${dns.address().port}`]

test.after.always(() => {
  server.close()
  server.closeAllConnections()
  dns.close()
})

const patterns = (...texts: string[]) => texts.map((text) => readHostPattern(text) as HostPattern)

const hostsOf = (debug: boolean, ...allowed: string[]) =>
  createOutboundHosts({ debug, allowed: patterns(...allowed) })

const findProblem = (url: string, debug = false, ...allowed: string[]) =>
  hostsOf(debug, ...allowed).findProblem(new URL(url))

const get = (url: string, debug = false, ...allowed: string[]) =>
  createOutboundClient(hostsOf(debug, ...allowed), { dnsServers })(url, {
    method: 'GET',
    signal: AbortSignal.timeout(20_000),
    maxBytes: 1000,
  })

const internalHosts = [
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
]

test('internal hosts are recognized in every spelling, and public hosts are not', (t) => {
  for (const host of internalHosts) {
    t.regex(findProblem(`https://${host}/`) ?? '', /private, loopback/, host)
    t.regex(findProblem(`https://${host}:8443/`) ?? '', /private, loopback/, host)
  }
  for (const host of ['app.example', '8.8.8.8', '172.32.0.1', '[2606:4700::1111]', 'localhost.x'])
    t.is(findProblem(`https://${host}/`), undefined, host)
})

test('http is refused, except on loopback with DEBUG', (t) => {
  t.is(findProblem('http://app.example/'), 'must be https')
  t.is(findProblem('http://app.example/', true), 'must be https, unless the host is loopback')
  for (const host of ['localhost', '127.0.0.1', '127.0.0.2', '[::1]']) {
    t.truthy(findProblem(`http://${host}/`), host)
    t.is(findProblem(`http://${host}/`, true), undefined, host)
    t.is(findProblem(`https://${host}/`, true), undefined, host)
  }
  t.truthy(findProblem('https://10.0.0.1/', true))
  t.truthy(findProblem('ftp://localhost/', true))
})

test('listed names, addresses and ranges may be called', (t) => {
  const allowed = ['app.internal', '10.1.0.0/16', '192.168.0.7', 'fd00::/8', '127.0.0.1']
  const isAllowed = (url: string) => findProblem(url, false, ...allowed) === undefined
  for (const url of [
    'https://app.internal/',
    'https://10.1.2.3/',
    'https://[::ffff:10.1.2.3]/',
    'https://192.168.0.7/',
    'https://[fd00::1]/',
    'http://127.0.0.1/',
  ])
    t.true(isAllowed(url), url)
  for (const url of ['https://10.2.0.1/', 'https://192.168.0.8/', 'https://[fe80::1]/'])
    t.false(isAllowed(url), url)
  t.false(isAllowed('http://10.1.2.3/'), 'only loopback may use http')
  for (const text of [
    '',
    '10.0.0.0/33',
    '::/129',
    'a b',
    'https://a',
    'a/b',
    'a:80',
    '*',
    '10.0.0/8',
  ])
    t.is(readHostPattern(text), undefined, text)
  t.deepEqual(readHostPattern('0x7f.1'), { address: '127.0.0.1', prefix: 32 })
  t.deepEqual(readHostPattern('[::1]'), { address: '::1', prefix: 128 })
  t.deepEqual(readHostPattern('App.Example.'), { name: 'app.example' })
})

test.serial('an internal host receives no connection', async (t) => {
  connections.length = 0
  for (const host of [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    'localhost',
  ])
    for (const scheme of ['http', 'https'])
      await t.throwsAsync(get(`${scheme}://${host}:${port}/`), { instanceOf: OutboundHostError })
  t.deepEqual(connections, [])
})

test.serial(
  'a name that resolves to an internal address is refused when it is called',
  async (t) => {
    connections.length = 0
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['169.254.169.254']]) {
      answers = [addresses]
      const error = await t.throwsAsync(get(`https://rebinding.example:${port}/`, true))
      t.true(error instanceof OutboundHostError, String(error))
    }
    t.deepEqual(connections, [])
  },
)

test.serial('a name that changes its address after the check does not get through', async (t) => {
  connections.length = 0
  answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']]
  // Only the first address is allowed. The server there does not speak TLS.
  const url = `https://rebinding.example:${port}/`
  const first = await t.throwsAsync(get(url, false, '127.0.0.2'))
  t.false(first instanceof OutboundHostError)
  t.deepEqual(connections, ['127.0.0.2'])
  await t.throwsAsync(get(url, false, '127.0.0.2'), { instanceOf: OutboundHostError })
  t.deepEqual(connections, ['127.0.0.2'])
  t.is(answers.length, 1, 'a request resolves the name once')
})

test.serial('a listed host is called, without following redirects', async (t) => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
    const response = await get(`http://${host}:${port}/`, true)
    t.is(`${response.status} ${response.body}`, '200 GET')
  }
  t.is((await get(`http://127.0.0.1:${port}/`, false, '127.0.0.0/8')).status, 200)
  t.like(await get(`http://localhost:${port}/redirect`, true), { status: 302 })
})

test.serial(
  'responses are bounded in size and time, and so is the resolution of a name',
  async (t) => {
    const url = `http://127.0.0.1:${port}`
    await t.throwsAsync(get(`${url}/large`, true), { message: /larger than 1000 bytes/ })
    const client = createOutboundClient(hostsOf(true), { dnsServers })
    const send = (url: string, milliseconds: number) =>
      client(url, { method: 'POST', body: 'x', signal: AbortSignal.timeout(milliseconds) })
    await t.throwsAsync(send(`${url}/silent`, 100), { message: /aborted/ })
    t.is((await send(`${url}/large`, 20_000)).body.length, 0)
    isSilent = true
    await t.throwsAsync(send('https://slow.example/', 100), { name: 'TimeoutError' })
    isSilent = false
  },
)

test.serial(
  'a client that keeps connections uses them again, unless they are closed',
  async (t) => {
    let opened = 0
    let closed = 0
    const requestsOf = new Map<Socket, number>()
    const receiver = createServer(keepConnections, (request, response) => {
      const count = (requestsOf.get(request.socket) ?? 0) + 1
      requestsOf.set(request.socket, count)
      if (count < 3) return response.end('received')
      closed += 1
      return request.socket.destroy()
    })
    receiver.on('connection', () => {
      opened += 1
    })
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    t.teardown(() => {
      receiver.close()
      receiver.closeAllConnections()
    })
    const send = createOutboundClient(hostsOf(true), { keepsConnections: true })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const count = 20
    for (let index = 0; index < count; index += 1) {
      const signal = AbortSignal.timeout(20_000)
      const { body } = await send(url, { method: 'POST', body: 'x', signal, maxBytes: 100 })
      t.is(body.toString(), 'received')
    }
    t.true(opened < count, `${opened} connections`)
    t.true(closed > 0)
  },
)
