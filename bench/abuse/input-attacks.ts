import { randomUUID } from 'node:crypto'
import { type Attack, type AttackContext, countCall, repeatInParallel } from './attack.ts'

const header = 'email,name,workspace_slug,role,groups\n'

/** Attacks with large files, and with requests whose responses are large. */
export const inputAttacks: Record<string, Attack> = {
  imports: {
    title: '50 parallel `ExecuteCsvImport` of 500 people',
    run: (context) =>
      floodImports(context, 50, () => {
        const { workspace } = context.target
        const row = () => `${randomUUID()}@example.com,,w-${workspace},viewer,\n`
        return header + Array.from({ length: 500 }, row).join('')
      }),
  },
  cells: {
    title: '20 parallel `PreviewCsvImport` of a row with 2,000,000 cells',
    run: (context) => {
      const csv = header + ','.repeat(2_000_000)
      return floodImports(context, 20, () => csv, 'PreviewCsvImport')
    },
  },
  directory: {
    title: '12 parallel `GET /scim/v2/Groups` of 8 groups with 1,000 members each',
    run: (context) => floodDirectory(context, 12, 'Groups'),
  },
  'directory users': {
    title: '12 parallel `GET /scim/v2/Users?count=1000`',
    run: (context) => floodDirectory(context, 12, 'Users?count=1000'),
  },
}

function floodImports(
  context: AttackContext,
  parallel: number,
  createFile: () => string,
  method = 'ExecuteCsvImport',
): Promise<void> {
  const { grpc, outcomes, target } = context
  return repeatInParallel(context, parallel, () => {
    const call = grpc.call(
      `AdminService/${method}`,
      { csv: createFile() },
      { admin: target.adminToken },
    )
    return countCall(outcomes, call)
  })
}

function floodDirectory(context: AttackContext, parallel: number, path: string): Promise<void> {
  const { target, outcomes } = context
  const url = `http://127.0.0.1:${target.httpPort}/scim/v2/${target.workspace}/${path}`
  const read = async () => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${target.scimToken}` } })
    await response.text()
    const { ok, status } = response
    return ok ? { ok } : { ok, reason: '', code: `status ${status}` }
  }
  return repeatInParallel(context, parallel, () => countCall(outcomes, read()))
}
