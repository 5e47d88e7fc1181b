import ts from 'typescript-5'

/** A value of an expression: text, a list or an object of values, or a function. */
export type Value =
  | string
  | number
  | boolean
  | undefined
  | Value[]
  | { [name: string]: Value }
  | Closure

type Closure = { node: ts.SignatureDeclaration & { body?: ts.Node }; scope: Scope }

/** The values of parameters and local constants. */
type Scope = Map<ts.Symbol, Value>

/** An expression whose value only a running program has. */
export class NotConstant extends Error {}

/** The number of values of an expression after which the evaluation gives up. */
const maxValues = 64

/** The depth of nested expressions and calls after which the evaluation gives up. */
const maxDepth = 100

/** The number of expressions for one statement after which the evaluation gives up. */
const maxSteps = 300_000

/**
 * Evaluates the expressions of constant texts: literals, templates, constants of modules, lists and
 * objects of them, and calls of functions that return them. An expression with a condition has a
 * value for each of its branches, and a parameter one for each call of its function.
 *
 * @param modules the exports of modules whose constants need not be evaluated, by file
 */
export function createEvaluator(
  checker: ts.TypeChecker,
  callsOf: CallsOf,
  modules: ReadonlyMap<string, Record<string, unknown>>,
) {
  /**
   * Returns the values of an expression, for each call of the function that it is in if they depend on
   * the arguments.
   *
   * @throws NotConstant
   */
  function evaluateInCalls(node: ts.Expression, depth = 2): Value[] {
    try {
      return evaluate(node)
    } catch (error) {
      const callee = ts.findAncestor(node, ts.isFunctionLike)
      const calls = callee ? callsOf(callee) : []
      if (!(error instanceof NotConstant) || calls.length === 0 || depth === 0) throw error
      return limit(
        calls.flatMap((call) => {
          const args = call.arguments.map((argument) =>
            evaluateOrUnknown(argument, new Map(), depth - 1),
          )
          return combine(args).flatMap((values) => {
            const scope: Scope = new Map()
            bindParameters(callee?.parameters ?? [], values as Value[], scope)
            return evaluate(node, scope)
          })
        }),
      )
    }
  }

  const constants = new Map<ts.Node, Value[] | NotConstant>()
  let depth = 0
  let steps = 0

  /** @throws NotConstant */
  function evaluate(node: ts.Expression, scope: Scope = new Map()): Value[] {
    if (depth === maxDepth) throw new NotConstant('is recursive')
    if (steps === maxSteps) throw new NotConstant('takes too long')
    depth += 1
    steps += 1
    try {
      return evaluateNode(node, scope)
    } finally {
      depth -= 1
    }
  }

  function evaluateNode(node: ts.Expression, scope: Scope): Value[] {
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isNumericLiteral(node)) return [Number(node.text)]
    if (node.kind === ts.SyntaxKind.NullKeyword) return [undefined]
    if (node.kind === ts.SyntaxKind.TrueKeyword) return [true]
    if (node.kind === ts.SyntaxKind.FalseKeyword) return [false]
    if (ts.isTemplateExpression(node)) return evaluateTemplate(node, scope)
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node)
    )
      return evaluate(node.expression, scope)
    if (ts.isNonNullExpression(node)) return evaluate(node.expression, scope)
    if (ts.isIdentifier(node)) return evaluateIdentifier(node, scope)
    if (ts.isConditionalExpression(node))
      return limit([...evaluate(node.whenTrue, scope), ...evaluate(node.whenFalse, scope)])
    if (ts.isArrayLiteralExpression(node)) return evaluateArray(node, scope)
    if (ts.isObjectLiteralExpression(node)) return evaluateObject(node, scope)
    if (ts.isPropertyAccessExpression(node)) {
      const symbol = checker.getSymbolAtLocation(node.expression)
      // import * as
      const isModule = symbol?.declarations?.some(ts.isNamespaceImport)
      if (node.name.text === 'length')
        return evaluateOrUnknown(node.expression, scope).map(lengthOf)
      if (isModule) return evaluateIdentifier(node.name as ts.Identifier, scope)
      return evaluate(node.expression, scope).map((value) => member(value, node.name.text, node))
    }
    if (ts.isElementAccessExpression(node)) return evaluateElement(node, scope)
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return [{ node, scope }]
    if (ts.isBinaryExpression(node)) return evaluateBinary(node, scope)
    if (ts.isCallExpression(node)) return evaluateCall(node, scope)
    throw notConstant(node)
  }

  function evaluateTemplate(node: ts.TemplateExpression, scope: Scope): Value[] {
    const parts = combine(node.templateSpans.map(({ expression }) => evaluate(expression, scope)))
    return parts.map((values) =>
      node.templateSpans.reduce(
        (text, { literal }, index) =>
          text + toText((values as Value[])[index], node) + literal.text,
        node.head.text,
      ),
    )
  }

  function evaluateIdentifier(node: ts.Identifier, scope: Scope): Value[] {
    if (node.text === 'undefined') return [undefined]
    const found = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node)
    const symbol =
      found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    if (!symbol) throw notConstant(node)
    if (scope.has(symbol)) return [scope.get(symbol)]
    const declaration = symbol.valueDeclaration
    if (!declaration) throw notConstant(node)
    const exported = modules.get(declaration.getSourceFile().fileName)?.[symbol.name]
    if (exported !== undefined && typeof exported !== 'function') return [exported as Value]
    if (ts.isVariableDeclaration(declaration) && declaration.initializer) {
      if (!(declaration.parent.flags & ts.NodeFlags.Const)) throw notConstant(node)
      const isOfModule = ts.isSourceFile(declaration.parent.parent.parent)
      return isOfModule
        ? evaluateConstant(declaration.initializer)
        : evaluate(declaration.initializer, scope)
    }
    if (ts.isVariableDeclaration(declaration)) return evaluateItems(declaration, scope)
    if (ts.isFunctionDeclaration(declaration)) return [{ node: declaration, scope }]
    if (ts.isBindingElement(declaration)) return evaluateBinding(declaration, scope)
    throw notConstant(node)
  }

  /** Evaluates a constant of a module once. */
  function evaluateConstant(node: ts.Expression): Value[] {
    const known = constants.get(node)
    if (known instanceof NotConstant) throw known
    if (known) return known
    try {
      const values = evaluate(node)
      constants.set(node, values)
      return values
    } catch (error) {
      if (error instanceof NotConstant) constants.set(node, error)
      throw error
    }
  }

  /** Returns the items over which a loop runs. */
  function evaluateItems(declaration: ts.VariableDeclaration, scope: Scope): Value[] {
    const loop = declaration.parent.parent
    if (!ts.isForOfStatement(loop)) throw notConstant(declaration)
    return limit(evaluate(loop.expression, scope).flatMap((items) => items as Value[]))
  }

  /** Returns a part of what a declaration takes apart. */
  function evaluateBinding(element: ts.BindingElement, scope: Scope): Value[] {
    const { parent } = element.parent
    if (!ts.isVariableDeclaration(parent)) throw notConstant(element)
    const whole = parent.initializer
      ? evaluate(parent.initializer, scope)
      : evaluateItems(parent, scope)
    return limit(whole.map((value) => member(value, keyOf(element), element)))
  }

  function evaluateArray(node: ts.ArrayLiteralExpression, scope: Scope): Value[] {
    const parts = node.elements.map((one) =>
      ts.isSpreadElement(one)
        ? evaluate(one.expression, scope)
        : evaluateOrUnknown(one, scope).map((value) => [value]),
    )
    return combine(parts).map((lists) => (lists as Value[][]).flat())
  }

  function evaluateObject(node: ts.ObjectLiteralExpression, scope: Scope): Value[] {
    const parts = combine(
      node.properties.map((property) => {
        if (ts.isShorthandPropertyAssignment(property)) return evaluate(property.name, scope)
        if (ts.isPropertyAssignment(property)) return evaluateOrUnknown(property.initializer, scope)
        if (ts.isSpreadAssignment(property)) return evaluate(property.expression, scope)
        if (ts.isMethodDeclaration(property)) return [{ node: property, scope } as Closure]
        throw notConstant(property)
      }),
    )
    return parts.map((values) => {
      const entries = node.properties.map((property, index): Value => {
        const value = (values as Value[])[index]
        return ts.isSpreadAssignment(property)
          ? value
          : { [(property.name as ts.Identifier).text]: value }
      })
      return Object.assign({}, ...entries)
    })
  }

  function evaluateElement(node: ts.ElementAccessExpression, scope: Scope): Value[] {
    const objects = evaluate(node.expression, scope)
    let keys: Value[]
    try {
      keys = evaluate(node.argumentExpression, scope)
    } catch {
      // Any member: one that depends on the call.
      return limit(objects.flatMap((value) => Object.values(value as Record<string, Value>)))
    }
    return limit(objects.flatMap((value) => keys.map((key) => member(value, String(key), node))))
  }

  function evaluateBinary(node: ts.BinaryExpression, scope: Scope): Value[] {
    const operator = node.operatorToken.kind
    if (operator === ts.SyntaxKind.PlusToken)
      return combine([evaluate(node.left, scope), evaluate(node.right, scope)]).map((pair) => {
        const [left, right] = pair as Value[]
        return typeof left === 'number' && typeof right === 'number'
          ? left + right
          : toText(left, node) + toText(right, node)
      })
    if (operator === ts.SyntaxKind.QuestionQuestionToken || operator === ts.SyntaxKind.BarBarToken)
      return limit([...evaluate(node.left, scope), ...evaluate(node.right, scope)]).filter(
        (value) => value !== undefined,
      )
    const calculate = arithmetic[operator]
    if (calculate)
      return combine([evaluate(node.left, scope), evaluate(node.right, scope)]).map((pair) => {
        const [left, right] = pair as number[]
        return calculate(Number(left), Number(right))
      })
    throw notConstant(node)
  }

  function evaluateCall(node: ts.CallExpression, scope: Scope): Value[] {
    const { expression: callee } = node
    // The conditions of a filter (src/database/filters.ts) do not change the columns.
    if (/\bwhere$/.test(callee.getText())) return ['']
    if (ts.isPropertyAccessExpression(callee)) {
      const method = methods[callee.name.text]
      if (callee.getText() === 'Object.entries')
        return evaluate(node.arguments[0] as ts.Expression, scope).map((object) =>
          Object.entries(object as Record<string, Value>),
        )
      if (method) {
        return limit(
          evaluate(callee.expression, scope).flatMap((value) => {
            const args = combine(node.arguments.map((argument) => evaluate(argument, scope)))
            return args.flatMap((values) => method(value, values as Value[], call, node))
          }),
        )
      }
    }
    const exported = findExported(callee)
    return limit(
      evaluate(callee, scope).flatMap((value) =>
        combine(node.arguments.map((argument) => evaluateOrUnknown(argument, scope))).flatMap(
          (parts) => {
            const args = parts as Value[]
            return exported && args.every((arg) => typeof arg === 'string')
              ? [exported(...args)]
              : call(value, args, node)
          },
        ),
      ),
    )
  }

  /** Returns a function of a module that makes a text of texts, which can be called as it is. */
  function findExported(callee: ts.Expression): ((...texts: string[]) => string) | undefined {
    const found = checker.getSymbolAtLocation(callee)
    const symbol =
      found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    const declaration = symbol?.valueDeclaration
    if (!symbol || !declaration || !ts.isFunctionDeclaration(declaration)) return undefined
    if (declaration.type?.kind !== ts.SyntaxKind.StringKeyword) return undefined
    const exported = modules.get(declaration.getSourceFile().fileName)?.[symbol.name]
    return exported as ((...texts: string[]) => string) | undefined
  }

  /** An argument that the result may not depend on. */
  function evaluateOrUnknown(node: ts.Expression, scope: Scope, depth = 0): Value[] {
    try {
      return depth > 0 ? evaluateInCalls(node, depth) : evaluate(node, scope)
    } catch (error) {
      if (error instanceof NotConstant) return [unknown]
      throw error
    }
  }

  function call(value: Value, args: Value[], node: ts.Node): Value[] {
    if (!isClosure(value) || !value.node.body) throw notConstant(node)
    const { parameters, body } = value.node
    const scope: Scope = new Map(value.scope)
    bindParameters(parameters, args, scope)
    if (!ts.isBlock(body)) return evaluate(body as ts.Expression, scope)
    return run(body, scope)
  }

  function bindParameters(
    parameters: readonly ts.ParameterDeclaration[],
    args: Value[],
    scope: Scope,
  ): void {
    parameters.forEach(({ name, initializer, dotDotDotToken }, index) => {
      bind(name, dotDotDotToken ? args.slice(index) : args[index], scope, initializer)
    })
  }

  function bind(
    name: ts.BindingName,
    value: Value,
    scope: Scope,
    initializer?: ts.Expression,
  ): void {
    const actual = value === undefined && initializer ? evaluate(initializer, scope)[0] : value
    if (ts.isIdentifier(name)) {
      const symbol = checker.getSymbolAtLocation(name)
      if (symbol) scope.set(symbol, actual)
      return
    }
    if (actual === unknown) return
    for (const element of name.elements) {
      if (ts.isOmittedExpression(element)) continue
      const part = (actual as Record<string, Value> | undefined)?.[keyOf(element)]
      bind(element.name, part, scope, element.initializer)
    }
  }

  /** Returns what the `return` statements of a block return. */
  function run(block: ts.Block, scope: Scope): Value[] {
    const results: Value[] = []
    for (const statement of block.statements) {
      if (ts.isReturnStatement(statement) && statement.expression) {
        results.push(...evaluate(statement.expression, scope))
        break
      }
      if (ts.isIfStatement(statement)) {
        const { thenStatement } = statement
        if (ts.isReturnStatement(thenStatement) && thenStatement.expression)
          results.push(...evaluate(thenStatement.expression, scope))
        else if (ts.isBlock(thenStatement)) results.push(...run(thenStatement, scope))
      }
    }
    return limit(results)
  }

  return (node: ts.Expression): Value[] => {
    steps = 0
    return evaluateInCalls(node)
  }
}

/** Finds the calls of a function. */
export type CallsOf = (declaration: ts.SignatureDeclaration) => ts.CallExpression[]

/** A value that is not constant, and that no text may contain. */
const unknown = { unknown: true } as Value

const isClosure = (value: Value): value is Closure =>
  typeof value === 'object' && !Array.isArray(value) && 'node' in value && 'scope' in value

const arithmetic: Partial<Record<ts.SyntaxKind, (left: number, right: number) => number>> = {
  [ts.SyntaxKind.AsteriskToken]: (left, right) => left * right,
  [ts.SyntaxKind.MinusToken]: (left, right) => left - right,
  [ts.SyntaxKind.LessThanLessThanToken]: (left, right) => left << right,
  [ts.SyntaxKind.BarToken]: (left, right) => left | right,
  [ts.SyntaxKind.AmpersandToken]: (left, right) => left & right,
}

type Call = (value: Value, args: Value[], node: ts.Node) => Value[]
type Method = (value: Value, args: Value[], call: Call, node: ts.Node) => Value[]

const onList =
  (run: (list: Value[], args: Value[], call: Call, node: ts.Node) => Value[]): Method =>
  (value, args, call, node) => {
    if (!Array.isArray(value)) throw notConstant(node)
    return run(value, args, call, node)
  }

const methods: Record<string, Method> = {
  join: onList((list, [separator], _call, node) => [
    list.map((one) => toText(one, node)).join(String(separator ?? ',')),
  ]),
  map: onList((list, [mapper], call, node) =>
    combine(list.map((one, index) => call(mapper, [one, index], node))),
  ),
  trim: (value) => [String(value).trim()],
  replaceAll: (value, [from, to]) => [String(value).replaceAll(String(from), String(to))],
  replace: (value, [from, to]) => [String(value).replace(String(from), String(to))],
}

/** Returns the index or the name of the part that an element of a pattern takes. */
function keyOf(element: ts.BindingElement): string {
  const { parent, propertyName, name } = element
  return ts.isArrayBindingPattern(parent)
    ? String(parent.elements.indexOf(element))
    : ((propertyName ?? name) as ts.Identifier).text
}

/** The number of parameters of a filter does not change the columns. */
function lengthOf(value: Value): number {
  return Array.isArray(value) || typeof value === 'string' ? value.length : 0
}

function member(value: Value, name: string, node: ts.Node): Value {
  if (value === unknown || typeof value !== 'object' || isClosure(value)) throw notConstant(node)
  return (value as Record<string, Value>)[name]
}

function toText(value: Value, node: ts.Node): string {
  if (typeof value === 'object') throw notConstant(node)
  return String(value)
}

/** Returns each combination of values. */
function combine(parts: Value[][]): Value[] {
  return parts.reduce<Value[][]>(
    (lists, values) =>
      limit(lists.flatMap((list) => values.map((value) => [...list, value]))) as Value[][],
    [[]],
  )
}

function limit(values: Value[]): Value[] {
  const unique = values.filter(
    (value, index) => typeof value === 'object' || values.indexOf(value) === index,
  )
  if (unique.length > maxValues) throw new NotConstant('has too many values')
  return unique
}

function notConstant(node: ts.Node): NotConstant {
  return new NotConstant(`${node.getText().slice(0, 60)} is not constant`)
}
