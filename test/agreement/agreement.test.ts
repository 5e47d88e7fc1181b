import test from 'ava'
import { agreementSeed, startAgreement } from '../support/agreement/nodes.ts'
import { evaluateAll, subjectForms } from '../support/agreement/questions.ts'
import { Disagreement } from '../support/agreement/runner.ts'
import { expectOk } from '../support/outcome.ts'
import type { Outcome } from '../support/transports.ts'

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
  const { scene, askQuestions, stop } = await startAgreement()
  t.teardown(stop)
  const { pool, kind, resources, key, people, members } = scene
  const [node] = scene.nodes
  const share = { ...kind, resource_id: resources[0], grantee_type: 'user', permission: 'view' }
  const grantee_id = members.at(-1)?.id
  const credentials = { key, token: people.owner.token }
  expectOk((await node?.grpc.call('Share', { ...share, grantee_id }, credentials)) as Outcome)
  const questions = (subjectForms.id?.(scene) ?? []).map((subject) =>
    evaluateAll(scene, subject, 'id'),
  )
  await askQuestions(questions)
  await pool.query('drop trigger record_access_delete on shares')
  await pool.query('delete from shares')
  const error = await t.throwsAsync(() => askQuestions(questions), { instanceOf: Disagreement })
  t.regex(error?.message ?? '', /^large memory.*wrongly contains \[view /s)
})
