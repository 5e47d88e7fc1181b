import { formatTable } from '../output.ts'
import { findOutsideParents } from './orphans.ts'
import type { Plan } from './plan.ts'
import { describePlace, describeProblems } from './tuple.ts'

/** What a plan creates, unless it exists. */
export type PlanCounts = {
  members: number
  groups: number
  nested_groups: number
  resources: number
  shares: number
  unmapped: number
  orphans: number
}

export function countPlan({
  members,
  groups,
  resources,
  shares,
  summary,
  orphans,
}: Plan): PlanCounts {
  const unmapped = summary.filter(({ isMapped }) => !isMapped)
  return {
    members: members.length,
    groups: groups.length,
    nested_groups: groups.reduce((sum, { children }) => sum + children.length, 0),
    resources: resources.length,
    shares: shares.length,
    unmapped: unmapped.reduce((sum, { count }) => sum + count, 0),
    orphans: orphans.length,
  }
}

/**
 * Describes what the tuples of the file `path` become, which of them are not mapped, and which objects
 * cannot be created or depend on what is registered.
 */
export function formatPreview(plan: Plan, path: string): string[] {
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
    ...formatSection('Orphans, which cannot be created:', describeProblems(path, plan.orphans)),
    ...formatSection(
      'Parents outside the export, which must be registered:',
      findOutsideParents(plan.resources).map(
        ({ name, parent, place, places }) =>
          `${describePlace(path, places.get('parent') ?? place)}: ${parent}, the parent of ${name}`,
      ),
    ),
    `Members: ${counts.members}, groups: ${counts.groups}, nested groups: ${counts.nested_groups}, ` +
      `resources: ${counts.resources}, shares: ${counts.shares}, not mapped: ${counts.unmapped}${
        counts.orphans > 0 ? `, orphans: ${counts.orphans}` : ''
      }.`,
  ]
}

function formatSection(title: string, lines: string[]): string[] {
  return lines.length > 0 ? [title, ...lines, ''] : []
}
