import test from 'ava'
import { useDocumentsExample } from '../support/documents-example.ts'

test('examples/documents-express lists and shares documents, and survives an outage of daikon', async (t) => {
  t.timeout(600_000)
  const command = ['npm', 'start', '--prefix', 'examples/documents-express']
  await useDocumentsExample(t, command)
})
