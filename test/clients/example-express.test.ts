import test from 'ava'
import { useDocumentsExample } from '../support/documents-example.ts'

test('examples/documents-express lists, shares, and survives daikon being away', async (t) => {
  t.timeout(300_000)
  const command = ['npm', 'start', '--prefix', 'examples/documents-express']
  await useDocumentsExample(t, command, { invalidStatus: 400 })
})
