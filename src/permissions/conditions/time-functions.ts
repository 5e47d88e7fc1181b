import { type CelFunc, CelScalar, celMethod, objectType } from '@bufbuild/cel'
import { type Timestamp, TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt'
import { LRUCache } from 'lru-cache'

const timestamp = objectType(TimestampSchema)
const minute = 60_000
const day = 24 * 60 * minute

/**
 * The parts of a timestamp, such as `now.getHours('Europe/Berlin')`. They replace functions of the
 * library that depend on the time zone of the process and create a formatter in each call.
 */
export const timeFunctions: CelFunc[] = [
  ...createMethods('getFullYear', (date) => date.getUTCFullYear()),
  ...createMethods('getMonth', (date) => date.getUTCMonth()),
  ...createMethods('getDate', (date) => date.getUTCDate()),
  ...createMethods('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ...createMethods('getDayOfWeek', (date) => date.getUTCDay()),
  ...createMethods('getDayOfYear', dayOfYear),
  ...createMethods('getHours', (date) => date.getUTCHours()),
  ...createMethods('getMinutes', (date) => date.getUTCMinutes()),
  ...createMethods('getSeconds', (date) => date.getUTCSeconds()),
  ...createMethods('getMilliseconds', (date) => date.getUTCMilliseconds()),
]

function createMethods(name: string, part: (date: Date) => number): CelFunc[] {
  return [
    celMethod(name, timestamp, [], CelScalar.INT, function () {
      return BigInt(part(timestampDate(this.message as Timestamp)))
    }),
    celMethod(name, timestamp, [CelScalar.STRING], CelScalar.INT, function (zone) {
      return BigInt(part(toLocalTime(timestampDate(this.message as Timestamp), zone)))
    }),
  ]
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / day)
}

const fixedOffset = /^([+-]?)(\d\d):(\d\d)$/

/** Returns a date with the local time of the zone as its time in UTC. */
function toLocalTime(date: Date, zone: string): Date {
  const [, sign, hours, minutes] = fixedOffset.exec(zone) ?? []
  if (hours === undefined) return new Date(date.getTime() + offsetOf(date, zone))
  const offset = (Number(hours) * 60 + Number(minutes)) * minute
  return new Date(date.getTime() + (sign === '-' ? -offset : offset))
}

const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 50 })
const offsets = new LRUCache<string, number>({ max: 1_000 })

/** Returns the offset of an IANA time zone from UTC, which changes at whole minutes. */
function offsetOf(date: Date, zone: string): number {
  const start = Math.floor(date.getTime() / minute) * minute
  const key = `${start} ${zone}`
  const cached = offsets.get(key)
  if (cached !== undefined) return cached
  const offset = computeOffset(new Date(start), zone)
  offsets.set(key, offset)
  return offset
}

/** Whether a time zone has been used lately, so that its formatter exists. */
export function isKnownZone(zone: string): boolean {
  return fixedOffset.test(zone) || formatters.has(zone)
}

function computeOffset(date: Date, zone: string): number {
  const formatter = formatters.get(zone) ?? createFormatter(zone)
  formatters.set(zone, formatter)
  const parts = new Map(formatter.formatToParts(date).map(({ type, value }) => [type, value]))
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
  const year = parts.get('era') === 'BC' ? 1 - read('year') : read('year')
  const local = new Date(0)
  local.setUTCFullYear(year, read('month') - 1, read('day'))
  local.setUTCHours(read('hour'), read('minute'), read('second'))
  return local.getTime() - date.getTime()
}

function createFormatter(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}
