import test from 'ava'
import { warmUp } from '../support/agreement/faults.ts'
import { agreementSeed, startAgreement } from '../support/agreement/nodes.ts'
import { Disagreement } from '../support/agreement/runner.ts'
import type { AskedNode } from '../support/agreement/scene.ts'
import { expectOk } from '../support/outcome.ts'

/** Milliseconds after which no further change is made. */
const timeLimit = 6000

test.serial('nodes with any memory agree with the rows after every change', async (t) => {
  t.timeout(600_000)
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
  t.timeout(600_000)
  const agreement = await startAgreement()
  t.teardown(() => agreement.stop())
  const { pool, kind, resources, key, people, members, nodes } = agreement.scene
  // Only the large memory keeps all that it loads.
  const [node] = nodes as [AskedNode]
  const share = { ...kind, resource_id: resources[0], grantee_type: 'user', permission: 'view' }
  const grantee_id = members.at(-1)?.id
  const credentials = { key, token: people.owner.token }
  expectOk(await node.grpc.call('Share', { ...share, grantee_id }, credentials))
  const questions = await warmUp(agreement, [node])
  await pool.query('drop trigger record_access_delete on shares')
  await pool.query('delete from shares')
  const error = await t.throwsAsync(() => agreement.askQuestions(questions, [node]), {
    instanceOf: Disagreement,
  })
  t.regex(error?.message ?? '', new RegExp(`wrongly contains \\[view ${resources[0]}`, 'i'))
})
