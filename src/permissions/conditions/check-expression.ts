import { CelScalar, type CelType, listType, mapType } from '@bufbuild/cel'
import type { Expr, Expr_Call, ParsedExpr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { nearestNames } from '../../core/nearest-names.ts'
import { findFunctions, isFunctionName } from './functions.ts'
import { selectedPath } from './path.ts'
import { ExpressionError, positionOfNode } from './problem.ts'
import { typeNames } from './program.ts'
import { declaredFields, isVariableName, type VariableName, variableTypes } from './variables.ts'

const { BOOL, DYN, INT } = CelScalar

const maxNestedComprehensions = 2
const refusedMacros = ['map', 'filter']

/** What an expression reads. */
export type Reads = {
  variables: ReadonlySet<VariableName>
  /** The names of the attributes, or `all` if the expression does not name them. */
  attributes: ReadonlySet<string> | 'all'
  /** Whether the expression names `subject.guest`, or reads `subject` without naming a field. */
  guest: boolean
  /** The names of the parameters that are regular expressions. */
  patterns: ReadonlySet<string>
}

/**
 * Checks what a parser does not: names, functions, comprehensions and the type of the result.
 * Returns what the expression reads. Throws an ExpressionError.
 */
export function checkExpression(
  expression: string,
  parsed: ParsedExpr,
  parameters: ReadonlyMap<string, CelType>,
): Reads {
  const variables = new Set<VariableName>()
  const attributes = new Set<string>()
  const patterns = new Set<string>()
  let readsAllAttributes = false
  let readsGuest = false
  const fields = declaredFields(parameters)
  const root = parsed.expr as Expr

  const refuse = (node: Expr, message: string): never => {
    throw new ExpressionError(message, positionOfNode(expression, parsed, node.id))
  }

  /** Returns the type of a node; `locals` are the types of variables of comprehensions. */
  const check = (node: Expr, locals: ReadonlySet<string>, depth: number): CelType => {
    const { exprKind: kind } = node
    switch (kind.case) {
      case 'constExpr':
        return typeOfConstant(kind.value.constantKind.case)
      case 'identExpr':
        return checkVariable(node, kind.value.name, locals)
      case 'selectExpr': {
        const type = checkPath(node, locals) ?? checkPart(kind.value.operand, locals, depth)
        return kind.value.testOnly ? BOOL : type
      }
      case 'callExpr':
        return checkPath(node, locals) ?? checkCall(node, kind.value, locals, depth)
      case 'listExpr':
        for (const element of kind.value.elements) check(element, locals, depth)
        return listType(DYN)
      case 'structExpr':
        if (kind.value.messageName !== '') refuse(node, `unknown type ${kind.value.messageName}`)
        for (const { keyKind, value } of kind.value.entries) {
          check(keyKind.value as Expr, locals, depth)
          check(value as Expr, locals, depth)
        }
        return mapType(DYN, DYN)
      case 'comprehensionExpr': {
        const { iterVar, accuVar, iterRange, loopStep, result } = kind.value
        const macro = parsed.sourceInfo?.macroCalls[node.id.toString()]?.exprKind
        if (macro?.case === 'callExpr' && refusedMacros.includes(macro.value.function))
          refuse(node, `${macro.value.function}() is not available`)
        if (depth === maxNestedComprehensions)
          refuse(node, `at most ${maxNestedComprehensions} comprehensions can be nested`)
        check(iterRange as Expr, locals, depth + 1)
        const inner = new Set([...locals, iterVar, accuVar])
        check(loopStep as Expr, inner, depth + 1)
        check(result as Expr, inner, depth + 1)
        return BOOL
      }
      default:
        return refuse(node, 'a part of the expression is empty')
    }
  }

  const checkPart = (operand: Expr | undefined, locals: ReadonlySet<string>, depth: number) => {
    check(operand as Expr, locals, depth)
    return DYN
  }

  const checkVariable = (node: Expr, name: string, locals: ReadonlySet<string>): CelType => {
    if (locals.has(name)) return DYN
    if (!isVariableName(name)) {
      if (Object.hasOwn(typeNames, name)) return CelScalar.TYPE
      return refuse(node, describeUnknown('variable', name, Object.keys(variableTypes)))
    }
    variables.add(name)
    if (name === 'resource') readsAllAttributes = true
    if (name === 'subject') readsGuest = true
    return variableTypes[name]
  }

  /** Checks a selection that begins with a variable. Undefined for every other expression. */
  const checkPath = (node: Expr, locals: ReadonlySet<string>): CelType | undefined => {
    const path = selectedPath(node)
    if (path?.first === undefined || locals.has(path.variable)) return undefined
    const { variable, first, second } = path
    if (!isVariableName(variable)) return undefined
    variables.add(variable)
    const declared = fields[variable]
    if (!declared) return DYN
    const type = declared.get(first)
    if (!type) {
      const kind = variable === 'params' ? 'parameter' : `field of ${variable}`
      return refuse(node, describeUnknown(kind, first, [...declared.keys()]))
    }
    if (variable === 'subject' && first === 'guest') readsGuest = true
    if (variable === 'resource' && first === 'attributes') {
      if (second === undefined) readsAllAttributes = true
      else attributes.add(second)
    }
    return path.length === 1 ? type : DYN
  }

  const checkCall = (
    node: Expr,
    { function: name, target, args }: Expr_Call,
    locals: ReadonlySet<string>,
    depth: number,
  ): CelType => {
    const receiver = target && checkTarget(node, name, target, locals, depth)
    if (!isOperator(name) && findFunctions(name, target !== undefined, args.length).length === 0)
      refuse(node, describeCall(name))
    const types = args.map((arg) => check(arg, locals, depth))
    if (name === 'matches') checkPattern(args.at(-1) as Expr, locals)
    if (name === '_&&_' || name === '_||_' || name === '@not_strictly_false') return BOOL
    if (name === '_[_]') return DYN
    if (name === '_?_:_') return isSameType(types[1], types[2]) ? (types[1] as CelType) : DYN
    return resultType(name, receiver, types)
  }

  const checkPattern = (pattern: Expr, locals: ReadonlySet<string>) => {
    const path = selectedPath(pattern)
    if (path?.variable !== 'params' || path.first === undefined || locals.has('params')) return
    patterns.add(path.first)
  }

  /** An unknown function is a better message than the unknown variables of its macro. */
  const checkTarget = (
    node: Expr,
    name: string,
    target: Expr,
    locals: ReadonlySet<string>,
    depth: number,
  ): CelType => {
    if (!isFunctionName(name)) refuse(node, describeCall(name))
    return check(target, locals, depth)
  }

  const type = check(root, new Set(), 0)
  if (type.name !== 'bool' && type.name !== 'dyn')
    refuse(root, `the result must be a bool, not ${describeType(type)}`)
  const read = readsAllAttributes ? 'all' : attributes
  return { variables, attributes: read, guest: readsGuest, patterns }
}

const operators = ['_&&_', '_||_', '_?_:_', '_[_]', '@not_strictly_false']

function isOperator(name: string): boolean {
  return operators.includes(name)
}

function resultType(name: string, target: CelType | undefined, types: CelType[]): CelType {
  const fitting = findFunctions(name, target !== undefined, types.length).filter(
    (each) =>
      (target === undefined || fits(target, each.target)) &&
      each.arguments.every((parameter, index) => fits(types[index], parameter)),
  )
  const [first, ...others] = fitting
  return first && others.every(({ result }) => isSameType(result, first.result))
    ? first.result
    : DYN
}

function fits(type: CelType | undefined, parameter: CelType | undefined): boolean {
  return type?.name === 'dyn' || parameter?.name === 'dyn' || isSameType(type, parameter)
}

function isSameType(left: CelType | undefined, right: CelType | undefined): boolean {
  return left?.kind === right?.kind && left?.name === right?.name
}

function typeOfConstant(kind: string | undefined): CelType {
  if (kind === 'boolValue') return BOOL
  if (kind === 'stringValue') return CelScalar.STRING
  if (kind === 'int64Value') return INT
  if (kind === 'uint64Value') return CelScalar.UINT
  if (kind === 'doubleValue') return CelScalar.DOUBLE
  if (kind === 'bytesValue') return CelScalar.BYTES
  return CelScalar.NULL
}

function describeUnknown(kind: string, name: string, names: string[]): string {
  const [nearest] = nearestNames(name, names, 1)
  return `unknown ${kind} '${name}'${nearest ? `; did you mean '${nearest}'?` : ''}`
}

function describeCall(name: string): string {
  if (refusedMacros.includes(name)) return `${name}() is not available`
  if (name === 'has') return 'has() takes a selected field, such as has(context.amount)'
  if (['all', 'exists', 'exists_one'].includes(name))
    return `${name}() takes the name of a variable and an expression`
  return isFunctionName(name)
    ? `${name}() does not take these arguments`
    : `unknown function ${name}()`
}

function describeType({ name }: CelType): string {
  return name.replace('google.protobuf.', '').toLowerCase()
}
