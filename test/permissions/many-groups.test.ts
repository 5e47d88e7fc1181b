import test from 'ava'
import { openOffice, type Person, type ResourceRecord } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const { seed } = world
test.after.always(() => world.stop())

for (const door of world.doors) {
  const cases = [1, 2, 3, 4, 40].flatMap((crowd) => [1, 20].map((times) => ({ crowd, times })))
  for (const { crowd, times } of cases) {
    test(`with ${crowd} other groups on a resource each share is still felt by ${times} checks, through ${door.name}`, async (t) => {
      const office = await openOffice(world, door)
      const { workspace, staff, hire, share } = office
      const [reader, writer, stranger] = [
        await hire('viewer'),
        await hire('viewer'),
        await hire('viewer'),
      ]
      const record = await office.register(staff.owner)
      for (let at = 0; at < crowd; at += 1) {
        const group = await seed.group(workspace, [staff.editor.id])
        await share(staff.owner, record, { group }, 'view')
      }
      const answers = (person: Person, of: ResourceRecord = record) =>
        Promise.all(['view', 'edit'].map((action) => office.may(person, action, of, times)))
      t.deepEqual(await answers(reader), [false, false])

      const readers = await seed.group(workspace, [reader.id, writer.id])
      await share(staff.owner, record, { group: readers }, 'view')
      const writers = await seed.group(workspace, [writer.id])
      await share(staff.owner, record, { group: writers }, 'edit')
      t.deepEqual(await answers(staff.editor), [true, false])
      t.deepEqual(await answers(reader), [true, false])
      t.deepEqual(await answers(writer), [true, true])
      t.deepEqual(await answers(stranger), [false, false])

      const other = await office.register(staff.owner)
      t.deepEqual(await answers(writer, other), [false, false])
    })
  }
}
