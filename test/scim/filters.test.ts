// Threats: injection by filters, and work that a filter causes.
import test from 'ava'
import fc from 'fast-check'
import { createDirectory, type Directory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

type Found = Record<string, any>

/** Finds resources by a filter. Returns `name` of each, or the `scimType` of the error. */
async function find(directory: Directory, path: string, filter: string, name: string) {
  const { status, body } = await directory.send(
    'GET',
    `${path}?filter=${encodeURIComponent(filter)}`,
  )
  if (status !== 200) return body.scimType
  const names = body.Resources.map((one: Found) => one[name])
  return names.toSorted().join(' ')
}

async function createPeople() {
  const directory = await createDirectory(environment)
  const ada = await directory.provision('ada', {
    externalId: 'X-1',
    displayName: 'Ada',
    title: 'Engineer',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [
      { value: 'ada@corp.example', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ],
    [enterprise]: { department: 'Research', manager: { value: 'boss-1' } },
  })
  const bob = await directory.provision('bob', {
    displayName: 'Bob',
    title: 'engineer of "bridges" 100%_\\',
    emails: [{ value: 'bob@home.example', type: 'work' }],
    roles: [{ value: 'admin' }],
  })
  const cy = await directory.provision('cy', { displayName: 'Cy', active: false })
  const group = await directory.send('POST', '/Groups', {
    displayName: 'Bridges',
    externalId: 'g-1',
    members: [{ value: ada.id }, { value: bob.id }],
  })
  await directory.send('POST', '/Groups', { displayName: 'empty' })
  return { directory, ada, bob, cy, group: group.body }
}

test('people are found by every operator and kind of attribute', async (t) => {
  const { directory, ada, bob, group } = await createPeople()
  const { address } = directory
  const filters: [filter: string, found: string][] = [
    [`userName eq "${address('ADA')}"`, 'Ada'],
    [`userName ne "${address('ada')}"`, 'Bob Cy'],
    ['userName sw "a"', 'Ada'],
    ['userName co "B@"', 'Bob'],
    [`userName ew "${address('y').slice(0)}"`, 'Cy'],
    ['userName gt "b"', 'Bob Cy'],
    ['userName LT "B"', 'Ada'],
    ['userName pr', 'Ada Bob Cy'],
    ['userName co "a" and active eq true', 'Ada Bob'],
    [`not (userName eq "${address('ada')}")`, 'Bob Cy'],
    [`( userName eq "${address('ada')}" )`, 'Ada'],
    ['active eq false', 'Cy'],
    ['active eq "False"', 'Cy'],
    ['active ne false', 'Ada Bob'],
    ['externalId pr', 'Ada'],
    ['not(externalId pr)', 'Bob Cy'],
    ['externalId eq "x-1"', ''],
    ['externalId eq "X-1"', 'Ada'],
    ['externalId eq null', 'Bob Cy'],
    ['externalId ne null', 'Ada'],
    [`id eq "${ada.id.toUpperCase()}"`, 'Ada'],
    ['id eq "nobody"', ''],
    ['id ne "nobody"', 'Ada Bob Cy'],
    [`id sw "${bob.id.slice(0, 30)}"`, 'Bob'],
    ['title eq "engineer"', 'Ada'],
    ['title sw "ENGINEER"', 'Ada Bob'],
    ['title ew "100%_\\\\"', 'Bob'],
    ['title co "\\"bridges\\""', 'Bob'],
    ['title co "%"', 'Bob'],
    ['title ne "Engineer"', 'Bob Cy'],
    ['title co ""', 'Ada Bob'],
    ['title pr and not (title sw "engineer of")', 'Ada'],
    ['name.familyName eq "lovelace"', 'Ada'],
    [`${core}:name.familyName eq "lovelace"`, 'Ada'],
    ['name pr', 'Ada'],
    [`${enterprise}:department co "search"`, 'Ada'],
    [`${enterprise}:manager eq "boss-1"`, 'Ada'],
    [`${enterprise}:manager.value pr`, 'Ada'],
    ['emails[type eq "work" and value co "@corp"]', 'Ada'],
    ['emails[type eq "work" and value co "@home"]', 'Bob'],
    ['emails[type eq "work"].value eq "ADA@corp.example"', 'Ada'],
    ['emails[not (type eq "work")]', 'Ada'],
    ['emails[primary eq true]', 'Ada'],
    ['emails.type eq "home"', 'Ada'],
    ['emails.value ew "@home.example"', 'Ada Bob'],
    ['emails co "@home.example"', 'Ada Bob'],
    ['emails ne "ada@home.example"', 'Bob Cy'],
    ['emails pr', 'Ada Bob'],
    ['roles eq "ADMIN"', 'Bob'],
    [`groups eq "${group.id}"`, 'Ada Bob'],
    ['groups.display eq "bridges"', 'Ada Bob'],
    ['not (groups pr)', 'Cy'],
    [`schemas eq "${enterprise}"`, 'Ada'],
    [`schemas eq "${core}"`, 'Ada Bob Cy'],
    ['meta.resourceType eq "User"', 'Ada Bob Cy'],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', 'Ada Bob Cy'],
    [`meta.created eq "${ada.meta.created}"`, 'Ada'],
    ['meta.created lt "2011-05-13T04:42:34+02:00"', ''],
    ['displayName eq "Ada" or displayName eq "Bob" and title eq "none"', 'Ada'],
    ['(displayName eq "Ada" or displayName eq "Bob") and title ew "r"', 'Ada'],
    ['displayName eq "Ada" AND NOT (title pr) OR displayName eq "Cy"', 'Cy'],
    [Array.from({ length: 20 }, (_, index) => `title eq "${index}"`).join(' or '), ''],
    ['((((displayName eq "Ada"))))', 'Ada'],
  ]
  for (const [filter, found] of filters)
    t.is(await find(directory, '/Users', filter, 'displayName'), found, filter)
})

test('groups are found by every operator and kind of attribute', async (t) => {
  const { directory, ada, cy, group } = await createPeople()
  const filters: [filter: string, found: string][] = [
    ['displayName eq "BRIDGES"', 'Bridges'],
    ['displayName co "e" and not (displayName sw "b")', 'empty'],
    [`members eq "${ada.id}"`, 'Bridges'],
    [`members eq "${cy.id}"`, ''],
    [`id eq "${group.id}" and members eq "${ada.id}"`, 'Bridges'],
    [`members[value eq "${ada.id}"]`, 'Bridges'],
    [`members.value eq "${ada.id.toUpperCase()}"`, 'Bridges'],
    ['members.display sw "ada"', 'Bridges'],
    ['members eq "nobody"', ''],
    ['not (members pr)', 'empty'],
    ['externalId eq "g-1"', 'Bridges'],
    ['meta.lastModified ge "2020-01-01T00:00:00Z"', 'Bridges empty'],
  ]
  for (const [filter, found] of filters)
    t.is(await find(directory, '/Groups', filter, 'displayName'), found, filter)
})

test('filters that cannot be read or compared are invalidFilter', async (t) => {
  const { directory } = await createPeople()
  const nested = (depth: number) => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`
  for (const filter of [
    'userName',
    'userName xx "a"',
    'userName eq',
    'userName eq a',
    'userName eq "a" and',
    'userName eq "a" userName eq "b"',
    '(userName eq "a"',
    'userName eq "a")',
    'not userName eq "a"',
    'emails[type eq "work"',
    'emails[type eq "work"].',
    'emails[emails[type eq "work"]]',
    'name[familyName eq "a"]',
    'name eq "a"',
    'unknown eq "a"',
    'userName.value eq "a"',
    'password eq "a"',
    'meta eq "a"',
    'userName eq true',
    'userName gt null',
    'active gt true',
    'active eq "maybe"',
    'emails[primary co "t"]',
    'meta.created eq "yesterday"',
    'meta.created co "2026-01-01T00:00:00Z"',
    'userName eq "\\u0000"',
    'userName eq "\\q"',
    'userName eq "a"; drop table users; --',
    Array.from({ length: 21 }, () => 'title pr').join(' or '),
    nested(6),
    `userName eq "${'a'.repeat(1000)}"`,
  ])
    t.is(await find(directory, '/Users', filter, 'displayName'), 'invalidFilter', filter)
  t.is(await find(directory, '/Users', nested(5), 'displayName'), 'Ada Bob')
  t.is(await find(directory, '/Groups', 'title eq "a"', 'displayName'), 'invalidFilter')
})

test('searches have their parameters in the body', async (t) => {
  const { directory, ada } = await createPeople()
  const search = async (path: string, body: object) => {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const { body: found } = await directory.send('POST', `${path}/.search`, { schemas, ...body })
    return found
  }
  const users = await search('/Users', {
    filter: 'title pr',
    attributes: ['displayName'],
    startIndex: 2,
    count: 1,
  })
  t.like(users, { totalResults: 2, startIndex: 2, itemsPerPage: 1 })
  t.deepEqual(Object.keys(users.Resources[0]), ['schemas', 'id', 'displayName'])
  const groups = await search('/Groups', {
    filter: `members eq "${ada.id}"`,
    excludedAttributes: ['members'],
  })
  t.deepEqual(
    groups.Resources.map(({ displayName, members }: Found) => [displayName, members]),
    [['Bridges', undefined]],
  )

  const names = ({ Resources }: Found) => Resources.map(({ displayName }: Found) => displayName)
  const all = await search('', {})
  t.is(all.totalResults, 5)
  for (let startIndex = 1; startIndex <= 6; startIndex += 1) {
    const page = await search('', { startIndex, count: 2 })
    t.is(page.totalResults, 5)
    t.deepEqual(names(page), names(all).slice(startIndex - 1, startIndex + 1))
  }
  t.deepEqual(names(await search('', { filter: 'displayName sw "b"' })).toSorted(), [
    'Bob',
    'Bridges',
  ])
  t.deepEqual(names(await search('', { filter: 'title eq "Engineer"' })), ['Ada'])
  t.deepEqual(names(await search('', { filter: 'meta.resourceType eq "Group" and members pr' })), [
    'Bridges',
  ])
  t.is((await search('', { filter: 'unknown pr' })).scimType, 'invalidFilter')
  for (const body of [
    { count: 'many' },
    { startIndex: 1.5 },
    { filter: 5 },
    { attributes: 'userName' },
    { attributes: Array.from({ length: 101 }, () => 'userName') },
  ])
    t.is((await search('/Users', body)).scimType, 'invalidValue', JSON.stringify(body))
  const many = await directory.send('GET', '/Users?count=many')
  t.like(many, { status: 400, body: { scimType: 'invalidValue' } })
})

test('paths of patches select values by every filter, and broken ones are invalidPath', async (t) => {
  const { directory, ada } = await createPeople()
  const patch = (operation: object) => directory.patch(`/Users/${ada.id}`, operation)
  const changed = await patch({
    op: 'replace',
    path: 'emails[value sw "ada@" and not (type eq "home")].display',
    value: 'Office',
  })
  t.deepEqual(
    changed.body.emails.map(({ display }: Found) => display),
    ['Office', undefined],
  )
  const removed = await patch({ op: 'remove', path: 'emails[type eq "home" or type eq "other"]' })
  t.is(removed.body.emails.length, 1)
  const errors: [operation: object, scimType: string][] = [
    [{ op: 'replace', path: 'emails[type co "home"].value', value: 'x' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[type eq "home"', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type]', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails..value', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 5, value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', path: 'meta.created', value: 'x' }, 'mutability'],
    [{ op: 'remove', path: 'groups' }, 'mutability'],
  ]
  for (const [operation, scimType] of errors) {
    const { status, body } = await patch(operation)
    t.like({ ...body, status }, { status: 400, scimType }, JSON.stringify(operation))
  }
})

/** A filter, and whether a resource satisfies it. */
type Random = { text: string; accepts(resource: Found): boolean }

const texts = ['a', 'A', 'b', 'Ada', 'engineer', '%', '_', '"', '\\', '', 'é', 'É']

const comparisons: Record<string, (own: string, other: string) => boolean> = {
  eq: (own, other) => own === other,
  co: (own, other) => own.includes(other),
  sw: (own, other) => own.startsWith(other),
  ew: (own, other) => own.endsWith(other),
}

const comparison: fc.Arbitrary<Random> = fc
  .record({
    path: fc.constantFrom(
      'title',
      'displayName',
      'name.familyName',
      'emails',
      'emails.type',
      'nickName',
    ),
    operator: fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'pr'),
    value: fc.constantFrom(...texts),
  })
  .map(({ path, operator, value }) => {
    const [name, sub = 'value'] = path.split('.') as [string, string?]
    const valuesOf = (resource: Found): string[] =>
      [resource[name] ?? []]
        .flat()
        .flatMap((one) => (typeof one === 'string' ? one : (one[sub] ?? [])))
    const some = (compare: (own: string, other: string) => boolean) => (resource: Found) =>
      valuesOf(resource).some((own) => compare(own.toLowerCase(), value.toLowerCase()))
    if (operator === 'pr')
      return { text: `${path} pr`, accepts: (resource) => valuesOf(resource).length > 0 }
    const equals = some((own, other) => own === other)
    return {
      text: `${path} ${operator} ${JSON.stringify(value)}`,
      accepts: operator === 'ne' ? (one) => !equals(one) : some(comparisons[operator] as never),
    }
  })

const { filter: randomFilter } = fc.letrec<{ filter: Random }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    comparison,
    tie('filter').map(({ text, accepts }) => ({
      text: `not (${text})`,
      accepts: (one: Found) => !accepts(one),
    })),
    fc
      .record({ word: fc.constantFrom('and', 'or'), one: tie('filter'), other: tie('filter') })
      .map(({ word, one, other }) => ({
        text: `(${one.text}) ${word} (${other.text})`,
        accepts: (resource: Found) =>
          word === 'and'
            ? one.accepts(resource) && other.accepts(resource)
            : one.accepts(resource) || other.accepts(resource),
      })),
  ),
}))

test('random filters find what a reader of the resources finds', async (t) => {
  const directory = await createDirectory(environment)
  for (const [index, text] of texts.entries()) {
    const other = texts[(index * 5 + 2) % texts.length] as string
    await directory.provision(`p${index}`, {
      displayName: `p${index}`,
      ...(index % 3 !== 0 && { title: `${text}${other}` }),
      ...(index % 2 === 0 && { name: { familyName: `${other}${text}` } }),
      ...(index % 4 !== 1 && {
        emails: [{ value: `${text}x`, type: other }, { value: `y${other}` }],
      }),
    })
  }
  const all: Found[] = (await directory.send('GET', '/Users')).body.Resources
  const property = fc.asyncProperty(randomFilter, async ({ text, accepts }) => {
    const expected = all.filter(accepts).map(({ displayName }) => displayName)
    t.is(await find(directory, '/Users', text, 'displayName'), expected.toSorted().join(' '), text)
  })
  await fc.assert(property, { numRuns: 150 })
})
