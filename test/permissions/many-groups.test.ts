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
  const cases = [1, 2, 3, 4, 40].flatMap((crowd) => [1, 20].map((times) => ({ crowd, times })))
  for (const { crowd, times } of cases) {
    test(`with ${crowd} other groups on a resource each share is still felt by ${times} checks over ${transport.label}`, async (t) => {
      const fixture = await createWorkspaceFixture(environment, transport)
      const { workspace, people, addMember, share } = fixture
      const [reader, writer, stranger] = [
        await addMember('viewer'),
        await addMember('viewer'),
        await addMember('viewer'),
      ]
      const record = await fixture.register(people.owner)
      for (let at = 0; at < crowd; at += 1) {
        const group = await seed.group(workspace, [people.editor.id])
        await share(people.owner, record, { group }, 'view')
      }
      const answers = (person: Member, of: ResourceRecord = record) =>
        Promise.all(['view', 'edit'].map((action) => fixture.isAllowed(person, action, of, times)))
      t.deepEqual(await answers(reader), [false, false])

      const readers = await seed.group(workspace, [reader.id, writer.id])
      await share(people.owner, record, { group: readers }, 'view')
      const writers = await seed.group(workspace, [writer.id])
      await share(people.owner, record, { group: writers }, 'edit')
      t.deepEqual(await answers(people.editor), [true, false])
      t.deepEqual(await answers(reader), [true, false])
      t.deepEqual(await answers(writer), [true, true])
      t.deepEqual(await answers(stranger), [false, false])

      const other = await fixture.register(people.owner)
      t.deepEqual(await answers(writer, other), [false, false])
    })
  }
}
