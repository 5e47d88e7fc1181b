import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const pythonFolder = join(import.meta.dirname, '../../clients/python')

/** The Python interpreter that clients/python/install installs with the tools of the client. */
export const python = join(pythonFolder, '.venv/bin/python')

/** The folder of packages for environments that tests create without network access. */
export const wheels = join(pythonFolder, '.wheels')

/** Whether clients/python/install has completed. */
export const hasPythonPackages = existsSync(python) && existsSync(join(wheels, 'complete'))

/** Runs Python in clients/python. Returns its output and exit status. */
export function runPython(
  args: string[],
  env: Record<string, string> = {},
  cwd = pythonFolder,
): Promise<{ output: string; code: number }> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(python, args, options, (error, stdout, stderr) => {
      resolve({ output: `${stdout}${stderr}`, code: error ? Number(error.code ?? 1) : 0 })
    })
  })
}

/** pip arguments to install packages of clients/python/install without network access. */
export const installArgs = ['install', '--quiet', '--no-index', '--find-links', wheels]

/** Creates an empty environment in a folder. Returns the path of its Python interpreter. */
export async function createEnvironment(folder: string): Promise<string> {
  await runPython(['-m', 'venv', '--without-pip', join(folder, 'venv')])
  return join(folder, 'venv/bin/python')
}

/**
 * Builds the wheel of the client into a folder. Returns environment variables with which pip finds
 * it and its dependencies.
 */
export async function buildWheel(folder: string): Promise<Record<string, string>> {
  const build = ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, pythonFolder]
  const { output, code } = await runPython(build)
  if (code !== 0) throw new Error(output)
  return { PIP_NO_INDEX: '1', PIP_FIND_LINKS: `${wheels} ${folder}` }
}
