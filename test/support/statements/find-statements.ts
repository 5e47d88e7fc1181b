import { relative } from 'node:path'
import ts from 'typescript-5'
import { createEvaluator, NotConstant, type Value } from './evaluate.ts'

/** A call that runs SQL. */
export type Statement = {
  /** The file and the function. */
  place: string
  /** The texts of the statement. */
  texts: string[]
  /** Why they are not known. */
  problem?: string
  /** The columns that the type of the rows has; undefined if the code does not read the rows. */
  columns: Column[] | undefined
}

export type Column = { name: string; type: string; kinds: ColumnKind[]; isOptional: boolean }

/** What the code takes a value for. */
export type ColumnKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'date'
  | 'array'
  | 'object'
  | 'null'
  | 'any'

/** A function that runs SQL. */
type Runner = {
  name: string
  file: string
  /** The index of the argument with the SQL. */
  argument: number
  toText(value: Value): Value | undefined
}

const partsOf = (value: Value) => value as { [name: string]: Value }

const runners: Runner[] = [
  { name: 'query', file: 'src/database/query.ts', argument: 1, toText: (value) => value },
  { name: 'rows', file: 'src/database/statement-pool.ts', argument: 1, toText: (value) => value },
  {
    name: 'batched',
    file: 'src/database/batched-query.ts',
    argument: 1,
    toText: (value) => partsOf(value).sql,
  },
  {
    name: 'findPage',
    file: 'src/database/page.ts',
    argument: 2,
    toText(value) {
      const { select, from, orderBy } = partsOf(value)
      return `select ${select} from ${from} order by ${orderBy}`
    },
  },
]

/** Finds the calls that run SQL. */
export async function findStatements(root: string, files: string[]): Promise<Statement[]> {
  const program = openProgram(root, files)
  const checker = program.getTypeChecker()
  const sources = program.getSourceFiles().filter(({ fileName }) => files.includes(fileName))
  const calls = new Map<ts.Node, ts.CallExpression[]>()
  const statements: [call: ts.CallExpression, runner: Runner][] = []
  for (const source of sources)
    visitCalls(source, (call) => {
      const declaration = checker.getResolvedSignature(call)?.declaration
      if (!declaration) return
      calls.set(declaration, [...(calls.get(declaration) ?? []), call])
      const runner = findRunner(declaration)
      if (runner && !source.fileName.endsWith('src/database/page.ts'))
        statements.push([call, runner])
    })
  const modules = new Map<string, Record<string, unknown>>()
  for (const file of files.filter((file) =>
    /\/(permissions\/engine|access-keys\/store)\//.test(file),
  ))
    modules.set(file, await import(file))
  const evaluate = createEvaluator(checker, (declaration) => calls.get(declaration) ?? [], modules)
  return statements.map(([call, runner]) => {
    const source = call.getSourceFile()
    const place = `${relative(root, source.fileName)} ${nameOfFunction(call)}`
    return { place, ...evaluateText(evaluate, call, runner), columns: readColumns(checker, call) }
  })
}

function openProgram(root: string, files: string[]): ts.Program {
  const path = ts.findConfigFile(root, ts.sys.fileExists) ?? ''
  const { config } = ts.readConfigFile(path, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  return ts.createProgram(files, options)
}

function visitCalls(node: ts.Node, visit: (call: ts.CallExpression) => void): void {
  if (ts.isCallExpression(node)) visit(node)
  ts.forEachChild(node, (child) => visitCalls(child, visit))
}

function nameOfFunction(call: ts.CallExpression): string {
  const named = ts.findAncestor(
    call,
    (node) => ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node),
  )
  return named?.name?.getText() ?? ''
}

function findRunner(declaration: ts.SignatureDeclaration | ts.JSDocSignature): Runner | undefined {
  if (ts.isJSDocSignature(declaration)) return undefined
  const { fileName } = declaration.getSourceFile()
  return runners.find(
    ({ name, file }) => declaration.name?.getText() === name && fileName.endsWith(file),
  )
}

function evaluateText(
  evaluate: (node: ts.Expression) => Value[],
  call: ts.CallExpression,
  { argument, toText }: Runner,
): Pick<Statement, 'texts' | 'problem'> {
  try {
    const values = evaluate(call.arguments[argument] as ts.Expression)
    const texts = values.map(toText).filter((text) => typeof text === 'string')
    if (texts.length < values.length) throw new NotConstant('is not a text')
    return { texts }
  } catch (error) {
    if (error instanceof NotConstant) return { texts: [], problem: error.message }
    throw error
  }
}

function readColumns(checker: ts.TypeChecker, call: ts.CallExpression): Column[] | undefined {
  const signature = checker.getResolvedSignature(call)
  const row = signature && rowOf(checker, checker.getReturnTypeOfSignature(signature))
  const unread = ts.TypeFlags.TypeParameter | ts.TypeFlags.NonPrimitive | ts.TypeFlags.Any
  if (!row || row.flags & unread || checker.isArrayType(row)) return undefined
  if (row.isUnion()) throw new Error(`${call.getText()} has rows of several types`)
  if (checker.isTupleType(row)) {
    const { elementFlags } = (row as ts.TypeReference).target as ts.TupleType
    return checker.getTypeArguments(row as ts.TypeReference).map((type, index) => ({
      ...describe('', type),
      isOptional: elementFlags[index] === ts.ElementFlags.Optional,
    }))
  }
  return checker.getPropertiesOfType(row).map((property) => ({
    ...describe(property.name, checker.getTypeOfSymbolAtLocation(property, call)),
    isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
  }))

  function describe(name: string, type: ts.Type): Column {
    const kinds = kindsOf(checker, type)
    return { name, type: checker.typeToString(type), kinds, isOptional: false }
  }
}

/** Returns the type of a row: the last argument in `Promise<Row[]>` or `Promise<Row | undefined>`. */
function rowOf(checker: ts.TypeChecker, promise: ts.Type): ts.Type | undefined {
  const [awaited] = checker.getTypeArguments(promise as ts.TypeReference)
  const items = awaited?.getProperty('items')
  const result = items ? checker.getTypeOfSymbol(items) : awaited
  if (!result) return undefined
  if (checker.isArrayType(result)) return checker.getTypeArguments(result as ts.TypeReference)[0]
  return checker.getNonNullableType(result)
}

function kindsOf(checker: ts.TypeChecker, type: ts.Type): ColumnKind[] {
  if (type.isUnion()) return [...new Set(type.types.flatMap((one) => kindsOf(checker, one)))]
  const { flags } = type
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return ['any']
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return ['null']
  if (flags & ts.TypeFlags.StringLike) return ['string']
  if (flags & ts.TypeFlags.NumberLike) return ['number']
  if (flags & ts.TypeFlags.BooleanLike) return ['boolean']
  if (checker.isArrayLikeType(type)) return ['array']
  if (type.symbol?.name === 'Date') return ['date']
  return ['object']
}
