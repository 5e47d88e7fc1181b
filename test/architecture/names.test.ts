import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import ts from 'typescript-5'

/** Returns the members of the types in a file, as in `question.ts resourceId`. */
function readMembers(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isPropertySignature(node)) found.push(`${file} ${node.name.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return found
}

test('the types of the engine have no names of the wire or of columns', (t) => {
  const members = globSync('src/permissions/engine/**/*.ts').flatMap(readMembers)
  t.true(members.length > 200, String(members.length))
  t.deepEqual(
    members.filter((member) => /_[a-z]\w*$/.test(member)),
    [],
  )
})
