import test from 'ava'
import { startTestEnvironment } from '../support/test-environment.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed } = environment
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const cases = [1, 2, 3, 4, 40].flatMap((groupCount) =>
    [1, 20].map((checkCount) => ({ groupCount, checkCount })),
  )
  for (const { groupCount, checkCount } of cases) {
    test(`batches of ${checkCount} checks consider every share of a resource with ${groupCount} other group shares over ${transport.label}`, async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace, people, addMember, share } = fixture
      const [reader, writer, outsider] = [
        await addMember('viewer'),
        await addMember('viewer'),
        await addMember('viewer'),
      ]
      const record = await fixture.register(people.owner)
      for (let index = 0; index < groupCount; index += 1) {
        const group = await seed.group(workspace, [people.editor.id])
        await share(people.owner, record, { group }, 'view')
      }
      const results = (person: Member, of: ResourceRecord = record) =>
        Promise.all(
          ['view', 'edit'].map((action) => fixture.isAllowed(person, action, of, checkCount)),
        )
      t.deepEqual(await results(reader), [false, false])

      const readers = await seed.group(workspace, [reader.id, writer.id])
      await share(people.owner, record, { group: readers }, 'view')
      const writers = await seed.group(workspace, [writer.id])
      await share(people.owner, record, { group: writers }, 'edit')
      t.deepEqual(await results(people.editor), [true, false])
      t.deepEqual(await results(reader), [true, false])
      t.deepEqual(await results(writer), [true, true])
      t.deepEqual(await results(outsider), [false, false])

      const other = await fixture.register(people.owner)
      t.deepEqual(await results(writer, other), [false, false])
    })
  }
}
