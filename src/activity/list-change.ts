/** The maximum number of items that an event or an error lists. */
const maxListed = 20

/** Joins up to 20 items, and adds how many more there are. */
export function listItems(items: string[], separator: string): string {
  const listed = items.slice(0, maxListed)
  if (items.length > maxListed) listed.push(`and ${items.length - maxListed} more`)
  return listed.join(separator)
}

/** Describes for an event how a list changed: the lines that were added and removed, or `none`. */
export function describeListChange(before: string[], after: string[]) {
  return {
    added: listLines(after.filter((line) => !before.includes(line))),
    removed: listLines(before.filter((line) => !after.includes(line))),
  }
}

function listLines(lines: string[]): string {
  return lines.length === 0 ? 'none' : listItems(lines, '\n')
}
