import test from 'ava'
import { agreementSeed, startAgreement } from '../support/agreement/nodes.ts'
import { Disagreement } from '../support/agreement/runner.ts'

/** Milliseconds after which no further change is made. */
const timeLimit = 6000

test.serial('nodes with any memory agree with the rows after every change', async (t) => {
  t.timeout(120_000)
  t.log(`AGREEMENT_SEED=${agreementSeed}`)
  const agreement = await startAgreement()
  t.teardown(() => agreement.stop())
  const deadline = performance.now() + timeLimit
  while (performance.now() < deadline) await agreement.changeAnything()
  t.log(agreement.summarize())
  t.deepEqual(agreement.environment.failures, [])
  t.pass()
})

test.serial('a table whose changes are not recorded is found', async (t) => {
  t.timeout(120_000)
  const agreement = await startAgreement()
  t.teardown(() => agreement.stop())
  const { pool, flatGroup, workspace, kind, resources, key } = agreement.scene
  await pool.query('drop trigger record_access_delete on shares')
  const [node] = agreement.scene.nodes
  const message = { ...kind, resource_id: resources[0], grantee_type: 'group', grantee_id: flatGroup }
  const token = agreement.scene.people.owner.token
  await node?.grpc.call('Share', { ...message, permission: 'view' }, { key, token })
  t.truthy(workspace)
  const error = await t.throwsAsync(
    async () => {
      // The nodes remember the share, and its deletion is not recorded.
      await agreement.ask(undefined, 1)
      await pool.query('delete from shares')
      await agreement.ask(undefined, 1)
    },
    { instanceOf: Disagreement },
  )
  t.regex(error?.message ?? '', /^(large|tiny) memory/)
})
