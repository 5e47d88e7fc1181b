import test from 'ava'
import fc from 'fast-check'
import { clientAddress } from '../../src/rate-limit/client-address.ts'

const cases: [string, string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:50412', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:50412', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::ffff:0:1', '2001:db8::/64'],
  ['2001:db8::1:0:0:0:1', '2001:db8:0:1::/64'],
  ['::ffff:0:203.0.113.7', '::/64'],
  ['::1', '::/64'],
  ['::', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::ffff:203.0.113.7%eth0', '203.0.113.7'],
  ['1:10::', '1:10::/64'],
  ['', ''],
  ['unknown', 'unknown'],
  ['203.0.113.256', '203.0.113.256'],
  ['1.2.3.4.5:6', '1.2.3.4.5:6'],
  ['2001:db8:::1', '2001:db8:::1'],
  ['203.0.113.7, 198.51.100.1', '203.0.113.7, 198.51.100.1'],
]

for (const [ip, client] of cases) {
  test(`'${ip}' is counted as '${client}'`, (t) => {
    t.is(clientAddress(ip), client)
  })
}

test('an IPv4 address and its IPv4-mapped IPv6 address are the same client', (t) => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      t.is(clientAddress(`::ffff:${ip}`), ip)
      t.is(clientAddress(new URL(`http://[::ffff:${ip}]`).hostname), ip)
    }),
  )
  t.pass()
})

test('every spelling of a /64 network is the same client, and other networks are other clients', (t) => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff))
  const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), (network, host, otherNetwork) => {
      if (network.every((part) => part === 0)) return
      const spell = (parts: number[]) => parts.map((part) => part.toString(16)).join(':')
      const full = spell([...network, ...host])
      const client = clientAddress(full)
      t.is(client, clientAddress(new URL(`http://[${full}]`).hostname))
      t.is(client, clientAddress(full.toUpperCase()))
      t.is(client, clientAddress(spell([...network, 0, 0, 0, 1])))
      t.is(client, `${new URL(`http://[${spell(network)}::]`).hostname.slice(1, -1)}/64`)
      if (spell(otherNetwork) !== spell(network) && otherNetwork.some((part) => part !== 0)) {
        t.not(client, clientAddress(spell([...otherNetwork, ...host])))
      }
    }),
  )
})

test('any text is accepted as an address', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV6()), (ip) => {
      t.is(typeof clientAddress(ip), 'string')
    }),
  )
})
