#!/usr/bin/env node
/**
 * Runs one of the project's tasks, after installing what is missing: `node scripts/run.mjs TASK [ARGS]`.
 * Plain JavaScript without imports from packages, because it runs before there are any.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Integrations need large packages, which stay out of the environment that all other tasks share. */
const INTEGRATIONS = 'test:integrations'
const VENV = join(ROOT, process.argv[2] === INTEGRATIONS ? '.venv-integrations' : '.venv')
const PYTHON = join(VENV, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')

/** The versions that Python packages are held to. */
const PYTHON_LOCK = 'python-client/requirements-dev.lock'

/** What is type-checked, every function of it. */
const PYTHON_SOURCES = [
  ...['src', 'tests', 'benchmarks', 'integrations'].map((folder) => `python-client/${folder}`),
  'examples',
]

const TESTS = {
  python: '[dev]',
  steps: () => [
    [node('vitest/vitest.mjs'), 'run'],
    [PYTHON, '-m', 'pytest', 'python-client/tests'],
  ],
}

/** What each task needs, runs and sets in the environment; ARGS are added to the last command. */
const TASKS = {
  demo: { python: '', steps: () => [[PYTHON, 'examples/demo.py']] },
  test: TESTS,
  'test:full': { ...TESTS, env: { BLOCKLOOM_FULL: '1' } },
  [INTEGRATIONS]: {
    python: '[sb3,dev]',
    steps: () => [[PYTHON, '-m', 'pytest', 'python-client/integrations']],
  },
  examples: {
    python: '[dev]',
    steps: () =>
      readdirSync(join(ROOT, 'examples'))
        .sort()
        .filter((file) => /\.(py|ts)$/.test(file))
        .map((file) => [
          ...(file.endsWith('.py') ? [PYTHON] : [node('tsx/dist/cli.mjs')]),
          `examples/${file}`,
        ]),
  },
  torture: { python: '[dev]', steps: () => [[node('tsx/dist/cli.mjs'), 'scripts/torture/run.ts']] },
  bench: { python: '[dev]', steps: () => [[PYTHON, 'bench/python/run.py']] },
  docs: { python: '[dev]', steps: () => [[process.execPath, 'scripts/run-docs.mjs']] },
  check: {
    python: '[dev]',
    steps: () => [
      [node('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'],
      [node('typescript/bin/tsc'), '-p', '.'],
      [PYTHON, '-m', 'ruff', 'check', 'python-client', 'examples', 'bench'],
      [PYTHON, '-m', 'ruff', 'format', '--check', 'python-client', 'examples', 'bench'],
      [PYTHON, '-m', 'mypy', '--config-file', 'python-client/pyproject.toml', ...PYTHON_SOURCES],
    ],
  },
}

const [name = '', ...args] = process.argv.slice(2)
const task = TASKS[name]
if (task === undefined)
  fail(`there is no task ${JSON.stringify(name)}; known: ${Object.keys(TASKS).join(', ')}`)

Object.assign(process.env, task.env)
requireNode()
installNodePackages()
run([process.execPath, '--import', 'tsx', 'scripts/build.ts'])
installPythonPackages(task.python)
const steps = task.steps()
steps.at(-1).push(...args)
for (const step of steps) {
  if (steps.length > 1) say(step.map((word) => word.replace(ROOT, '')).join(' '))
  run(step)
}

/** A command line tool of an installed package. */
function node(path) {
  return join(ROOT, 'node_modules', path)
}

/** The server runs on Node 20 and newer; the tools that build and test it want the later releases of 20 and 22. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const enough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22
  if (!enough) fail(`Node ${process.versions.node} is too old; this needs Node 20.19, 22.12 or newer`)
}

function installNodePackages() {
  const stamp = join(ROOT, 'node_modules', '.blockloom')
  const wanted = digest('package-lock.json')
  if (isStamped(stamp, wanted)) return
  say('installing Node packages')
  // The shell lets Windows find npm.cmd.
  run(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: process.platform === 'win32' })
  writeFileSync(stamp, wanted)
}

function installPythonPackages(extras) {
  const stamp = join(VENV, `.blockloom${extras}`)
  const wanted = digest('python-client/pyproject.toml') + digest(PYTHON_LOCK)
  if (isStamped(stamp, wanted) && existsSync(PYTHON)) return
  if (!existsSync(PYTHON)) {
    say(`making a Python environment in ${basename(VENV)}`)
    run([findPython(), '-m', 'venv', VENV])
  }
  say('installing Python packages')
  run([
    PYTHON,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-c',
    PYTHON_LOCK,
    '-e',
    `./python-client${extras}`,
  ])
  writeFileSync(stamp, wanted)
}

function findPython() {
  const names = [process.env.PYTHON, 'python3', 'python'].filter((candidate) => candidate)
  for (const candidate of names) {
    const test = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
    if (spawnSync(candidate, ['-c', test], { stdio: 'ignore' }).status === 0) return candidate
  }
  return fail(`no Python 3.10 or newer with venv was found (tried ${names.join(', ')}); set PYTHON to one`)
}

function digest(path) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex')
}

function isStamped(stamp, wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

function run([command, ...rest], options = {}) {
  const isScript = command.endsWith('.mjs') || command.includes('node_modules')
  const [file, argv] = isScript ? [process.execPath, [command, ...rest]] : [command, rest]
  try {
    execFileSync(file, argv, { cwd: ROOT, stdio: 'inherit', ...options })
  } catch (error) {
    process.exit(typeof error.status === 'number' ? error.status : 1)
  }
}

function say(text) {
  process.stderr.write(`blockloom: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(2)
}
