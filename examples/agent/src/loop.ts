/** What a model says next: that a tool is to be called, or its answer. */
export type Turn =
  | { role: 'call'; tool: string; args: Record<string, string> }
  | { role: 'answer'; text: string }

export type Message = { role: 'task' | 'result'; text: string } | Turn

/** Continues a conversation. Call the API of your model here. */
export type Model = (messages: readonly Message[]) => Turn | Promise<Turn>

export type Tools = Record<string, (args: Record<string, string>) => Promise<string>>

const maxTurns = 20

/** Lets a model call tools until it has an answer. Returns the conversation. */
export async function runAgent(model: Model, tools: Tools, task: string): Promise<Message[]> {
  const messages: Message[] = [{ role: 'task', text: task }]
  for (let turn = 0; turn < maxTurns; turn++) {
    const next = await model(messages)
    messages.push(next)
    if (next.role === 'answer') return messages
    messages.push({ role: 'result', text: await call(tools, next.tool, next.args) })
  }
  throw new Error(`There is no answer after ${maxTurns} turns`)
}

/** A refused call is a result: the model can go on with what it may do. */
async function call(tools: Tools, name: string, args: Record<string, string>): Promise<string> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!tool) return `There is no tool ${name}.`
  return tool(args)
}
