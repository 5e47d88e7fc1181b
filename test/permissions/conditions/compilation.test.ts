import test from 'ava'
import { compileCondition } from '../../../src/permissions/conditions/condition.ts'
import { parseTypes, problemOf } from './try-condition.ts'

const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth)

/** Expressions that are refused, with a part of the message, and where it points. */
const refused: [expression: string, message: RegExp, line: number, column: number][] = [
  ['', /must not be empty/, 1, 1],
  [`'${'a'.repeat(999)}'`, /at most 1000 characters/, 1, 1],
  ['a =', /unexpected =/, 1, 3],
  ['true &&\n  foo', /unknown variable 'foo'/, 2, 3],
  ['true ||\n\n now.foo()', /unknown function foo\(\)/, 3, 5],
  ['subject.idd == ""', /unknown field of subject 'idd'; did you mean 'id'/, 1, 8],
  ['has(resource.owner)', /unknown field of resource 'owner'/, 1, 1],
  ['resource["name"] == ""', /unknown field of resource 'name'/, 1, 9],
  ['agent.name == ""', /unknown field of agent 'name'/, 1, 6],
  ['agent', /must be a bool, not map/, 1, 1],
  ['params.limt > 1', /unknown parameter 'limt'; did you mean 'limit'/, 1, 7],
  ['matches("a")', /matches\(\) does not take these arguments/, 1, 1],
  ['[1].map(x, x) == [1]', /map\(\) is not available/, 1, 4],
  ['[1].map(x, true, x) == [1]', /map\(\) is not available/, 1, 4],
  ['[1].filter(x, true) == [1]', /filter\(\) is not available/, 1, 4],
  ['[1].exists(1, true)', /exists\(\) takes the name of a variable/, 1, 4],
  ['has(context)', /has\(\) takes a selected field/, 1, 1],
  ['[[[1]]].all(x, x.all(y, y.all(z, true)))', /at most 2 comprehensions/, 1, 26],
  ['google.protobuf.Duration{} == duration("1s")', /unknown type/, 1, 1],
  ['x.foo', /unknown variable 'x'/, 1, 1],
  ['[1].all(x, true) && x', /unknown variable 'x'/, 1, 21],
  ['subject', /must be a bool, not map/, 1, 1],
  ['subject.id', /must be a bool, not string/, 1, 8],
  ['now', /must be a bool, not timestamp/, 1, 1],
  ['now - now', /must be a bool, not duration/, 1, 4],
  ['size(context)', /must be a bool, not int/, 1, 1],
  ['true ? 1 : 2', /must be a bool, not int/, 1, 1],
  ['params.limit', /must be a bool, not int/, 1, 7],
  [nested('(', ')', 33), /at most 32 levels/, 1, 33],
  [nested('[', ']', 400), /at most 32 levels/, 1, 33],
  [nested('f(', ')', 40), /at most 32 levels/, 1, 66],
  [`"(" + '''${'('.repeat(40)}''' == ${nested('(', ')', 33)}`, /at most 32 levels/, 1, 89],
]

for (const [expression, message, line, column] of refused) {
  test(`${JSON.stringify(expression.slice(0, 60))} is refused at ${line}:${column}`, (t) => {
    const problem = problemOf(expression, { limit: 'int' })
    t.regex(problem?.message ?? '', message)
    t.deepEqual({ line: problem?.line, column: problem?.column }, { line, column })
  })
}

const accepted = [
  'true',
  'context.a',
  'dyn(1)',
  'true ? context.a : false',
  `"${'('.repeat(40)}" == r'\\${'('.repeat(40)}' // ${'('.repeat(40)}`,
  `"\\"${'('.repeat(40)}" == ''`,
  `${nested('(', ')', 32).replace('()', '(true)')}`,
  `${'!'.repeat(990)}true`,
  `${'true?true:'.repeat(95)}true`,
  'properties.anything == 1',
  'params.limit > 1',
]

for (const expression of accepted) {
  test(`${expression.slice(0, 60)} is accepted`, (t) => {
    t.is(problemOf(expression, { limit: 'int' }), undefined)
  })
}

/** What expressions read. */
const reads: [expression: string, variables: string[], attributes: string[] | 'all'][] = [
  ['true', [], []],
  ['subject.id == context.id', ['context', 'subject'], []],
  ['resource.owner_id == "" && now > params.until', ['now', 'params', 'resource'], []],
  ['resource.attributes.a == 1 || has(resource.attributes["b"].c)', ['resource'], ['a', 'b']],
  ['resource.attributes == {}', ['resource'], 'all'],
  ['resource == {}', ['resource'], 'all'],
  ['resource.attributes[action] == 1', ['action', 'resource'], 'all'],
  ['[1].all(context, context == 1)', [], []],
  ['agent.type == "" || agent["id"] == subject.id', ['agent', 'subject'], []],
  ['agent == {}', ['agent'], []],
  ['[1].all(agent, agent == 1)', [], []],
]

for (const [expression, variables, attributes] of reads) {
  test(`${expression} reads ${variables.join(', ') || 'no variables'}`, (t) => {
    const compiled = compileCondition(expression, parseTypes({ until: 'timestamp' }))
    if ('problem' in compiled) return t.fail(compiled.problem.message)
    t.deepEqual([...compiled.condition.reads.variables].toSorted(), variables)
    const { attributes: named } = compiled.condition.reads
    t.deepEqual(named === 'all' ? named : [...named].toSorted(), attributes)
  })
}
