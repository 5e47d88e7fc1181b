import test from 'ava'
import { addInheriting } from '../../console/src/workspaces/inherited-reach.ts'

test('what inherits from a resource is seen with it, at any depth and of any type', (t) => {
  const kind = { service_name: 'docs', resource_type: 'document', inherits: true }
  const folder = { ...kind, resource_type: 'folder' }
  const below = (resource_id: string, resource_type = 'folder') => ({
    parent: { resource_type, resource_id },
  })
  const resources = [
    { ...kind, id: 'deep', resource_id: '4', ...below('2') },
    { ...kind, id: 'detached', resource_id: '5', ...below('1'), inherits: false },
    { ...kind, id: 'below the detached one', resource_id: '6', ...below('5', 'document') },
    { ...kind, id: 'of another type', resource_id: '7', ...below('1', 'document') },
    { ...kind, id: 'of another service', service_name: 'wiki', resource_id: '8', ...below('1') },
    { ...folder, id: 'inner', resource_id: '2', ...below('1') },
    { ...folder, id: 'outer', resource_id: '1', parent: null },
    { ...folder, id: 'other', resource_id: '3' },
  ]
  const seen = new Set(['outer', 'unlisted'])
  t.deepEqual([...addInheriting(resources, seen)].toSorted(), [
    'deep',
    'inner',
    'outer',
    'unlisted',
  ])
})
