/** A part of a query that PostgreSQL has analysed: a node, a list, a word or nothing. */
export type Tree = Node | Tree[] | string | undefined

/** A node, such as `VAR`, with its fields. */
export type Node = { type: string; fields: Map<string, Tree> }

/** Reads the text of a `pg_node_tree`. */
export function parseTree(text: string): Tree {
  const tokens = text.match(/(?:\\[\s\S]|[^\\\s(){}[\]])+|[(){}[\]]/g) ?? []
  let position = 0

  function parse(): Tree {
    const token = tokens[position++]
    if (token === '(' || token === '[') return parseList(token === '(' ? ')' : ']')
    if (token === '{') return parseNode()
    return token === '<>' ? undefined : token?.replaceAll(/\\([\s\S])/g, '$1')
  }

  function parseList(end: string): Tree[] {
    const list: Tree[] = []
    while (tokens[position] !== end) list.push(parse())
    position += 1
    return list
  }

  function parseNode(): Node {
    const node: Node = { type: tokens[position++] ?? '', fields: new Map() }
    while (tokens[position] !== '}') {
      const name = tokens[position++]?.slice(1) ?? ''
      node.fields.set(name, parse())
      // The length of a constant stands in front of its bytes.
      while (!/^(:|\}$)/.test(tokens[position] ?? '}')) parse()
    }
    position += 1
    return node
  }

  return parse()
}

/** Returns a field that is a node. */
export function nodeOf(node: Node | undefined, name: string): Node | undefined {
  const value = node?.fields.get(name)
  return typeof value === 'object' && !Array.isArray(value) ? value : undefined
}

/** Returns the nodes of a field that is a list. */
export function nodesOf(node: Node | undefined, name: string): Node[] {
  const value = node?.fields.get(name)
  return Array.isArray(value) ? (value as Node[]) : []
}

/** Returns a field that is a word, such as the name of a column or the OID of a function. */
export function wordOf(node: Node | undefined, name: string): string {
  const value = node?.fields.get(name)
  return typeof value === 'string' ? value : ''
}
