#!/usr/bin/env node
/**
 * Runs one of the project's tasks, after installing what is missing: `node scripts/run.mjs TASK [ARGS]`.
 * Plain JavaScript without imports from packages, because it runs before there are any.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The Python environment that all tasks but one share. */
const VENV = '.venv'
const PYTHON = pythonOf(VENV)

/** The versions that its packages are held to. */
const PYTHON_LOCK = 'python-client/requirements-dev.lock'

/** pytest's, for libraries that warn of themselves: warnings are no failures. */
const LENIENT = ['-W', 'default', '--disable-warnings']

/**
 * The libraries that integrations are tested with: the package's extras, and the tests' names. They need large packages,
 * some of which do not go together, so each has an environment of its own, with versions of its own.
 */
const STACKS = {
  sb3: { extras: '[sb3,ppo]', tests: /^test_(sb3|ppo)\w*\.py$/, options: [] },
  rllib: { extras: '[rllib]', tests: /^test_rllib\w*\.py$/, options: LENIENT },
  torchrl: { extras: '[torchrl]', tests: /^test_torchrl\w*\.py$/, options: LENIENT },
  minari: { extras: '[minari]', tests: /^test_minari\w*\.py$/, options: LENIENT },
}

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
  // Which libraries, and `--smoke` for the short form; other arguments are pytest's.
  'test:integrations': { run: testIntegrations, env: { OMP_NUM_THREADS: '1' } },
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
if (task.run) task.run()
else runSteps()

function runSteps() {
  installPythonPackages(VENV, [`./python-client${task.python}`], PYTHON_LOCK)
  const steps = task.steps()
  steps.at(-1).push(...args)
  for (const step of steps) {
    if (steps.length > 1) say(step.map((word) => word.replace(ROOT, '')).join(' '))
    run(step)
  }
}

function testIntegrations() {
  const chosen = args.filter((word) => word in STACKS)
  const rest = args.filter((word) => !(word in STACKS) && word !== '--smoke')
  if (args.includes('--smoke')) rest.push('-m', 'smoke')
  const folder = 'python-client/integrations'
  for (const stack of chosen.length > 0 ? chosen : Object.keys(STACKS)) {
    const { extras, tests, options } = STACKS[stack]
    const venv = `.venv-integrations/${stack}`
    // Not compiled: most of these files are never imported.
    installPythonPackages(
      venv,
      ['--no-compile', 'pytest', `./python-client${extras}`],
      `${folder}/${stack}.lock`,
    )
    const files = readdirSync(join(ROOT, folder)).filter((file) => tests.test(file))
    say(`testing with ${stack}`)
    run([pythonOf(venv), '-m', 'pytest', ...options, ...files.map((file) => `${folder}/${file}`), ...rest])
  }
}

function pythonOf(venv) {
  return join(ROOT, venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
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

/** Installs what pip is given, the last of it as editable, into an environment that is made where it is missing. */
function installPythonPackages(venv, packages, lock) {
  const python = pythonOf(venv)
  const editable = packages.at(-1)
  const stamp = join(ROOT, venv, `.blockloom${editable.replace(/^[^[]*/, '')}`)
  const wanted = digest('python-client/pyproject.toml') + digest(lock)
  if (isStamped(stamp, wanted) && existsSync(python)) return
  if (!existsSync(python)) {
    say(`making a Python environment in ${venv}`)
    run([findPython(), '-m', 'venv', venv])
  }
  say('installing Python packages')
  const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  run([...pip, '-c', lock, ...packages.slice(0, -1), '-e', editable])
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
