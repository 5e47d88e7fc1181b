import { type Model, may } from './model.ts'

/** A condition on a value of each type: what it requires, with `$` for the value, and a value. */
const values: Record<string, { type?: string; requires: string; read?: string; value: unknown }> = {
  int: { type: 'int', requires: '$ != 0 && $ > 0', value: 1 },
  uint: { type: 'int', requires: 'uint($) != 0u && uint($) > 0u', value: 1 },
  double: { type: 'double', requires: '$ != 0.0 && $ > 0.0', value: 1 },
  string: {
    ...{ type: 'string', value: '1' },
    requires:
      '$ != "" && $.startsWith("1") && $.endsWith("1") && $.contains("1") && $.matches("[0-9]")',
  },
  duration: {
    ...{ type: 'duration', read: 'duration($)', value: '10s' },
    requires: '$ != duration("0s") && $ > duration("0s")',
  },
  timestamp: {
    ...{ type: 'timestamp', read: 'timestamp($)', value: '2019-02-01T00:00:00Z' },
    requires: '$ != timestamp("2019-01-01T00:00:00Z") && $ > timestamp("2019-01-01T00:00:00Z")',
  },
  list: {
    ...{ type: 'list<string>', value: ['1'] },
    requires:
      '"1" in $ && $[0] != "" && $[0] > "" && $.exists(x, x > "") && $.exists_one(x, x > "") && $.all(x, x > "")',
  },
  address: {
    ...{ type: 'string', value: '192.168.0.1' },
    requires: '!in_cidr($, "192.0.0.1/32")',
  },
  // A parameter cannot be a map.
  map: { requires: '"key" in $ && $["key"] != "" && $["key"] > ""', value: { key: '1' } },
}

const types = Object.keys(values)
const stored = types.filter((name) => values[name]?.type)
const conditionOf = (name: string, path: string, isStored: boolean) => {
  const { requires = '', read = '$', type = '' } = values[name] ?? {}
  const value = isStored ? path : read.replace('$', path)
  return {
    expression: requires.replaceAll('$', value),
    ...(isStored && { parameters: { value: type } }),
  }
}

export const valueTypes: Model[] = [
  {
    title: 'values of each type in shares',
    store: 'condition-data-types, stored',
    viewers: stored.join(' '),
    types: {
      value: {
        conditions: Object.fromEntries(
          stored.map((name) => [name, conditionOf(name, 'params.value', true)]),
        ),
      },
    },
    resources: { 'value:one': {} },
    shares: stored.map((name) => {
      const params = { value: values[name]?.value }
      return [name, 'view', 'value:one', { name, params }]
    }),
    cases: stored.flatMap((name) => may(name, 'view', 'value:one')),
  },
  {
    title: 'values of each type in requests',
    store: 'condition-data-types, sent',
    viewers: types.join(' '),
    types: {
      value: {
        conditions: Object.fromEntries(
          types.map((name) => [name, conditionOf(name, 'context.value', false)]),
        ),
      },
    },
    resources: { 'value:one': {} },
    shares: types.map((name) => [name, 'view', 'value:one', { name, params: {} }]),
    cases: types.flatMap((name) =>
      may(name, 'view', 'value:one', { context: { value: values[name]?.value } }),
    ),
  },
]
