import { randomUUID } from 'node:crypto'
import { createAdmin } from './admin.ts'
import { expectError } from './outcome.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Outcome, Transport } from './transports.ts'

export const randomEmail = () => `${randomUUID()}@example.com`

/** Creates a CSV file with a header of all columns and the rows. */
export const csvFile = (...rows: string[]) =>
  ['email,name,workspace_slug,role,groups', ...rows].map((row) => `${row}\n`).join('')

/** Returns the violations of a rejected file, such as `csv[3].email is required`. */
export const violationMessages = (outcome: Outcome) =>
  expectError(outcome).violations.map(({ field, message }) => `${field} ${message}`)

/** Creates an administrator who imports files, and queries that read the result. */
export async function createImportFixture(environment: TestEnvironment) {
  const { pool, seed } = environment
  const admin = await createAdmin(environment)
  return {
    admin,
    /** Creates a workspace with an owner, and functions that import files into it. */
    createTargetWorkspace: async (transport: Transport) => {
      const workspace = await seed.workspace()
      const slug = `w-${workspace}`
      const owner = await seed.newMember(workspace, 'owner')
      const send = (method: string, csv: string) => admin.call(transport, method, { csv })
      return {
        workspace,
        slug,
        owner,
        preview: (csv: string) => send('PreviewCsvImport', csv),
        execute: (csv: string) => send('ExecuteCsvImport', csv),
        /**
         * Returns each member's name, role, groups and whether they have joined, by email address.
         */
        members: async () => {
          const { rows } = await pool.query(
            `select u.email, u.name, m.role, m.joined_at is not null as joined,
               array(select g.name from group_members x join groups g on g.id = x.group_id
                 where x.user_id = u.id and x.workspace_id = m.workspace_id order by 1) as groups
             from members m join users u on u.id = m.user_id where m.workspace_id = $1`,
            [workspace],
          )
          return Object.fromEntries(rows.map(({ email, ...row }) => [email, row]))
        },
      }
    },
    userId: async (email: string): Promise<string> => {
      const { rows } = await pool.query('select id from users where email = $1', [email])
      return rows[0]?.id
    },
    emailOf: async (id: string): Promise<string> => {
      const { rows } = await pool.query('select email from users where id = $1', [id])
      return rows[0].email
    },
    /** Returns a digest of every table that an import can change. */
    digestTables: async (): Promise<string> => {
      const tables = ['users', 'members', 'groups', 'group_members', 'activity', 'workspaces']
      const digests = await Promise.all(
        tables.map(async (table) => {
          const { rows } = await pool.query(
            `select md5(string_agg(to_jsonb(t)::text, '' order by to_jsonb(t)::text)) from ${table} t`,
          )
          return rows[0].md5
        }),
      )
      return digests.join()
    },
  }
}
