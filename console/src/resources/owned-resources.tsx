import { Section } from '../ui/page.tsx'
import { ResourceTable } from './resource-table.tsx'

/** Shows the resources that a person owns. */
export function OwnedResources({ ownerId }: { ownerId: string }) {
  return (
    <Section title="Owned resources">
      <ResourceTable filter={{ owner_id: ownerId }} />
    </Section>
  )
}
