import { type CelValue, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import test from 'ava'
import { isFailure } from '../../../src/permissions/conditions/failure.ts'
import { parseExpression } from '../../../src/permissions/conditions/parse.ts'
import { compileProgram } from '../../../src/permissions/conditions/program.ts'
import { fromJson, type Json } from '../../../src/permissions/conditions/values.ts'

/** The conformance tests of google/cel-spec about what conditions offer: no protobuf messages. */
const files = [
  'basic',
  'comparisons',
  'conversions',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'parse',
  'plumbing',
  'string',
  'timestamps',
]

/** Whether an expression uses only what conditions offer: neither messages nor optional values. */
const offered = (expression: string) =>
  !/TestAllTypes|google\.protobuf|proto\.|\[\?|\.\?/.test(expression)

type Case = { name: string; expression: string; expected: string; variables: Variables }
type Variables = Record<string, CelValue>

const cases = getConformanceSuite()
  .suites.filter(({ name }) => files.includes(name))
  .flatMap((file) =>
    file.suites.flatMap((section) => section.tests.map((each) => ({ file, each }))),
  )
  .flatMap(({ file, each: { original } }): Case[] => {
    const { name, expr, bindings, resultMatcher: matcher, disableMacros, container } = original
    const isResult = matcher.case === 'value' || matcher.case === 'evalError'
    if (!isResult || disableMacros || container !== '' || !offered(expr)) return []
    const expected = matcher.case === 'value' ? describeValue(matcher.value) : 'failure'
    const variables = Object.entries(bindings).map(([key, { kind }]) =>
      kind.case === 'value' ? [key, toInput(kind.value)] : [key, undefined],
    )
    if (variables.some(([, value]) => value === undefined)) return []
    return [
      {
        name: `${file.name}/${name}`,
        expression: expr,
        expected,
        variables: Object.fromEntries(variables),
      },
    ]
  })

test('conditions evaluate the conformance tests of CEL as they specify', (t) => {
  const wrong = cases
    .map((each) => ({ ...each, actual: evaluate(each) }))
    .filter(({ expected, actual }) => expected !== actual)
    .map(
      ({ name, expression, expected, actual }) =>
        `${name}: ${expression}: ${expected}, not ${actual}`,
    )
  t.deepEqual(wrong, [])
  t.true(cases.length > 750, `${cases.length} cases`)
})

function evaluate({ expression, variables }: Case): string {
  try {
    const program = compileProgram(parseExpression(expression).expr as Expr)
    const work = { steps: Number.POSITIVE_INFINITY, operations: Number.POSITIVE_INFINITY }
    const result = program({ work, variables, locals: [] })
    return isFailure(result) ? 'failure' : describe(result)
  } catch (error) {
    return (error as Error).name === 'ExpressionError' ? 'failure' : `threw ${error}`
  }
}

function describe(value: CelValue | undefined): string {
  if (value === undefined) return 'failure'
  if (value === null) return 'null'
  if (typeof value === 'bigint') return `int ${value}`
  if (typeof value === 'number') return `double ${Object.is(value, -0) ? 0 : value}`
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (isCelUint(value)) return `uint ${value.value}`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (isCelList(value)) return `[${[...value].map(describe).join()}]`
  if (isCelMap(value))
    return describeEntries([...value].map(([key, member]) => [describe(key), describe(member)]))
  if (isCelType(value)) return `type ${value.name}`
  return isReflectMessage(value) ? `message ${value.desc.typeName}` : 'unknown'
}

function describeValue({ kind }: Value): string {
  switch (kind.case) {
    case 'listValue':
      return `[${kind.value.values.map(describeValue).join()}]`
    case 'mapValue':
      return describeEntries(
        kind.value.entries.map(({ key, value }) => [
          describeValue(key as Value),
          describeValue(value as Value),
        ]),
      )
    case 'int64Value':
      return `int ${kind.value}`
    case 'uint64Value':
      return `uint ${kind.value}`
    case 'typeValue':
      return `type ${kind.value}`
    case 'objectValue':
      return `message ${kind.value.typeUrl.split('/')[1]}`
    case 'nullValue':
      return 'null'
    default:
      return describe(kind.value as CelValue)
  }
}

function describeEntries(entries: [string, string][]): string {
  return `{${entries
    .map(([key, value]) => `${key}: ${value}`)
    .toSorted()
    .join()}}`
}

/** Returns the value of a variable, or undefined for a message. */
function toInput({ kind }: Value): CelValue | undefined {
  if (kind.case === 'nullValue') return null
  if (kind.case === 'objectValue' || kind.case === 'uint64Value') return undefined
  if (kind.case === 'listValue' || kind.case === 'mapValue')
    return kind.case === 'mapValue'
      ? fromJson(
          Object.fromEntries(
            kind.value.entries.map(({ key, value }) => [
              String(key?.kind.value),
              value?.kind.value as Json,
            ]),
          ),
        )
      : fromJson(kind.value.values.map((each) => each.kind.value as Json))
  return kind.value as CelValue
}
