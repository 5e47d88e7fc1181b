// Fills the table with documents of all people, and registers and shares them.
import { randomUUID } from 'node:crypto'
import type { NewShare } from '@daikon-auth/client'
import { people, setUp, workspaceId } from './setup.ts'

const count = Number(process.env.DOCUMENTS ?? 10_000)
const batchSize = 1000
const day = 86_400_000

const titles: (() => string)[] = [
  () => `Minutes of the ${pick(teams)} meeting, ${pickDate()}`,
  () => `Budget for ${pick(projects)}, ${pickQuarter()}`,
  () => `Contract with ${pick(companies)}`,
  () => `Offer to ${pick(companies)}, ${pickDate()}`,
  () => `Design review: ${pick(projects)}`,
  () => `Interview notes: ${pick(firstNames)} ${pick(lastNames)}`,
  () => `Travel expenses of ${pick(firstNames)} ${pick(lastNames)}, ${pick(cities)}`,
  () => `Plan of the ${pick(teams)} team for ${pickQuarter()}`,
  () => `Checklist for ${pick(projects)} in ${pick(cities)}`,
  () => `Report on ${pick(projects)}, ${pickQuarter()}`,
]
const teams = ['sales', 'design', 'support', 'finance', 'platform', 'marketing', 'legal', 'people']
const projects = [
  ...['the mobile app', 'the new office', 'the price list', 'the summer campaign', 'onboarding'],
  ...['the data centre', 'the annual audit', 'the partner programme', 'the website', 'billing'],
]
const companies = [
  ...['Nordwind Logistics', 'Bright & Sons', 'Café Central', 'Atlas Insurance', 'Otter Software'],
  ...['Hafen Hotels', 'Müller Maschinenbau', 'Green Valley Farms', 'Pixel Forge', 'Lumen Energy'],
]
const cities = ['Berlin', 'Lisbon', 'Oslo', 'Toronto', 'Vienna', 'Zürich', 'Kraków', 'Osaka']
const firstNames = ['Maria', 'Jonas', 'Aisha', 'Tom', 'Yuki', 'Elena', 'Samuel', 'Chloé', 'Ravi']
const lastNames = ['Santos', 'Keller', 'Okafor', 'Nguyen', 'Larsen', 'Rossi', "O'Brien", 'Weiss']

const { daikon, pool } = await setUp()
try {
  for (;;) {
    const { rows } = await pool.query('select count(*)::int as count from documents')
    const missing = count - rows[0].count
    if (missing <= 0) break
    await addDocuments(Math.min(missing, batchSize))
    console.log(`${Math.min(rows[0].count + batchSize, count)} documents`)
  }
} finally {
  await pool.end()
  daikon.close()
}

/** Registers documents and their shares, then adds their rows. */
async function addDocuments(size: number): Promise<void> {
  const documents = Array.from({ length: size }, () => ({
    id: randomUUID(),
    title: pick(titles)(),
    // The last person has written least.
    author: Math.random() < 0.03 ? (people.at(-1) as string) : pick(people.slice(0, -1)),
    updated_at: new Date(Date.now() - Math.random() * 1000 * day),
  }))
  const options = { deadlineMs: 60_000 }
  await daikon.registerMany(
    documents.map(({ id, author }) => ({
      type: 'document',
      id,
      workspaceId,
      ownerEmail: author,
      visibility: Math.random() < 0.02 ? 'workspace' : 'private',
    })),
    options,
  )
  await daikon.shareMany(
    documents
      .filter(() => Math.random() < 0.04)
      .map(({ id, author }): NewShare => {
        const others = people.filter((email) => email !== author)
        const isConditional = Math.random() < 0.25
        return {
          resource: { type: 'document', id },
          grantee: { email: pick(others) },
          grant: pick(['view', 'edit']),
          // Half of these shares begin in the future.
          ...(isConditional && {
            condition: { name: 'not_before', params: { time: pickTime().toISOString() } },
          }),
        }
      }),
    options,
  )
  await pool.query(
    `insert into documents (id, title, author, updated_at)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])`,
    [
      documents.map(({ id }) => id),
      documents.map(({ title }) => title),
      documents.map(({ author }) => author),
      documents.map(({ updated_at }) => updated_at),
    ],
  )
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}

function pickTime(): Date {
  return new Date(Date.now() + (Math.random() * 2 - 1) * 100 * day)
}

function pickDate(): string {
  const date = new Date(Date.now() - Math.random() * 1000 * day)
  return date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

function pickQuarter(): string {
  return `Q${1 + Math.floor(Math.random() * 4)} ${new Date().getFullYear() - pick([0, 1, 2])}`
}
