import test from 'ava'
import { parseParameterType } from '../../../src/permissions/conditions/parameter-type.ts'
import { convertParameters } from '../../../src/permissions/conditions/parameters.ts'
import { parseTypes, tryCondition } from './try-condition.ts'

for (const type of ['', 'String', 'list', 'list<>', 'list<string', 'map', 'list<list<x>>', 'uint'])
  test(`${type || 'an empty text'} is not a type of a parameter`, (t) => {
    t.is(parseParameterType(type), undefined)
  })

test('lists in the type of a parameter are nested at most four levels deep', (t) => {
  const type = (depth: number) => `${'list<'.repeat(depth)}int${'>'.repeat(depth)}`
  t.truthy(parseParameterType(type(4)))
  t.is(parseParameterType(type(5)), undefined)
})

/** Values of parameters, and conditions on them that are true. */
const values: [type: string, param: unknown, condition: string][] = [
  ['string', '', 'params.p == ""'],
  ['bool', false, '!params.p'],
  ['double', 0.5, 'params.p == 0.5'],
  ['int', 5, 'params.p + 1 == 6'],
  ['int', -(2 ** 53), 'params.p == -9007199254740992'],
  ['int', '9223372036854775807', 'params.p == 9223372036854775807'],
  ['int', '-9223372036854775808', 'params.p < 0'],
  ['timestamp', '2026-01-05T13:00:00.5+01:30', 'now - params.p == duration("29m59.5s")'],
  ['duration', '90s', 'params.p == duration("1m30s")'],
  ['duration', '-0.5s', 'params.p < duration("0s")'],
  ['list<string>', ['a', 'b'], '"b" in params.p'],
  ['list<timestamp>', ['2026-01-05T12:00:00Z'], 'now in params.p'],
  ['list<list<int>>', [[1], []], 'params.p[0][0] == 1'],
]

for (const [type, p, condition] of values) {
  test(`${condition} holds for the ${type} ${JSON.stringify(p)}`, (t) => {
    const verdict = tryCondition(condition, { types: { p: type }, params: { p } })
    t.is(verdict.error, undefined)
    t.true(verdict.result)
  })
}

const invalid: [type: string, param: unknown, message: RegExp][] = [
  ['string', 1, /must be a string/],
  ['string', null, /must be a string/],
  ['string', undefined, /is required/],
  ['bool', 'true', /must be true or false/],
  ['double', '1', /must be a number/],
  ['int', 1.5, /must be a whole number/],
  ['int', 2 ** 53 + 2, /must be a whole number/],
  ['int', '9223372036854775808', /must be a whole number/],
  ['int', '1e3', /must be a whole number/],
  ['int', '', /must be a whole number/],
  ['timestamp', '2026-01-05', /must be a timestamp/],
  ['timestamp', '2026-02-30T00:00:00Z', /must be a timestamp/],
  ['timestamp', '2026-01-05T25:00:00Z', /must be a timestamp/],
  ['duration', '90', /must be a duration/],
  ['duration', '1h', /must be a duration/],
  ['duration', '999999999999s', /must be a duration/],
  ['list<string>', 'a', /must be a list, each item a string/],
  ['list<string>', ['a', 1], /must be a list/],
  ['list<list<int>>', [1], /must be a list/],
]

for (const [type, p, message] of invalid) {
  test(`${JSON.stringify(p)} is not a value of a parameter of type ${type}`, (t) => {
    const converted = convertParameters(parseTypes({ p: type }), p === undefined ? {} : { p })
    if (!('violations' in converted)) return t.fail()
    t.is(converted.violations.length, 1)
    t.is(converted.violations[0]?.field, 'p')
    t.regex(converted.violations[0]?.message ?? '', message)
  })
}

test('unknown parameters are refused, also those that every object has', (t) => {
  const params = { constructor: 1, q: 'a' }
  const converted = convertParameters(parseTypes({ p: 'string' }), params)
  if (!('violations' in converted)) return t.fail()
  t.deepEqual(
    converted.violations.map(({ field }) => field),
    ['constructor', 'q', 'p'],
  )
})
