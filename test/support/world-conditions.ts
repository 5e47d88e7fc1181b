import fc from 'fast-check'

/** The condition of a share or link. */
export type WorldCondition = { name: string; params: Record<string, unknown> }

/** What the conditions of a world read. */
export type WorldVariables = {
  /** Of a group, `guest` says whether a member is one. */
  subject: { id: string; type: string; role: string; guest: boolean }
  resource: { owner_id: string; visibility: string; attributes: Record<string, unknown> }
  action: string
  context: Record<string, unknown>
  params: Record<string, unknown>
}

/** Whether a condition is true. If it fails, the paths that the request lacks. */
export type WorldVerdict = boolean | { missing: string[] }

type Shape = {
  expression: string
  parameters?: Record<string, string>
  /** Decides the expression without evaluating it. */
  decide(variables: WorldVariables): WorldVerdict
}

const failure: WorldVerdict = { missing: [] }

function requireNumber(value: unknown, path: string): number | { missing: string[] } {
  if (value === undefined) return { missing: [path] }
  return typeof value === 'number' ? value : { missing: [] }
}

/** The addresses in the contexts of `worldContexts` that are in 10.0.0.0/8. */
const insideAddresses = ['10.1.2.3', '::ffff:10.9.8.7']
const outsideAddress = '192.168.0.1'

/** The conditions that the shares, links and requirements of a world use. */
const shapes: Record<string, Shape> = {
  small: {
    expression: 'context.amount <= params.max',
    parameters: { max: 'int' },
    decide({ context, params }) {
      const amount = requireNumber(context.amount, 'context.amount')
      return typeof amount === 'number' ? amount <= Number(params.max) : amount
    },
  },
  labelled: {
    expression: 'resource.attributes.label == params.label',
    parameters: { label: 'string' },
    decide({ resource, params }) {
      const { label } = resource.attributes
      return label === undefined ? failure : label === params.label
    },
  },
  early: {
    expression: 'now < params.until',
    parameters: { until: 'timestamp' },
    decide: ({ params }) => Date.now() < Date.parse(String(params.until)),
  },
  unblocked: {
    expression: '!has(resource.attributes.blocked) || !(subject.id in resource.attributes.blocked)',
    decide({ subject, resource }) {
      const { blocked } = resource.attributes
      if (blocked === undefined) return true
      return Array.isArray(blocked) ? !blocked.includes(subject.id) : failure
    },
  },
  office: {
    expression: "in_cidr(context.address, '10.0.0.0/8')",
    decide({ context }) {
      const { address } = context
      if (address === undefined) return { missing: ['context.address'] }
      if (insideAddresses.includes(String(address))) return true
      return address === outsideAddress ? false : failure
    },
  },
  own: {
    expression: 'subject.id == resource.owner_id',
    decide: ({ subject, resource }) => subject.id === resource.owner_id,
  },
  ranked: {
    expression: "subject.type == 'link' || subject.role in ['admin', 'editor']",
    decide: ({ subject }) =>
      subject.type === 'link' || subject.role === 'admin' || subject.role === 'editor',
  },
  insider: {
    expression: '!subject.guest',
    decide: ({ subject }) => (subject.type === 'group' && subject.guest ? failure : !subject.guest),
  },
  reading: {
    expression: "action in ['view', 'publish']",
    decide: ({ action }) => action === 'view' || action === 'publish',
  },
  tolerant: {
    expression: "context.amount < 5 || resource.visibility != 'private'",
    decide({ context, resource }) {
      if (resource.visibility !== 'private') return true
      const amount = requireNumber(context.amount, 'context.amount')
      return typeof amount === 'number' ? amount < 5 : amount
    },
  },
  // CEL does not add an int to the double that a number of JSON is.
  failing: {
    expression: 'context.amount + 1 > 0',
    decide: ({ context }) =>
      context.amount === undefined ? { missing: ['context.amount'] } : failure,
  },
}

/** The conditions as a declaration contains them. */
export const worldConditions = Object.entries(shapes).map(
  ([name, { expression, parameters = {} }]) => ({ name, description: '', expression, parameters }),
)

/** Decides a condition of a world. */
export function decideCondition(name: string, variables: WorldVariables): WorldVerdict {
  const shape = shapes[name]
  if (!shape) throw new Error(`The condition ${name} is unknown`)
  return shape.decide(variables)
}

/** Any condition with its parameters. */
export const anyCondition: fc.Arbitrary<WorldCondition> = fc.constantFrom(
  { name: 'small', params: { max: 5 } },
  { name: 'small', params: { max: 50 } },
  { name: 'labelled', params: { label: 'green' } },
  { name: 'early', params: { until: '2020-01-01T00:00:00Z' } },
  { name: 'early', params: { until: '2999-01-01T00:00:00Z' } },
  ...Object.entries(shapes).flatMap(([name, { parameters }]) =>
    parameters ? [] : [{ name, params: {} }],
  ),
)

/** A requirement of a type: of the only one if `type` is absent. */
export type WorldRequirement = {
  action: string
  condition: string
  inherited?: true
  type?: string
}

/** Requirements of the actions of a world; most worlds have none of a certain action. */
export const anyRequirements: fc.Arbitrary<WorldRequirement[]> = fc
  .uniqueArray(
    fc.record({
      action: fc.constantFrom('view', 'edit', 'manage', 'publish'),
      condition: fc.constantFrom(
        'unblocked',
        'office',
        'own',
        'ranked',
        'insider',
        'reading',
        'tolerant',
      ),
      inherited: fc.boolean(),
    }),
    { maxLength: 2, selector: ({ action, condition }) => `${action} ${condition}` },
  )
  .map((requirements) =>
    requirements.map(({ inherited, ...one }) => (inherited ? { ...one, inherited } : one)),
  )

/** Attributes that conditions read. `blocked` contains the indexes of people, or is no list. */
export const anyAttributes = fc.record({
  label: fc.constantFrom(null, 'green', 'red'),
  blocked: fc.oneof(
    fc.constantFrom(null, 'nobody'),
    fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 2 }),
  ),
})

/** The context of a request. */
export const anyContext: fc.Arbitrary<Record<string, unknown>> = fc.constantFrom(
  {},
  { amount: 3, address: insideAddresses[0] },
  { amount: 5, address: insideAddresses[1] },
  { amount: 30, address: outsideAddress },
  { amount: 'much', address: 'nowhere' },
)

/** Returns the attributes of a resource, with the IDs of the people that are blocked. */
export function resolveAttributes(
  { label, blocked }: { label: string | null; blocked: string | number[] | null },
  people: string[],
): Record<string, unknown> {
  const ids = Array.isArray(blocked)
    ? blocked.map((index) => people[index % people.length])
    : blocked
  return { ...(label !== null && { label }), ...(ids !== null && { blocked: ids }) }
}
