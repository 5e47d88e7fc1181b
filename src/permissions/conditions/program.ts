import {
  CelScalar,
  type CelValue,
  celList,
  celMap,
  celUint,
  isCelList,
  isCelMap,
  listType,
  mapType,
} from '@bufbuild/cel'
import type {
  Constant,
  Expr,
  Expr_Call,
  Expr_Comprehension,
  Expr_CreateList,
  Expr_CreateStruct,
} from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { planCall } from './calls.ts'
import { toKey } from './equality.ts'
import { createFailure, type Failure, isFailure, mergeFailures } from './failure.ts'
import { findMember, noSuchKey } from './members.ts'
import { constantKey, selectedPath } from './path.ts'
import { takeOperations, takeSteps, type Work } from './work.ts'

export type Result = CelValue | Failure

/** What an evaluation reads. */
export type Frame = {
  work: Work
  variables: Readonly<Record<string, CelValue>>
  /** The variables of comprehensions, by slot. */
  locals: Result[]
}

/** A compiled part of an expression. */
export type Program = (frame: Frame) => Result

/** The slots of the variables of the comprehensions around a part of an expression. */
export type Scope = ReadonlyMap<string, number>

/** Compiles an expression that `checkExpression` has accepted. */
export function compileProgram(expression: Expr, scope: Scope = new Map()): Program {
  const { exprKind: kind } = expression
  switch (kind.case) {
    case 'constExpr': {
      const constant = toValue(kind.value)
      return () => constant
    }
    case 'identExpr':
      return compileIdentifier(kind.value.name, scope)
    case 'selectExpr': {
      const operand = compileProgram(kind.value.operand as Expr, scope)
      if (kind.value.testOnly) return compileHas(operand, kind.value.field)
      const { field } = kind.value
      return compileAccess(expression, operand, () => field)
    }
    case 'callExpr':
      return compileCall(expression, kind.value, scope)
    case 'listExpr':
      return compileList(kind.value, scope)
    case 'structExpr':
      return compileMap(kind.value, scope)
    case 'comprehensionExpr':
      return compileComprehension(kind.value, scope)
    default:
      throw new Error('The expression has an empty part')
  }
}

function toValue({ constantKind: kind }: Constant): CelValue {
  if (kind.case === 'uint64Value') return celUint(kind.value)
  if (kind.case === 'nullValue') return null
  return kind.value as CelValue
}

export const typeNames: Readonly<Record<string, CelValue>> = {
  bool: CelScalar.BOOL,
  bytes: CelScalar.BYTES,
  double: CelScalar.DOUBLE,
  int: CelScalar.INT,
  list: listType(CelScalar.DYN),
  map: mapType(CelScalar.DYN, CelScalar.DYN),
  null_type: CelScalar.NULL,
  string: CelScalar.STRING,
  type: CelScalar.TYPE,
  uint: CelScalar.UINT,
}

function compileIdentifier(name: string, scope: Scope): Program {
  const slot = scope.get(name)
  if (slot !== undefined) return ({ locals }) => locals[slot] as Result
  const type = typeNames[name]
  if (type !== undefined) return () => type
  return ({ variables }) => variables[name] as CelValue
}

function compileHas(operand: Program, field: string): Program {
  return (frame) => {
    takeOperations(frame.work, 1)
    const value = operand(frame)
    if (isFailure(value)) return value
    if (!isCelMap(value)) return createFailure(`has(): the value has no fields such as '${field}'`)
    return value.get(field) !== undefined
  }
}

/** Compiles `operand.field` and `operand[key]`. */
function compileAccess(expression: Expr, operand: Program, key: Program): Program {
  const path = selectedPath(expression)
  return (frame) => {
    takeOperations(frame.work, 1)
    const value = operand(frame)
    // The path of the whole selection is more useful than the path of its first missing part.
    if (isFailure(value)) return path && value.missing.length > 0 ? noSuchKey(path) : value
    const name = key(frame)
    if (isFailure(name)) return name
    const member = findMember(frame.work, value, name)
    return member === undefined ? noSuchKey(path) : member
  }
}

function compileCall(expression: Expr, call: Expr_Call, scope: Scope): Program {
  const args = call.args.map((arg) => compileProgram(arg, scope))
  switch (call.function) {
    case '_&&_':
      return compileLogic(args, false)
    case '_||_':
      return compileLogic(args, true)
    case '_?_:_':
      return compileConditional(args as [Program, Program, Program])
    case '_[_]': {
      const key = constantKey(call.args[1] as Expr)
      const [operand, index] = args as [Program, Program]
      return compileAccess(expression, operand, key === undefined ? index : () => key)
    }
    case '@not_strictly_false': {
      const [argument] = args as [Program]
      return (frame) => argument(frame) !== false
    }
    default: {
      const target = call.target && compileProgram(call.target, scope)
      return compileStrictCall(
        planCall(call.function, target !== undefined, args.length),
        target,
        args,
      )
    }
  }
}

/** Compiles `&&` and `||`. The deciding value wins over failures on either side. */
function compileLogic(args: Program[], deciding: boolean): Program {
  return (frame) => {
    let failure: Failure | undefined
    for (const arg of args) {
      takeOperations(frame.work, 1)
      const value = arg(frame)
      if (value === deciding) return deciding
      if (value === !deciding) continue
      const problem = isFailure(value) ? value : createFailure('&& and || take bools')
      failure = failure ? mergeFailures(failure, problem) : problem
    }
    return failure ?? !deciding
  }
}

function compileConditional([condition, then, otherwise]: [Program, Program, Program]): Program {
  return (frame) => {
    takeOperations(frame.work, 1)
    const value = condition(frame)
    if (value === true) return then(frame)
    if (value === false) return otherwise(frame)
    return isFailure(value) ? value : createFailure('the condition of ?: must be a bool')
  }
}

/** Compiles a call that fails if an argument fails. All are evaluated, so that all are reported. */
function compileStrictCall(
  call: ReturnType<typeof planCall>,
  target: Program | undefined,
  args: Program[],
): Program {
  return (frame) => {
    takeOperations(frame.work, 1 + args.length)
    let failure: Failure | undefined
    const evaluate = (program: Program) => {
      const value = program(frame)
      if (isFailure(value)) failure = failure ? mergeFailures(failure, value) : value
      return value as CelValue
    }
    const receiver = target && evaluate(target)
    const values = args.map(evaluate)
    return failure ?? call(frame.work, receiver, values)
  }
}

function compileList({ elements }: Expr_CreateList, scope: Scope): Program {
  const programs = elements.map((element) => compileProgram(element, scope))
  return (frame) => {
    takeOperations(frame.work, programs.length)
    const values: CelValue[] = []
    for (const program of programs) {
      const value = program(frame)
      if (isFailure(value)) return value
      values.push(value)
    }
    return celList(values)
  }
}

function compileMap({ entries }: Expr_CreateStruct, scope: Scope): Program {
  const programs = entries.map(({ keyKind, value }) => ({
    key: compileProgram(keyKind.value as Expr, scope),
    value: compileProgram(value as Expr, scope),
  }))
  return (frame) => {
    takeOperations(frame.work, 2 * programs.length)
    const map = new Map<string | bigint | boolean, CelValue>()
    for (const program of programs) {
      const name = program.key(frame)
      if (isFailure(name)) return name
      const value = program.value(frame)
      if (isFailure(value)) return value
      const key = typeof name === 'number' ? undefined : toKey(name)
      if (key === undefined || typeof key === 'number')
        return createFailure('the key of a map must be a string, an integer or a bool')
      if (map.has(key)) return createFailure('a key is repeated in a map')
      map.set(key, value)
    }
    return celMap(map)
  }
}

function compileComprehension(comprehension: Expr_Comprehension, scope: Scope): Program {
  const { iterVar, accuVar } = comprehension
  const slot = Math.max(-1, ...scope.values()) + 1
  // The range and the initial value cannot refer to the variables.
  const range = compileProgram(comprehension.iterRange as Expr, scope)
  const initial = compileProgram(comprehension.accuInit as Expr, scope)
  const inner = new Map(scope).set(accuVar, slot).set(iterVar, slot + 1)
  const condition = compileProgram(comprehension.loopCondition as Expr, inner)
  const step = compileProgram(comprehension.loopStep as Expr, inner)
  const result = compileProgram(comprehension.result as Expr, inner)
  return (frame) => {
    const items = range(frame)
    if (isFailure(items)) return items
    if (!isCelList(items) && !isCelMap(items))
      return createFailure('only lists and maps can be iterated')
    frame.locals[slot] = initial(frame)
    for (const item of isCelMap(items) ? items.keys() : items) {
      frame.locals[slot + 1] = item
      if (condition(frame) === false) break
      takeSteps(frame.work, 1)
      frame.locals[slot] = step(frame)
    }
    return result(frame)
  }
}
