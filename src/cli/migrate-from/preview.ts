import { formatTable } from '../output.ts'
import type { Plan } from './plan.ts'

/** What a plan creates, unless it exists. */
export type PlanCounts = {
  members: number
  groups: number
  nested_groups: number
  resources: number
  shares: number
  unmapped: number
}

export function countPlan({ members, groups, resources, shares, summary }: Plan): PlanCounts {
  const unmapped = summary.filter(({ isMapped }) => !isMapped)
  return {
    members: members.length,
    groups: groups.length,
    nested_groups: groups.reduce((sum, { children }) => sum + children.length, 0),
    resources: resources.length,
    shares: shares.length,
    unmapped: unmapped.reduce((sum, { count }) => sum + count, 0),
  }
}

/** Describes what the tuples become, and which of them are not mapped. */
export function formatPreview(plan: Plan): string[] {
  const [mapped, unmapped] = [true, false].map((isMapped) =>
    plan.summary
      .filter((row) => row.isMapped === isMapped)
      .map(({ relation, subject, text, count, lines, example }) => ({
        count,
        relation,
        subject,
        [isMapped ? 'becomes' : 'reason']: text,
        lines: `${lines.join(', ')}${count > lines.length ? ', …' : ''}`,
        ...(!isMapped && { example }),
      })),
  ) as [object[], object[]]
  const counts = countPlan(plan)
  return [
    'Mapped:',
    ...formatTable(mapped),
    '',
    'Not mapped:',
    ...formatTable(unmapped),
    '',
    `Members: ${counts.members}, groups: ${counts.groups}, nested groups: ${counts.nested_groups}, ` +
      `resources: ${counts.resources}, shares: ${counts.shares}, not mapped: ${counts.unmapped}.`,
  ]
}
