import { type Node, nodeOf, nodesOf, type Tree, wordOf } from './node-tree.ts'

/** What is known of the database that queries run on. */
export type Catalog = {
  /** The columns that are never null: the OID of the table, a dot and the number of the column. */
  required: ReadonlySet<string>
  /** Columns that are never null where another one is null, in the same form. */
  presentWithout: ReadonlyMap<string, string>
  /** The queries of views, by the OID of the view. */
  views: ReadonlyMap<string, Node>
  /** The functions, also those behind operators, by OID. Strict ones return null for null. */
  functions: ReadonlyMap<string, { name: string; isStrict: boolean }>
}

/** A query and those around it. */
type Scope = { query: Node; outer: Scope | undefined; facts: Facts }

/** What holds for the rows of a query. */
type Facts = {
  /** The tables that an outer join may fill with nulls, by their index. */
  optional: Set<string>
  /** The columns that a condition requires: the index of the table, a dot and the column's number. */
  present: Set<string>
  /** The columns that a condition requires to be null, in the same form. */
  absent: Set<string>
}

/**
 * Returns a function that says of each column of a query whether it may be null. If not, it is never
 * null; if so, it may still be that the data forbids it. Two things are taken on trust: that the
 * functions listed below are what the lists say, and that the program sends null only for parameters
 * that the statement compares with null or replaces by `coalesce`. Elements of lists are not looked at,
 * nor is JSON.
 */
export function createNullability(catalog: Catalog) {
  /** The columns of queries that are being looked at, which a recursive query asks for again. */
  const pending = new Set<Node>()

  let optionalParameters = new Set<string>()

  return (query: Node): boolean[] => {
    optionalParameters = new Set(findOptionalParameters(query))
    return columnsOf(query).map((_entry, index) => isResultNullable(query, index, undefined))
  }

  function nameOf(node: Node | undefined, field = 'funcid'): string {
    return catalog.functions.get(wordOf(node, field))?.name ?? ''
  }

  function enter(query: Node, outer: Scope | undefined): Scope {
    const facts: Facts = { optional: new Set(), present: new Set(), absent: new Set() }
    collect(nodeOf(query, 'jointree'), facts, false)
    for (const name of facts.present) facts.optional.delete(name.split('.')[0] as string)
    // A statement that changes a column returns what it is afterwards.
    const target = wordOf(query, 'resultRelation')
    for (const entry of nodesOf(query, 'targetList'))
      for (const names of [facts.present, facts.absent])
        if (target !== '0') names.delete(`${target}.${wordOf(entry, 'resno')}`)
    return { query, outer, facts }
  }

  /** Collects what the joins and conditions of a query say about its rows. */
  function collect(join: Node | undefined, facts: Facts, isOptional: boolean): void {
    if (join?.type === 'RANGETBLREF' && isOptional) facts.optional.add(wordOf(join, 'rtindex'))
    if (join?.type === 'FROMEXPR') {
      for (const item of nodesOf(join, 'fromlist')) collect(item, facts, isOptional)
      if (!isOptional) collectPresent(nodeOf(join, 'quals'), facts)
    }
    if (join?.type !== 'JOINEXPR') return
    const kind = joinKinds[Number(wordOf(join, 'jointype'))]
    if (kind !== 'inner' && kind !== 'semi') facts.optional.add(wordOf(join, 'rtindex'))
    collect(nodeOf(join, 'larg'), facts, isOptional || kind === 'right' || kind === 'full')
    collect(nodeOf(join, 'rarg'), facts, isOptional || kind === 'left' || kind === 'full')
    if (kind === 'inner' && !isOptional) collectPresent(nodeOf(join, 'quals'), facts)
  }

  /** Collects the columns that cannot be null where a condition is true. */
  function collectPresent(condition: Node | undefined, facts: Facts): void {
    if (!condition) return
    const { type } = condition
    if (isOwnColumn(condition)) facts.present.add(columnName(condition))
    const isAnd = type === 'BOOLEXPR' && wordOf(condition, 'boolop') === 'and'
    const isNotNull = type === 'NULLTEST' && wordOf(condition, 'nulltesttype') === '1'
    const tested = nodeOf(condition, 'arg')
    if (type === 'NULLTEST' && !isNotNull && isOwnColumn(tested))
      facts.absent.add(columnName(tested))
    if (isAnd || isTotal(condition) || (type === 'SCALARARRAYOPEXPR' && useOr(condition)))
      for (const part of nodesOf(condition, 'args')) collectPresent(part, facts)
    if (isNotNull || type === 'RELABELTYPE') collectPresent(nodeOf(condition, 'arg'), facts)
  }

  function isOwnColumn(node: Node | undefined): node is Node {
    return node?.type === 'VAR' && wordOf(node, 'varlevelsup') === '0'
  }

  function columnName(node: Node): string {
    return `${wordOf(node, 'varno')}.${wordOf(node, 'varattno')}`
  }

  function useOr(condition: Node): boolean {
    return wordOf(condition, 'useOr') === 'true'
  }

  /** Returns whether an operator or function returns null only for null. */
  function isTotal(node: Node): boolean {
    const isOperator = node.type === 'OPEXPR'
    const called = catalog.functions.get(wordOf(node, isOperator ? 'opfuncid' : 'funcid'))
    if (!called?.isStrict) return false
    return isOperator ? !partialOperators.test(called.name) : totalFunctions.has(called.name)
  }

  function isColumnNullable(entry: Node | undefined, scope: Scope): boolean {
    const expression = nodeOf(entry, 'expr')
    if (!entry || !expression) return true
    if (pending.has(entry)) return false
    pending.add(entry)
    try {
      return isNullable(expression, scope)
    } finally {
      pending.delete(entry)
    }
  }

  function isNullable(node: Node | undefined, scope: Scope): boolean {
    if (!node) return true
    const any = (name = 'args') => nodesOf(node, name).some((one) => isNullable(one, scope))
    const all = (name = 'args') => nodesOf(node, name).every((one) => isNullable(one, scope))
    switch (node.type) {
      case 'VAR':
        return isVariableNullable(node, scope)
      // The program says with `is null` or `coalesce` which of its values may be null.
      case 'PARAM':
        return optionalParameters.has(wordOf(node, 'paramid'))
      case 'CONST':
        return wordOf(node, 'constisnull') === 'true'
      case 'FUNCEXPR':
        return isTotal(node) ? any() : !constructors.has(nameOf(node))
      case 'OPEXPR':
        if (constructors.has(nameOf(node, 'opfuncid'))) return false
        return !isTotal(node) || any()
      case 'SCALARARRAYOPEXPR':
      case 'BOOLEXPR':
        return any()
      case 'COALESCEEXPR':
      case 'MINMAXEXPR':
        return all()
      case 'CASEEXPR':
        return (
          isNullable(nodeOf(node, 'defresult'), scope) ||
          nodesOf(node, 'args').some((one) => isNullable(nodeOf(one, 'result'), scope))
        )
      case 'NULLTEST':
      case 'BOOLEANTEST':
      case 'DISTINCTEXPR':
      case 'ARRAY':
      case 'ROW':
      case 'SQLVALUEFUNCTION':
      case 'JSONCONSTRUCTOREXPR':
        return false
      case 'RELABELTYPE':
      case 'COERCEVIAIO':
      case 'ARRAYCOERCEEXPR':
      case 'COLLATE':
        return isNullable(nodeOf(node, 'arg'), scope)
      case 'AGGREF':
        return isAggregateNullable(node, scope)
      case 'WINDOWFUNC':
        return !countingFunctions.has(nameOf(node, 'winfnoid'))
      case 'SUBLINK':
        return isSublinkNullable(node, scope)
      default:
        return true
    }
  }

  function isVariableNullable(node: Node, scope: Scope): boolean {
    const table = wordOf(node, 'varno')
    const column = wordOf(node, 'varattno')
    const owner = ancestor(scope, Number(wordOf(node, 'varlevelsup')))
    if (!owner || owner.facts.optional.has(table)) return true
    if (owner.facts.present.has(`${table}.${column}`)) return false
    const entry = nodesOf(owner.query, 'rtable')[Number(table) - 1]
    const index = Number(column) - 1
    switch (tableKinds[Number(wordOf(entry, 'rtekind'))]) {
      case 'relation': {
        const view = catalog.views.get(wordOf(entry, 'relid'))
        if (view) return isResultNullable(view, index, undefined)
        const relation = wordOf(entry, 'relid')
        const without = catalog.presentWithout.get(`${relation}.${column}`)
        if (without && owner.facts.absent.has(`${table}.${without.split('.')[1]}`)) return false
        return index >= 0 && !catalog.required.has(`${relation}.${column}`)
      }
      case 'subquery':
        return isResultNullable(nodeOf(entry, 'subquery'), index, owner)
      case 'join':
        return isNullable(nodesOf(entry, 'joinaliasvars')[index], owner)
      case 'group':
        if (nodesOf(owner.query, 'groupingSets').length > 0) return true
        return isNullable(nodesOf(entry, 'groupexprs')[index], owner)
      case 'values': {
        const rows = entry?.fields.get('values_lists') as Node[][]
        return rows.some((row) => isNullable(row[index], owner))
      }
      case 'function':
        return isFunctionColumnNullable(entry, index)
      case 'cte': {
        const home = ancestor(owner, Number(wordOf(entry, 'ctelevelsup')))
        const found = nodesOf(home?.query, 'cteList').find(
          (one) => wordOf(one, 'ctename') === wordOf(entry, 'ctename'),
        )
        return isResultNullable(nodeOf(found, 'ctequery'), index, home)
      }
      default:
        return true
    }
  }

  /** Returns whether a column of a query inside another may be null. */
  function isResultNullable(query: Node | undefined, index: number, outer?: Scope): boolean {
    if (!query) return true
    const branches = nodeOf(query, 'setOperations')
    const scope = enter(query, outer)
    if (branches)
      return leaves(branches).some((table) => {
        const entry = nodesOf(query, 'rtable')[Number(table) - 1]
        return isResultNullable(nodeOf(entry, 'subquery'), index, scope)
      })
    return isColumnNullable(columnsOf(query)[index], scope)
  }

  /** Generated numbers, and the position of a row, are never null. */
  function isFunctionColumnNullable(entry: Node | undefined, index: number): boolean {
    const [call, ...more] = nodesOf(entry, 'functions')
    const hasPosition = wordOf(entry, 'funcordinality') === 'true'
    const names = nodesOf(nodeOf(entry, 'eref'), 'colnames')
    if (hasPosition && index === names.length - 1) return false
    // The items of a batch have an index (src/database/batched-query.ts).
    if (String(names[index]) === '"index"') return false
    return more.length > 0 || !setFunctions.has(nameOf(nodeOf(call, 'funcexpr')))
  }

  function isAggregateNullable(node: Node, scope: Scope): boolean {
    const name = nameOf(node, 'aggfnoid')
    if (countingFunctions.has(name)) return false
    const isGrouped = nodesOf(scope.query, 'groupClause').length > 0
    const isFiltered = nodeOf(node, 'aggfilter') !== undefined
    if (!isGrouped || isFiltered || nodesOf(scope.query, 'groupingSets').length > 0) return true
    // Lists of nulls are lists.
    if (collectingFunctions.has(name)) return false
    return nodesOf(node, 'args').some((one) => isNullable(nodeOf(one, 'expr'), scope))
  }

  function isSublinkNullable(node: Node, scope: Scope): boolean {
    const kind = sublinkKinds[Number(wordOf(node, 'subLinkType'))]
    if (kind === 'exists' || kind === 'array') return false
    const query = nodeOf(node, 'subselect')
    if (kind !== 'expression' || !query) return true
    // Without GROUP BY, an aggregate returns exactly one row.
    const isOneRow =
      wordOf(query, 'hasAggs') === 'true' &&
      nodesOf(query, 'groupClause').length === 0 &&
      !nodeOf(query, 'havingQual') &&
      !nodeOf(query, 'limitCount') &&
      !nodeOf(query, 'limitOffset')
    return !isOneRow || isResultNullable(query, 0, scope)
  }
}

/** Returns the parameters that a query compares with null, or replaces if they are null. */
function findOptionalParameters(tree: Tree): string[] {
  if (Array.isArray(tree)) return tree.flatMap(findOptionalParameters)
  if (typeof tree !== 'object') return []
  const within = [...tree.fields.values()].flatMap(findOptionalParameters)
  if (!testsOfNull.has(tree.type)) return within
  const tested = [nodeOf(tree, 'arg'), ...nodesOf(tree, 'args')]
  const parameters = tested.filter((node) => node?.type === 'PARAM')
  return [...within, ...parameters.map((node) => wordOf(node, 'paramid'))]
}

/** The columns that a query returns. */
function columnsOf(query: Node): Node[] {
  const isSelect = wordOf(query, 'commandType') === '1'
  return nodesOf(query, isSelect ? 'targetList' : 'returningList').filter(
    (entry) => wordOf(entry, 'resjunk') !== 'true',
  )
}

function ancestor(scope: Scope | undefined, levels: number): Scope | undefined {
  return levels === 0 ? scope : ancestor(scope?.outer, levels - 1)
}

/** The tables that a `union` puts together. */
function leaves(node: Node | undefined): string[] {
  if (!node) return []
  if (node.type === 'RANGETBLREF') return [wordOf(node, 'rtindex')]
  return [...leaves(nodeOf(node, 'larg')), ...leaves(nodeOf(node, 'rarg'))]
}

const joinKinds = ['inner', 'left', 'full', 'right', 'semi']
const tableKinds = [
  'relation',
  'subquery',
  'join',
  'function',
  'tablefunc',
  'values',
  'cte',
  'ephemeral',
  'result',
  'group',
]
const testsOfNull = new Set(['NULLTEST', 'COALESCEEXPR', 'COALESCE', 'NULLIFEXPR', 'DISTINCTEXPR'])
const sublinkKinds = ['exists', 'all', 'any', 'row', 'expression', 'multiple', 'array']

/** Functions behind operators that can return null for what is not null: members of JSON. */
const partialOperators = /^jsonb?_(object_field|array_element|extract_path)/

const countingFunctions = new Set(['count', 'row_number', 'rank', 'dense_rank'])
const collectingFunctions = new Set(['array_agg', 'json_agg', 'jsonb_agg', 'jsonb_object_agg'])
const setFunctions = new Set(['generate_series'])

/** Functions that return null only if an argument is null. */
const totalFunctions = new Set([
  'array_to_json',
  'extract',
  'float8',
  'hashtext',
  'host',
  'int4',
  'int8',
  'ltrim',
  'numeric',
  'pg_snapshot_xmin',
  'pg_try_advisory_xact_lock',
  'timezone',
  'to_char',
])

/** Functions that never return null. */
const constructors = new Set([
  'array_append',
  'count_resources_for_quota',
  'json_build_object',
  'read_workspace_count',
  'statement_timestamp',
  'sweep_resources',
  'sweep_tree',
])
