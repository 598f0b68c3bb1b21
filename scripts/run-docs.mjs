/**
 * Runs the commands of the documents: every ```sh block (with bash, stopping at the first failure) and every
 * ```python block of each Markdown file, in a Python environment of its own. Blocks in other languages are
 * for reading only. Commands that .ci/run runs itself are checked to be there and not run twice.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CI = readFileSync(join(ROOT, '.ci/run'), 'utf8').split('\n')

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'python-client/README.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'))

const venv = mkdtempSync(join(tmpdir(), 'blockloom-docs-'))
process.on('exit', () => rmSync(venv, { recursive: true, force: true }))
must(spawnSync(join(ROOT, '.venv/bin/python'), ['-m', 'venv', venv], { stdio: 'inherit' }), 'making a venv')
const env = { ...process.env, PATH: `${join(venv, 'bin')}${delimiter}${process.env.PATH}` }

let ran = 0
for (const document of documents) {
  for (const { language, text } of blocksOf(readFileSync(join(ROOT, document), 'utf8'))) {
    const script = language === 'sh' ? withoutCiCommands(text) : text
    if (script.trim() === '') continue
    process.stdout.write(`--- ${document}\n${script}`)
    const [command, args] =
      language === 'sh' ? ['bash', ['-euo', 'pipefail', '-c', script]] : ['python', ['-c', script]]
    must(spawnSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] }), document)
    ran++
  }
}
process.stdout.write(`${ran} blocks of ${documents.length} documents ran\n`)
if (ran === 0) process.exit(1)

function blocksOf(markdown) {
  return Array.from(markdown.matchAll(/^```(sh|python)\n(.*?)^```$/gms), ([, language, text]) => ({
    language,
    text,
  }))
}

/** Whole lines such as `npm test`, which .ci/run must have. */
function withoutCiCommands(text) {
  return text
    .split('\n')
    .filter((line) => !(/^npm (test|run [a-z]+)$/.test(line) && CI.includes(line)))
    .join('\n')
}

function must({ status }, what) {
  if (status === 0) return
  process.stderr.write(`blockloom: a command of ${what} failed\n`)
  process.exit(1)
}
