import test from 'ava'
import { startTestEnvironment } from '../support/test-environment.ts'
import { documents } from './documents.ts'
import { limits } from './limits.ts'
import type { Case, Model } from './model.ts'
import { organizations } from './organizations.ts'
import { products } from './products.ts'
import { valueTypes } from './value-types.ts'
import { createWorld } from './world.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const models: Model[] = [...documents, ...products, ...organizations, ...limits, ...valueTypes]

for (const model of models)
  test(`${model.store}: ${model.title}`, async (t) => {
    const { answer } = await createWorld(environment, model)
    t.true(model.cases.length > 0)
    for (const question of model.cases)
      for (const transport of environment.transports) {
        const label = `${transport.label}: ${JSON.stringify(question)}`
        t.deepEqual(await answer(transport, question), expectedOf(question), label)
      }
  })

function expectedOf(question: Case): boolean | string[] {
  return question.kind === 'decision' ? question.allowed : question.found.toSorted()
}
