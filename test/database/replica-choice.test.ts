import test from 'ava'
import { readTargetSessionAttributes, splitHosts } from '../../src/core/postgres-hosts.ts'
import {
  areClocksClose,
  areClocksSkewed,
  maxClockSkew,
} from '../../src/database/replicas/clock-offset.ts'
import {
  assessReplica,
  chooseReplica,
  parseLsn,
  parseTimeline,
  type ReplicaObservation,
  type ReplicaStatus,
} from '../../src/database/replicas/replica-choice.ts'

const required = { system: '7', timeline: 2, lsn: 100n }
const current: ReplicaObservation = {
  system: '7',
  isStandby: true,
  timeline: 2,
  replayedLsn: 100n,
}

const cases: [string, Partial<ReplicaObservation>, ReplicaStatus][] = [
  ['a standby that has replayed exactly the position', {}, 'ok'],
  ['a standby that is ahead of the position', { replayedLsn: 101n }, 'ok'],
  ['a standby that has not replayed the position', { replayedLsn: 99n }, 'lagging'],
  ['a server that is not a standby', { isStandby: false, timeline: undefined }, 'primary'],
  ['a standby without a connection to its primary', { timeline: undefined }, 'not_streaming'],
  ['a standby that follows the previous primary', { timeline: 1 }, 'other_timeline'],
  ['a standby that follows a later primary', { timeline: 3 }, 'other_timeline'],
  ['a standby of another cluster', { system: '8' }, 'other_cluster'],
  ['a primary of another cluster', { system: '8', isStandby: false }, 'other_cluster'],
]

for (const [name, difference, status] of cases) {
  test(`${name} is ${status}`, (t) => {
    t.is(assessReplica({ ...current, ...difference }, required), status)
  })
}

test('the readable replica with the least outstanding work is chosen', (t) => {
  const replica = (name: string, status: ReplicaStatus, outstanding: number, reads = 0) => ({
    name,
    status,
    outstanding,
    reads,
  })
  const choose = (...candidates: ReturnType<typeof replica>[]) => chooseReplica(candidates)?.name
  t.is(choose(), undefined)
  t.is(choose(replica('a', 'lagging', 0), replica('b', 'unresponsive', 0)), undefined)
  t.is(choose(replica('a', 'ok', 3), replica('b', 'ok', 2), replica('c', 'lagging', 0)), 'b')
  t.is(choose(replica('a', 'ok', 1, 9), replica('b', 'ok', 1, 8)), 'b')
  t.is(choose(replica('a', 'ok', 1, 8), replica('b', 'ok', 1, 8)), 'a')
})

test('clocks count as skewed only if they definitely differ by more than the limit', (t) => {
  const offset = (min: number, max: number) => ({ min, max })
  const primary = offset(0, 100)
  for (const [replica, isSkewed] of [
    [offset(50, 60), false],
    [offset(100 + maxClockSkew, 2 * maxClockSkew), false],
    [offset(101 + maxClockSkew, 2 * maxClockSkew), true],
    [offset(-2 * maxClockSkew, -maxClockSkew), false],
    [offset(-2 * maxClockSkew, -1 - maxClockSkew), true],
    // A slow reading is too inaccurate to prove a skew.
    [offset(-2 * maxClockSkew, 2 * maxClockSkew), false],
  ] as const) {
    t.is(areClocksSkewed(primary, replica), isSkewed)
    t.is(areClocksSkewed(replica, primary), isSkewed)
  }
})

test('positions and timelines are parsed in the format of PostgreSQL', (t) => {
  t.is(parseLsn('0/0'), 0n)
  t.is(parseLsn('16/B374D848'), 0x16b374d848n)
  // PostgreSQL writes the lower half without leading zeros.
  t.true(parseLsn('1/0') > parseLsn('0/FFFFFFFF'))
  t.is(parseLsn('1/A'), 0x10000000an)
  for (const invalid of ['', '1', '/1', '1/', 'x/1', '1/123456789'])
    t.throws(() => parseLsn(invalid), undefined, invalid)
  t.is(parseTimeline('0000000A0000000100000002'), 10)
  t.throws(() => parseTimeline(''))
})

test('a URL with several hosts is split into one URL per host', (t) => {
  const end = '/daikon?sslmode=require'
  const url = `postgresql://user:a%40b@one:5432,two,[::1]:5433${end}&target_session_attrs=read-write`
  const start = 'postgresql://user:a%40b@'
  t.deepEqual(splitHosts(url), [
    `${start}one:5432${end}`,
    `${start}two${end}`,
    `${start}[::1]:5433${end}`,
  ])
  t.is(readTargetSessionAttributes(url), 'read-write')
  t.deepEqual(splitHosts('postgres://one/daikon'), ['postgres://one/daikon'])
  t.is(readTargetSessionAttributes('postgres://one/daikon'), undefined)
  t.deepEqual(splitHosts('postgres://a,b?target_session_attrs=read-write'), [
    'postgres://a',
    'postgres://b',
  ])
})

test('clocks count as close only if they definitely differ by at most twice the limit', (t) => {
  const limit = 2 * maxClockSkew
  const primary = { min: 0, max: 100 }
  const cases: [min: number, max: number, isClose: boolean][] = [
    [0, limit, true],
    [0, limit + 1, false],
    [100 - limit, 0, true],
    [99 - limit, 0, false],
    // A slow reading is too inaccurate to prove that they are close.
    [-limit, limit, false],
  ]
  for (const [min, max, isClose] of cases) {
    t.is(areClocksClose(primary, { min, max }), isClose)
    t.is(areClocksClose({ min, max }, primary), isClose)
  }
})
